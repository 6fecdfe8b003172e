// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/file.hpp"
#include "base/process_rank.hpp"
#include "trace/stamp_range.hpp"

namespace foretask::trace {
namespace {

namespace fs = std::filesystem;

// Of the missing streams, ranges that are named.
constexpr std::size_t kRangesShown = 4;

constexpr std::string_view kStreamPrefix = "stream_";
// Of what a warning lists, what is named.
constexpr std::size_t kNamesShown = 8;

std::string stream_name(std::uint32_t number) { return std::string(kStreamPrefix) + std::to_string(number); }

// Of the name that a recorder gives a stream, and no other spelling of its number.
std::optional<std::uint32_t> stream_number(const std::string& name) {
  std::uint32_t number = 0;
  std::from_chars(name.data() + std::min(name.size(), kStreamPrefix.size()), name.data() + name.size(), number);
  if (number >= trace::kMaxStreams || name != stream_name(number)) return std::nullopt;
  return number;
}

// "freq = 2300000000;" of the metadata; `otherwise` where there is none.
double clock_frequency(std::string_view metadata, double otherwise) {
  constexpr std::string_view kKey = "freq = ";
  const std::size_t at = metadata.find(kKey);
  std::uint64_t frequency = 0;
  if (at != std::string_view::npos)
    std::from_chars(metadata.data() + at + kKey.size(), metadata.data() + metadata.size(), frequency);
  return frequency == 0 ? otherwise : static_cast<double>(frequency);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kNamesShown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamesShown) text += " and " + std::to_string(names.size() - kNamesShown) + " more";
  return text;
}

// "uuid = "00112233-...";" of the metadata.
trace::TraceId trace_id_in(std::string_view metadata) {
  constexpr std::string_view kKey = "uuid = \"";
  const std::size_t at = metadata.find(kKey);
  return at == std::string_view::npos ? trace::TraceId{} : trace_id_of(metadata.substr(at + kKey.size()));
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
std::string ending_of(const std::string& folder, const RunFile& run) {
  if (run.exit_ns == 0 && still_runs(run)) return "the program is still running";
  std::error_code ignored;
  if (run.exit_signal == 0 && fs::exists(folder + "/" + kExitMark, ignored))
    return "the program called exit(), which did not come to its end: several threads called it at once, or a handler "
           "of exit() or a signal ended the program";
  if (run.exit_ns == 0)
    return "the program was killed, or ended by _exit(), exec(), or exit() in several threads at once";
  if (run.exit_signal != 0) return "signal " + std::to_string(run.exit_signal) + " ended the program";
  const std::string exited = "the program exited with " + std::to_string(run.exit_code);
  // Those that this library ends itself, at exit(); OpenMP's runtime may not come to its end there.
  if (!analysis::runtime_rules(run.runtime, run.runtime_version).is_openmp) return exited + " by _exit() or exec()";
  return exited + " before its OpenMP runtime had ended: by exit() in a task, _exit() or exec()";
}

Result<std::string> read_metadata(const std::string& folder) {
  return base::read_file(folder + "/metadata", std::size_t{16} << 20);
}

// The streams tell when they begin and end, and the metadata knows the clock's rate.
void forget_times(const std::string& folder, RunFile& run) {
  run.start = {};
  run.end = {};
  run.launch_ns = 0;
  run.exit_ns = 0;
  if (const Result<std::string> metadata = read_metadata(folder))
    run.ticks_per_second = clock_frequency(*metadata, run.ticks_per_second);
}

void check_description(const std::string& folder, RunFile& run, std::vector<std::string>& warnings) {
  if (run.is_changed) {
    warnings.emplace_back(
        "run.json was changed after it was written (its checksum does not match): its values may be wrong. The times "
        "at which the program started and ended are not used");
    // No other number tells whether these are right.
    run.launch_ns = 0;
    run.exit_ns = 0;
    run.tool_end_ns = 0;
  }
  if (!run.wrong_fields.empty())
    warnings.push_back("run.json: " + listed(run.wrong_fields) +
                       (run.wrong_fields.size() == 1 ? " has an impossible value: its default is used"
                                                     : " have impossible values: their defaults are used"));
  const bool is_clock_wrong =
      std::find(run.wrong_fields.begin(), run.wrong_fields.end(), "clock.ticks_per_second") != run.wrong_fields.end();
  if (!is_clock_wrong && !clock_contradicts_itself(run)) return;
  warnings.emplace_back(
      "run.json's clock contradicts itself: the run's length is taken from its streams. What the program did before "
      "and after them is not seen");
  forget_times(folder, run);
}

Result<RunFile> read_description(const std::string& folder, std::vector<std::string>& warnings) {
  Result<RunFile> run = read_run_file(folder + "/run.json");
  if (run) {
    check_description(folder, *run, warnings);
    if (run->state != "complete")
      warnings.push_back("the recording did not end in order (" + ending_of(folder, *run) +
                         "): what was written is used");
    return run;
  }
  std::error_code ignored;
  if (fs::exists(folder + "/run.json", ignored) && run.error().what.find("format version") != std::string::npos)
    return run.error();
  const Result<std::string> metadata = read_metadata(folder);
  if (!metadata) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
      if (is_trace_folder(entry.path()))
        return Error{"is not a recording, but holds some, such as " + entry.path().filename().string(), folder};
    return Error{"is not a recording: it has neither run.json nor metadata", folder};
  }
  warnings.push_back(run.error().message() + ": kernels have no names, and probe costs are not taken out");
  RunFile bare;
  bare.ticks_per_second = clock_frequency(*metadata, bare.ticks_per_second);
  bare.trace_id = trace_id_in(*metadata);
  return bare;
}

void warn_of_losses(const RunFile& run, std::vector<std::string>& warnings) {
  if (run.dropped_events != 0)
    warnings.push_back(std::to_string(run.dropped_events) + " events were dropped" +
                       (run.loss_reason.empty() ? "" : " (" + run.loss_reason + ")") + ": no figure contains them");
  if (run.streams_refused != 0)
    warnings.push_back(std::to_string(run.streams_refused) + (run.streams_refused == 1 ? " thread" : " threads") +
                       " could not be recorded" + (run.loss_reason.empty() ? "" : " (" + run.loss_reason + ")"));
  if (run.threads_without_counters != 0)
    warnings.push_back("the counters of " + std::to_string(run.threads_without_counters) +
                       " threads could not be read: some or all of their tasks have no counts");
}

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

ExpectedStream expected_stream(const RunFile& run) {
  const StampRange range = stamp_range(run, std::time(nullptr));
  return {
      .uuid = run.trace_id, .format_version = run.format_version, .earliest = range.earliest, .latest = range.latest};
}

// The stream's reader; one of nothing, and a warning, where it cannot be used.
StreamReader open_stream(const std::string& folder, const ExpectedStream& expected, const RunFile& run,
                         std::vector<std::string>& warnings) {
  const std::string name = stream_name(expected.number);
  Result<StreamReader> reader = StreamReader::open(folder + "/" + name, expected);
  if (!reader) {
    warnings.push_back(reader.error().message());
    return StreamReader::from_memory(nullptr, 0);
  }
  if (reader->is_foreign()) {
    warnings.push_back(name + " is of another recording: it is left out");
    return StreamReader::from_memory(nullptr, 0);
  }
  if (const auto other = reader->other_number()) {
    warnings.push_back(name + " holds the events of " + stream_name(*other) + ": it is left out");
    return StreamReader::from_memory(nullptr, 0);
  }
  const std::uint64_t least_bytes = expected.number < run.stream_bytes.size() ? run.stream_bytes[expected.number] : 0;
  if (reader->size_bytes() < least_bytes)
    warnings.push_back(name + " has lost its end: " + std::to_string(reader->size_bytes()) + " of " +
                       std::to_string(least_bytes) + " bytes are there");
  return std::move(*reader);
}

// The numbers of the streams that are there, ascending. Names that are nearly a stream's are said.
Result<std::vector<std::uint32_t>> find_streams(const std::string& folder, std::vector<std::string>& warnings) {
  std::vector<std::uint32_t> numbers;
  std::vector<std::string> strays;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (const auto number = stream_number(name)) {
      numbers.push_back(*number);
    } else if (name.starts_with(kStreamPrefix)) {
      strays.push_back(name);
    }
  }
  if (problem) return Error{"cannot list", folder, 0, problem.value()};
  std::sort(numbers.begin(), numbers.end());
  std::sort(strays.begin(), strays.end());
  if (!strays.empty())
    warnings.push_back(listed(strays) + (strays.size() == 1 ? " is not the name of a stream: it is not read"
                                                            : " are not the names of streams: they are not read"));
  return numbers;
}

