// SPDX-License-Identifier: Apache-2.0
// FORETASK_* variables as typed options. An unknown or malformed one is one warning, never a stop. Read once, at start,
// before the program has threads of its own where possible; ignored in a set-uid process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretask::base {

// kQuiet: followed for callers of foretask_progress, and nothing is written.
enum class ProgressMode { kOff, kQuiet, kText, kJson };

// So many processes of a launch are recorded at most, unless FORETASK_PROCESSES says another number.
inline constexpr std::uint32_t kMostProcesses = 64;

inline constexpr std::uint32_t kUsualGrainNs = 10'000;
// A longer grain is taken for this.
inline constexpr std::uint32_t kMostGrainNs = 10'000'000;

// FORETASK: "record", "learn", "tune", or several of them with commas between.
struct Mode {
  bool records = false;
  bool learns = false;
  bool tunes = false;
  [[nodiscard]] bool is_off() const { return !records && !learns && !tunes; }
};

struct Environment {
  Mode mode;
  std::string out;  // FORETASK_OUT: the run's folder; empty: a name made of program, time and pid
  std::uint32_t processes = kMostProcesses;  // FORETASK_PROCESSES: the most of one launch that are recorded
  std::uint64_t max_bytes = 0;               // FORETASK_MAX_BYTES: 0 means no limit
  std::vector<std::pair<std::string, std::string>> params;  // FORETASK_PARAMS: NAME=VALUE lines
  std::string counters;                                     // FORETASK_COUNTERS
  std::uint32_t counter_sampling = 1;                       // FORETASK_COUNTER_SAMPLING: one task in so many is read
  std::uint32_t grain_ns = kUsualGrainNs;  // FORETASK_GRAIN_NS: shorter tasks are contracted; 0: none are
  bool samples_code = true;                // FORETASK_SAMPLES: 0, 1
  std::int64_t launch_ns = 0;              // FORETASK_LAUNCH_NS: CLOCK_MONOTONIC just before the program was started
  ProgressMode progress = ProgressMode::kOff;  // FORETASK_PROGRESS: 0, quiet, 1, json
  bool announces = false;                      // FORETASK_ANNOUNCE: the end says what was recorded or learned
  bool is_launched = false;                    // this is the process that the launcher became
  // The message at the end if nothing was recorded. Set if FORETASK_ANNOUNCE is more than 1, and is_launched.
  std::string nothing_recorded;
  // FORETASK_TUNE: "dry", "region-threads", or both with a comma between.
  bool tunes_dry = false;             // decisions are made and counted, and change nothing
  bool tunes_region_threads = false;  // a region may get fewer threads than the program is told
  std::string tune_json;              // FORETASK_TUNE_JSON: the file that the decisions are written to at the end
  // FORETASK_COMMAND, "3:app2:-n1:7" behind the head of said_of_this_program(): the command by which the launcher
  // started this program; empty: unknown. The program may change its arguments before its runtime starts; /proc then
  // has the changed ones.
  std::vector<std::string> command;
  std::string progress_warning;  // about FORETASK_PROGRESS: said once, if the progress is to be followed
  std::vector<std::string> warnings;
};

// Reads the variables of this process.
[[nodiscard]] Environment read_environment();

// FORETASK alone, and whether progress is to be followed. In a set-uid process: off.
struct ModeChoice {
  Mode mode;
  bool is_off = false;        // "off" by the user's word, not for want of one
  bool has_progress = false;  // FORETASK_PROGRESS asks for something; read_environment() says what
  std::string warning;        // empty, or what is wrong with it
};
[[nodiscard]] ModeChoice read_mode();

// False if the user switched foretask off. HOT: read once.
[[nodiscard]] inline bool is_on() noexcept {
  static const bool on = !read_mode().is_off;
  return on;
}

// Bytes from "4096", "64K", "2M", "10G"; nothing when malformed or too large.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(const std::string& text);

// Gives the program the environment that its user gave: sets or removes what the launcher changed, as it wrote into
// FORETASK_LAUNCHER_VARS (lines NAME to remove, NAME=VALUE to restore). With a prefix only the variables whose names
// begin with it, now and again when all are.
void restore_environment(std::string_view prefix = {});

// What the launcher says of one program only, in variables that everything started from there inherits, comes after
// "PID LENGTH:PATH" of that program. This is what follows. Nothing where `text` is of another process, or of another
// program in this one: env, sh or taskset may have become it.
[[nodiscard]] std::optional<std::string_view> said_of_this_program(std::string_view text) noexcept;

// True if `text` is of this process, in which by now another program may run.
[[nodiscard]] bool is_said_of_this_process(std::string_view text) noexcept;

}  // namespace foretask::base
