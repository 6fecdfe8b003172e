// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/file.hpp"

namespace foretask::trace {
namespace {

namespace fs = std::filesystem;

// Of the missing streams, ranges that are named.
constexpr std::size_t kRangesShown = 4;

std::optional<std::uint32_t> stream_number(std::string_view name) {
  constexpr std::string_view kPrefix = "stream_";
  if (name.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::uint32_t number = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || rest != name.data() + name.size() || number >= record::kMaxStreams) return std::nullopt;
  return number;
}

// "freq = 2300000000;" of the metadata.
double clock_frequency(const std::string& metadata) {
  const std::size_t at = metadata.find("freq = ");
  if (at == std::string::npos) return 1e9;
  std::uint64_t value = 0;
  const char* from = metadata.data() + at + 7;
  std::from_chars(from, metadata.data() + metadata.size(), value);
  return value == 0 ? 1e9 : static_cast<double>(value);
}

// "uuid = "00112233-...";" of the metadata.
record::TraceId trace_id_in(std::string_view metadata) {
  constexpr std::string_view kKey = "uuid = \"";
  const std::size_t at = metadata.find(kKey);
  return at == std::string_view::npos ? record::TraceId{} : trace_id_of(metadata.substr(at + kKey.size()));
}

// Whether the recorded process is there, on this machine.
bool still_runs(const RunFile& run) {
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0 || run.machine.host != host.data()) return false;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/" + std::to_string(run.pid) + "/exe", error);
  return !error && program == run.program;
}

// What is known of a program whose recording did not come to its own end.
std::string ending_of(const RunFile& run) {
  if (run.exit_ns == 0)
    return still_runs(run) ? "the program is still running" : "the program was killed, or ended by _exit() or exec()";
  if (run.exit_signal != 0) return "signal " + std::to_string(run.exit_signal) + " ended the program";
  const std::string exited = "the program exited with " + std::to_string(run.exit_code);
  // Those that this library ends itself, at exit(); OpenMP's runtime may not come to its end there.
  if (run.runtime == "mpi" || run.runtime == "sequential") return exited + " by _exit() or exec()";
  return exited + " before its OpenMP runtime had ended: by exit() in a task, _exit() or exec()";
}

Result<RunFile> read_description(const std::string& folder, std::vector<std::string>& warnings) {
  Result<RunFile> run = read_run_file(folder + "/run.json");
  if (run) {
    if (run->state != "complete")
      warnings.push_back("the recording did not end in order (" + ending_of(*run) + "): what was written is used");
    return run;
  }
  std::error_code ignored;
  if (fs::exists(folder + "/run.json", ignored) && run.error().what.find("format version") != std::string::npos)
    return run.error();
  const Result<std::string> metadata = base::read_file(folder + "/metadata", std::size_t{16} << 20);
  if (!metadata) return Error{"is no recording: it has neither run.json nor metadata", folder};
  warnings.push_back(run.error().message() + ": kernels have no names, and probe costs are not taken out");
  RunFile bare;
  bare.ticks_per_second = clock_frequency(*metadata);
  bare.trace_id = trace_id_in(*metadata);
  return bare;
}

void warn_of_losses(const RunFile& run, std::vector<std::string>& warnings) {
  if (run.dropped_events != 0)
    warnings.push_back(std::to_string(run.dropped_events) + " events were dropped" +
                       (run.loss_reason.empty() ? "" : " (" + run.loss_reason + ")") +
                       ": every figure lacks what they say");
  if (run.streams_refused != 0)
    warnings.push_back(std::to_string(run.streams_refused) + " threads could not be recorded" +
                       (run.loss_reason.empty() ? "" : " (" + run.loss_reason + ")"));
  if (run.threads_without_counters != 0)
    warnings.push_back("the counters of " + std::to_string(run.threads_without_counters) +
                       " threads could not be read: their tasks are not counted, or only at first");
}

std::string stream_name(std::uint32_t number) { return "stream_" + std::to_string(number); }

// One line for all of them: "stream_1, stream_3 to stream_7 are missing".
void warn_of_missing(const std::vector<std::uint32_t>& numbers, std::vector<std::string>& warnings) {
  if (numbers.empty()) return;
  std::string text;
  std::size_t ranges = 0;
  std::size_t at = 0;
  for (; at < numbers.size() && ranges < kRangesShown; ++ranges) {
    std::size_t last = at;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (ranges != 0) text += ", ";
    text += stream_name(numbers[at]);
    if (last != at) text += (last == at + 1 ? ", " : " to ") + stream_name(numbers[last]);
    at = last + 1;
  }
  if (at < numbers.size()) text += " and " + std::to_string(numbers.size() - at) + " more";
  warnings.push_back(text + (numbers.size() == 1 ? " is missing" : " are missing"));
}

// The stream's reader; one of nothing, and a warning, where it cannot be used.
StreamReader open_stream(const std::string& folder, std::uint32_t number, const RunFile& run,
                         std::vector<std::string>& warnings) {
  Result<StreamReader> reader = StreamReader::open(folder + "/" + stream_name(number), run.trace_id);
  if (!reader) {
    warnings.push_back(reader.error().message());
    return StreamReader::from_memory(nullptr, 0);
  }
  if (reader->is_foreign()) {
    warnings.push_back(stream_name(number) + " is of another recording: it is left out");
    return StreamReader::from_memory(nullptr, 0);
  }
  const std::uint64_t expected = number < run.stream_bytes.size() ? run.stream_bytes[number] : 0;
  if (reader->size_bytes() < expected)
    warnings.push_back(stream_name(number) + " has lost its end: " + std::to_string(reader->size_bytes()) + " of " +
                       std::to_string(expected) + " bytes are there");
  return std::move(*reader);
}

}  // namespace

