// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_folder.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/file.hpp"

namespace foretask::trace {
namespace {

namespace fs = std::filesystem;

// Streams are numbered below this; a file of a larger number is not ours.
constexpr std::uint32_t kMaxStreams = 65535;

std::optional<std::uint32_t> stream_number(std::string_view name) {
  constexpr std::string_view kPrefix = "stream_";
  if (name.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::uint32_t number = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || rest != name.data() + name.size() || number >= kMaxStreams) return std::nullopt;
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

Result<RunFile> read_description(const std::string& folder, std::vector<std::string>& warnings) {
  Result<RunFile> run = read_run_file(folder + "/run.json");
  if (run) {
    if (run->state != "complete")
      warnings.push_back(
          "the recording did not end in order (the program was killed, or is still running): what was written is used");
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
}

}  // namespace

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

  std::vector<std::uint32_t> numbers;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem))
    if (const auto number = stream_number(entry->path().filename().string())) numbers.push_back(*number);
  if (problem) return Error{"cannot list", folder, 0, problem.value()};
  std::sort(numbers.begin(), numbers.end());

  const std::uint32_t expected = std::max(trace.run.streams, numbers.empty() ? 0 : numbers.back() + 1);
  std::size_t next = 0;
  for (std::uint32_t number = 0; number < expected; ++number) {
    const bool present = next < numbers.size() && numbers[next] == number;
    if (present) ++next;
    Result<StreamReader> reader = present ? StreamReader::open(folder + "/stream_" + std::to_string(number), {})
                                          : Result<StreamReader>(StreamReader::from_memory(nullptr, 0));
    if (!present) trace.warnings.push_back("stream_" + std::to_string(number) + " is missing");
    if (!reader) {
      trace.warnings.push_back(reader.error().message());
      reader = StreamReader::from_memory(nullptr, 0);
    }
    trace.streams.push_back(std::move(*reader));
  }
  return trace;
}

}  // namespace foretask::trace