// Whether a stream whose checksums hold has other times than the description: then that one is wrong.
bool streams_contradict(const std::string& folder, const std::vector<std::uint32_t>& numbers, ExpectedStream expected) {
  return std::any_of(numbers.begin(), numbers.end(), [&](std::uint32_t number) {
    expected.number = number;
    Result<StreamReader> reader = StreamReader::open(folder + "/" + stream_name(number), expected);
    return reader && reader->contradicts_range();
  });
}

}  // namespace

const KernelDefinition* TraceFolder::kernel(std::uint64_t id) const noexcept {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [id](const KernelDefinition& one) { return one.id == id; });
  return found == kernels.end() ? nullptr : &*found;
}

std::string TraceFolder::kernel_name(std::uint64_t id) const {
  const KernelDefinition* const definition = kernel(id);
  return definition ? definition->name : "(kernel " + std::to_string(id) + ")";
}

std::vector<std::string> TraceFolder::parameters_of(std::uint64_t id) const {
  const KernelDefinition* const definition = kernel(id);
  return definition ? definition->parameters : std::vector<std::string>();
}

bool is_trace_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) &&
         (fs::exists(path + "/run.json", ignored) || fs::exists(path + "/metadata", ignored));
}

Result<TraceFolder> open_trace_folder(const std::string& folder) {
  std::error_code problem;
  if (!fs::is_directory(folder, problem)) {
    if (const std::string first = base::rank_folder(folder, 0); is_trace_folder(first))
      return Error{"is no folder; the recording of rank 0 is " + first};
    if (fs::is_regular_file(folder, problem)) return Error{"is a file, not the folder of a recording", folder};
    return Error{"is no folder", folder, 0, problem.value()};
  }
  TraceFolder trace;
  Result<RunFile> run = read_description(folder, trace.warnings);
  if (!run) return run.error();
  trace.run = std::move(*run);
  warn_of_losses(trace.run, trace.warnings);
  std::size_t skipped = 0;
  trace.kernels = read_kernel_file(folder + "/" + kKernelFile, skipped);
  if (skipped != 0)
    trace.warnings.push_back(std::to_string(skipped) + " lines of " + kKernelFile +
                             " are not valid: their kernels have no names");

  Result<std::vector<std::uint32_t>> found = find_streams(folder, trace.warnings);
  if (!found) return found.error();
  const std::vector<std::uint32_t>& numbers = *found;
  ExpectedStream stream = expected_stream(trace.run);
  if (streams_contradict(folder, numbers, stream)) {
    trace.warnings.emplace_back("the clock in run.json does not fit the streams: the run's length is taken from them");
    forget_times(folder, trace.run);
    stream = expected_stream(trace.run);
  }

  // A damaged description may name any number.
  const std::uint32_t expected =
      std::max(std::min(trace.run.streams, trace::kMaxStreams), numbers.empty() ? 0 : numbers.back() + 1);
  std::vector<std::uint32_t> missing;
  std::size_t next = 0;
  for (std::uint32_t number = 0; number < expected; ++number) {
    if (next < numbers.size() && numbers[next] == number) {
      ++next;
      stream.number = number;
      trace.streams.push_back(open_stream(folder, stream, trace.run, trace.warnings));
    } else {
      missing.push_back(number);
      trace.streams.push_back(StreamReader::from_memory(nullptr, 0));
    }
  }
  warn_of_missing(missing, trace.warnings);
  return trace;
}

}  // namespace foretask::trace