const KernelDefinition* TraceFolder::kernel(std::uint64_t id) const noexcept {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [id](const KernelDefinition& one) { return one.id == id; });
  return found == kernels.end() ? nullptr : &*found;
}

bool is_trace_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) &&
         (fs::exists(path + "/run.json", ignored) || fs::exists(path + "/metadata", ignored));
}

Result<TraceFolder> open_trace_folder(const std::string& folder) {
  std::error_code problem;
  if (!fs::is_directory(folder, problem)) return Error{"is no folder", folder, 0, problem.value()};
  TraceFolder trace;
  Result<RunFile> run = read_description(folder, trace.warnings);
  if (!run) return run.error();
  trace.run = std::move(*run);
  warn_of_losses(trace.run, trace.warnings);
  std::size_t skipped = 0;
  trace.kernels = read_kernel_file(folder + "/" + kKernelFile, skipped);
  if (skipped != 0)
    trace.warnings.push_back(std::to_string(skipped) + " lines of " + kKernelFile +
                             " make no sense: those kernels have no names");

  std::vector<std::uint32_t> numbers;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem))
    if (const auto number = stream_number(entry->path().filename().string())) numbers.push_back(*number);
  if (problem) return Error{"cannot list", folder, 0, problem.value()};
  std::sort(numbers.begin(), numbers.end());

  // A damaged description may name any number.
  const std::uint32_t expected =
      std::max(std::min(trace.run.streams, record::kMaxStreams), numbers.empty() ? 0 : numbers.back() + 1);
  std::vector<std::uint32_t> missing;
  std::size_t next = 0;
  for (std::uint32_t number = 0; number < expected; ++number) {
    if (next < numbers.size() && numbers[next] == number) {
      ++next;
      trace.streams.push_back(open_stream(folder, number, trace.run, trace.warnings));
    } else {
      missing.push_back(number);
      trace.streams.push_back(StreamReader::from_memory(nullptr, 0));
    }
  }
  warn_of_missing(missing, trace.warnings);
  return trace;
}

}  // namespace foretask::trace
