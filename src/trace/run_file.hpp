// SPDX-License-Identifier: Apache-2.0
// run.json: what was recorded, on which machine, by which clock, and what was lost. Written at the start of a recording
// and again at its end; a run that was killed has the first version only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "foretask/analysis/baseline.hpp"
#include "foretask/result.hpp"
#include "trace/packet.hpp"
#include "trace/process_facts.hpp"
#include "trace/run_costs.hpp"

namespace foretask::trace {

inline constexpr std::uint32_t kMostCounterRuns = 64;

// `foretask record` started a program, which may start others: which of their processes this is.
struct Launch {
  std::int64_t start_ns = 0;         // CLOCK_MONOTONIC: the same in all processes; 0: no launcher started this one
  std::uint32_t process = 1;         // its number: of the others with recordings beside it (process_folders.hpp)
  std::int64_t parent = 0;           // pid of the process that started this one
  std::uint32_t most_processes = 0;  // no more are recorded
};

struct RunFile {
  std::uint32_t format_version = 0;
  std::string state;  // "recording" until the recording has ended in order, then "complete"
  std::string program;
  std::vector<std::string> command;
  std::string folder;  // the working directory
  std::int64_t pid = 0;
  std::string started;  // UTC, ISO 8601
  std::string runtime;
  std::string runtime_version;
  std::string version;        // of foretask
  trace::TraceId trace_id{};  // that of every packet; zero when unknown
  trace::Machine machine;
  trace::CoreLimits core_limits;
  std::string clock_source;  // "tsc" or "monotonic"
  double ticks_per_second = 1e9;
  base::ClockPair start;
  base::ClockPair end;           // zero while recording
  std::int64_t launch_ns = 0;    // CLOCK_MONOTONIC when the program was started; 0 when unknown
  std::int64_t tool_end_ns = 0;  // how long the tool worked from `end` on, at the program's cost
  std::int64_t exit_ns = 0;      // CLOCK_MONOTONIC when the program was gone; 0 when unknown
  std::int64_t cpu_ns = 0;       // that the process spent on cores; 0 while recording, and in older recordings
  int exit_code = 0;
  int exit_signal = 0;  // that ended it; 0 for none
  trace::ProbeCosts probe_costs{};
  trace::RuntimeCosts runtime_costs;
  std::vector<trace::Module> modules;
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<std::pair<std::string, std::string>> environment;  // OMP_* and KMP_* as they were
  std::uint32_t rank = 0;                                        // of this process among ...
  std::uint32_t ranks = 1;                                       // ... those that ran together
  std::string job;  // the same in all of those, and in no other run's; empty when unknown
  Launch launch;
  std::uint32_t streams = 0;
  std::vector<std::uint64_t> stream_bytes;  // of each, what it is not shorter than; empty while recording
  std::uint64_t dropped_events = 0;
  std::uint32_t streams_refused = 0;
  std::string loss_reason;
  std::vector<Counter> counters;  // of the recorded values' order, those that are not ok left out
  trace::CodeSampling code_sampling;
  std::uint32_t counter_sampling = 1;
  std::uint64_t grain_ns = 0;  // tasks that took less were contracted; 0: none
  std::uint32_t threads_without_counters = 0;
  // Of the same program, once a group of counters: the others are in the folders beside this one that are called as it
  // is, and .2, .3, ... behind it.
  std::uint32_t counter_runs = 1;
  analysis::Baseline baseline;  // `own` took 0 ns: there is none
  // Of a description that was read: fields that had another type or range than theirs, and have their defaults.
  std::vector<std::string> wrong_fields;
  bool is_changed = false;  // since it was written: its checksum does not match
};

// The name of an empty file. It is there from the program's call of exit() to the recording's end.
inline constexpr const char* kExitMark = ".exiting";

// run.json's first four characters, read as a number: see ctf_metadata.hpp.
inline constexpr std::uint32_t kRunFileStreamId = 0x22200a7b;

// "00112233-4455-6677-8899-aabbccddeeff".
[[nodiscard]] std::string trace_id_text(const trace::TraceId& id);
// Zero where `text` does not begin with an id.
[[nodiscard]] trace::TraceId trace_id_of(std::string_view text);

// Padded with spaces: to `bytes` where the text fits into that, so that writing the description again keeps the size
// that the metadata gives; else to a multiple of 16 KiB that leaves room to grow.
[[nodiscard]] std::string to_json(const RunFile& run, std::size_t bytes = 0);

// Whether the checksum in a description fits the rest of it; a description without one is taken as it is.
[[nodiscard]] bool checksum_matches(std::string_view text);

// The error names `path`. Missing keys and wrong fields take their defaults; another format version is an error that
// says so.
[[nodiscard]] Result<RunFile> read_run_file(const std::string& path);

}  // namespace foretask::trace
