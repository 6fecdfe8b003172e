// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/recording.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/cores.hpp"
#include "base/file.hpp"
#include "base/messages.hpp"
#include "base/number_text.hpp"
#include "base/own_process.hpp"
#include "base/process_rank.hpp"
#include "runtime/counters/counter_source.hpp"
#include "runtime/recording/bus_guard.hpp"
#include "runtime/recording/module_map.hpp"
#include "runtime/recording/probe_cost.hpp"
#include "runtime/recording/task_counters.hpp"
#include "runtime/recording/topology.hpp"
#include "trace/ctf_metadata.hpp"
#include "trace/process_folders.hpp"

extern char** environ;

namespace foretask::runtime {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string utc_time(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), format, &parts);
  return {text.data(), size};
}

trace::TraceId new_trace_id() {
  trace::TraceId id{};
  if (getrandom(id.data(), id.size(), 0) != static_cast<ssize_t>(id.size())) {
    // No entropy: the clock and the process tell two recordings apart well enough.
    const base::Ticks ticks = base::ticks_now();
    const auto pid = static_cast<std::uint64_t>(getpid());
    std::memcpy(id.data(), &ticks, 8);
    std::memcpy(id.data() + 8, &pid, 8);
  }
  id[6] = static_cast<std::uint8_t>((id[6] & 0x0fU) | 0x40U);  // RFC 4122, version 4
  id[8] = static_cast<std::uint8_t>((id[8] & 0x3fU) | 0x80U);
  return id;
}

// True if the folder is there, and was last changed before the launch.
bool is_of_earlier_launch(const std::string& folder, std::int64_t launch_ns) {
  // The launch is in CLOCK_MONOTONIC, which leaves out when the machine slept: the result is early rather than late. A
  // file system's clock is some ms slow.
  constexpr std::int64_t kSlowNs = 5'000'000;
  const std::int64_t start_ns = base::clock_ns(CLOCK_REALTIME) - (base::clock_ns(CLOCK_BOOTTIME) - launch_ns) - kSlowNs;
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 &&
         std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec < start_ns;
}

// A folder of our own, never one that was there before. Without a path: this process is not to be recorded.
Result<trace::ProcessFolder> make_folder(const base::Environment& environment) {
  if (!environment.out.empty()) {
    const auto place = base::read_process_rank();
    const std::string name = place ? base::rank_folder(environment.out, place->rank) : environment.out;
    // Without a launcher nobody knows which processes belong together. A launcher has seen that the folder was not
    // there, but outside of mpirun it does not know the ranks.
    if (environment.launch_ns != 0 && !(place && is_of_earlier_launch(name, environment.launch_ns)))
      return trace::make_process_folder(name, environment.processes);
    if (mkdir(name.c_str(), 0777) == 0) return trace::ProcessFolder{name, 1};
    return Error{"cannot create the folder (each process needs its own)", name, 0, errno};
  }
  const std::string stem = "foretask-" + file_name(base::link_target(base::own_proc_file("exe"))) + "-" +
                           utc_time("%Y%m%d_%H%M%S") + "-" + std::to_string(getpid());
  std::string name = stem;
  for (int attempt = 1; mkdir(name.c_str(), 0777) != 0; ++attempt) {
    if (errno != EEXIST || attempt > 100) return Error{"cannot create the folder", name, 0, errno};
    name = stem + "-" + std::to_string(attempt);
  }
  return trace::ProcessFolder{name, 1};
}

std::string processes_are(std::uint64_t number) {
  return number == 1 ? "1 process is" : std::to_string(number) + " processes are";
}

std::vector<std::string> command_line() {
  std::vector<std::string> arguments;
  const Result<std::string> content = base::read_file(base::own_proc_file("cmdline"), std::size_t{16} << 20);
  std::string_view rest = content ? std::string_view(*content) : std::string_view();
  while (!rest.empty()) arguments.emplace_back(base::take_part(rest, '\0'));
  return arguments;
}

std::vector<std::pair<std::string, std::string>> openmp_environment() {
  std::vector<std::pair<std::string, std::string>> found;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    if (text.rfind("OMP_", 0) == 0 || text.rfind("KMP_", 0) == 0 || text.rfind("GOMP_", 0) == 0)
      found.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

std::string absolute(const std::string& path) {
  std::string folder(PATH_MAX, '\0');
  if (path.empty() || path[0] == '/' || !getcwd(folder.data(), folder.size())) return path;
  return folder.c_str() + ("/" + path);
}

// The launcher may have started a script or an mpirun, which then started this program: it begins with itself.
std::int64_t launch_ns(const base::Environment& environment) {
  constexpr std::int64_t kDirectly = 30'000'000;  // the kernel's word is some 10 ms early at most
  const std::int64_t start = base::process_start_ns();
  return environment.launch_ns != 0 && start > environment.launch_ns + kDirectly ? start : environment.launch_ns;
}

runtime::TimesClock times_clock(const trace::RunFile& run) {
  runtime::TimesClock clock;
  const double ticks_per_ns = run.ticks_per_second * 1e-9;
  clock.ticks_per_ns = static_cast<std::uint64_t>(std::llround(std::ldexp(ticks_per_ns, runtime::TimesClock::kBits)));
  const std::int64_t before_ns = run.start.monotonic_ns - run.launch_ns;
  if (run.launch_ns != 0 && before_ns > 0) {
    const std::uint64_t before = clock.to_ticks(before_ns);
    clock.launch_ticks = before < run.start.ticks ? run.start.ticks - before : 0;
  }
  return clock;
}

// The hook does not where others follow the tasks as well.
bool tells_parts(const base::Environment& environment, const foretask_hook_options& options) {
  const bool follows = environment.mode.learns || environment.progress != base::ProgressMode::kOff;
  return !follows && options.size >= sizeof options && (options.flags & FORETASK_HOOK_TELLS_PARTS) != 0;
}

std::string reason_text(const runtime::Losses& losses) {
  const std::string system = losses.error_code == 0 ? "" : std::string(": ") + std::strerror(losses.error_code);
  switch (losses.reason) {
    case runtime::StopReason::kNoRoom:
      if (losses.error_code == ENOSPC) return "the disk is full";
      if (losses.error_code == EDQUOT) return "the user's disk quota is used up";
      if (losses.error_code == EFBIG) return "a file reached the size limit (ulimit -f)";
      return "a stream's file cannot grow" + system;
    case runtime::StopReason::kByteLimit:
      return "FORETASK_MAX_BYTES is reached";
    case runtime::StopReason::kCannotMap:
      return "a stream's file cannot be created or mapped" + system;
    case runtime::StopReason::kCutShort:
      return "a stream's file was cut short while it was written";
    default:
      return "";
  }
}

std::string counted(std::uint64_t number, const char* one) {
  return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
}

// The code given to exit(), as the parent sees it. -1: the process has not called it.
std::atomic<int> exit_code{-1};
// The recording under way.
std::atomic<const Recording*> unfinished{nullptr};

// Quick: before version 2.41 of the C library, exit() in another thread does not wait for this function, and may end
// the process meanwhile.
void note_exit_call(int code, void* /*unused*/) {
  exit_code.store(code & 0xff);
  if (const Recording* const recording = unfinished.load(); recording && base::is_own_process()) recording->mark_exit();
}

// Calls note_exit_call() at exit(). A function of on_exit() stays when its library is unloaded, so this one then stays
// loaded.
void watch_exit() {
  static const int registered = ::on_exit(note_exit_call, nullptr);
  Dl_info own{};
  if (registered == 0 && ::dladdr(&exit_code, &own) != 0)
    static_cast<void>(::dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
}

// Whether OpenMP's tasks may be discarded, or cut short.
bool may_cancel() {
  const char* const text = std::getenv("OMP_CANCELLATION");
  return text != nullptr && ::strcasecmp(text, "false") != 0;
}

}  // namespace

Recording::Recording(std::string folder, const trace::TraceId& uuid, std::uint64_t max_bytes)
    : session_(std::move(folder), uuid, max_bytes),
      uuid_(uuid),
      folder_is_(base::FileIdentity::of(session_.folder().c_str())),
      exit_mark_(session_.folder() + "/" + trace::kExitMark) {}

Recording::~Recording() {
  const Recording* self = this;
  unfinished.compare_exchange_strong(self, nullptr);
}

Result<std::unique_ptr<Recording>> Recording::start(const base::Environment& environment,
                                                    const foretask_hook_options& options) {
  const base::ClockPair start = base::read_clock_pair();
  watch_exit();
  const Result<trace::ProcessFolder> folder = make_folder(environment);
  if (!folder) return folder.error();
  if (folder->path.empty()) {
    if (folder->number == environment.processes + 1)
      base::say(processes_are(environment.processes) +
                " recorded, which is the most (--processes). Further ones are only counted");
    return std::unique_ptr<Recording>();
  }
  const trace::TraceId uuid = new_trace_id();
  // Absolute: the program may change its working directory.
  std::unique_ptr<Recording> recording(new Recording(absolute(folder->path), uuid, environment.max_bytes));
  recording->run_.start = start;
  recording->run_.trace_id = uuid;
  recording->run_.launch = {environment.launch_ns, folder->number, ::getppid(), environment.processes};
  recording->describe(environment, options);
  recording->run_.ticks_per_second = base::ticks_per_second(start, base::read_clock_pair());
  recording->run_.probe_costs =
      runtime::measure_probe_costs(recording->run_.ticks_per_second, environment.grain_ns != 0);
  recording->run_.probe_costs[FORETASK_EVENT_THREAD_TIMES] += runtime::ThreadTimes::measure_ns();
  recording->session_.set_times_clock(times_clock(recording->run_));
  recording->run_.grain_ns = environment.grain_ns;
  const double ticks_per_ns = recording->run_.ticks_per_second * 1e-9;
  if (environment.grain_ns != 0)
    recording->session_.set_grain(
        {.ticks = std::llround(environment.grain_ns * ticks_per_ns),
         .event_ticks = std::llround(recording->run_.probe_costs[FORETASK_EVENT_TASK_CREATE] * ticks_per_ns),
         .counts = !may_cancel(),
         .has_untied =
             tells_parts(environment, options) ||
             analysis::runtime_rules(recording->run_.runtime, recording->run_.runtime_version).ties_all_tasks});
  recording->open_counters(environment);
  const std::int64_t before = base::monotonic_ns();
  if (Result<void> written = recording->write_description(); !written) return written.error();
  recording->description_cost_ns_ = base::monotonic_ns() - before;
  recording->environment_ = environment;
  runtime::take_bus_errors();
  unfinished.store(recording.get());
  return recording;
}

void Recording::describe(const base::Environment& environment, const foretask_hook_options& options) {
  run_.state = "recording";
  run_.program = base::link_target(base::own_proc_file("exe"));
  run_.command = environment.command.empty() ? command_line() : environment.command;
  run_.folder = base::link_target("/proc/thread-self/cwd");
  run_.pid = getpid();
  run_.started = utc_time("%Y-%m-%dT%H:%M:%SZ");
  run_.runtime = options.runtime ? options.runtime : "";
  run_.runtime_version = options.runtime_version ? options.runtime_version : "";
  run_.version = foretask_version();
  run_.machine = runtime::read_machine();
  run_.core_limits.quota = base::core_quota();
  throttled_before_ns_ = base::throttled_ns();
  run_.clock_source = base::tsc_is_invariant() ? "tsc" : "monotonic";
  run_.launch_ns = launch_ns(environment);
  run_.modules = runtime::read_modules();
  find_runtime_costs();
  run_.params = environment.params;
  run_.environment = openmp_environment();
  run_.job = base::read_job_name();
  if (const auto place = base::read_process_rank(); place && place->ranks != 0) set_rank(place->rank, place->ranks);
}

void Recording::find_runtime_costs() {
  run_.runtime_costs = trace::stored_runtime_costs(run_.machine.fingerprint, run_.modules,
                                                   analysis::runtime_rules(run_.runtime, run_.runtime_version));
}

void Recording::adopt_runtime(const foretask_hook_options& options, bool replaces) {
  if ((run_.runtime != kNoRuntime && !replaces) || !options.runtime) return;
  run_.runtime = options.runtime;
  run_.runtime_version = options.runtime_version ? options.runtime_version : "";
  find_runtime_costs();
  if (const Result<void> written = write_description(); !written) base::warn(written.error().message());
}

void Recording::set_rank(std::uint32_t rank, std::uint32_t ranks) noexcept {
  run_.rank = rank;
  run_.ranks = ranks;
}

void Recording::start_sampling() noexcept {
  if (environment_.samples_code) sampler_.start(run_.ticks_per_second * 1e-9);
}

void Recording::open_counters(const base::Environment& environment) {
  const auto groups = runtime::parse_counter_groups(environment.counters);
  run_.counter_sampling = environment.counter_sampling;
  if (groups.empty()) return;
  auto source = runtime::open_counter_source(groups.front());
  run_.counters = source->statuses();
  for (std::size_t group = 1; group < groups.size(); ++group)
    for (const std::string& name : groups[group])
      run_.counters.push_back({name, trace::kCounterUnsupported,
                               "it is not in the first group: only foretask record runs a program once per group", 0});
  for (const trace::Counter& counter : run_.counters)
    if (counter.status != trace::kCounterOk)
      base::warn(counter.name + " is not counted (" + counter.status + "): " + counter.reason);
  std::array<std::uint64_t, FORETASK_MAX_COUNTERS> values{};
  if (const auto thread = source->open_thread())
    run_.probe_costs[FORETASK_EVENT_TASK_COUNTERS] +=
        median_ns([&] { static_cast<void>(thread->read(values.data())); });
  session_.set_counters(std::move(source), environment.counter_sampling);
}

Result<void> Recording::write_description() {
  if (base::FileIdentity::of(folder().c_str()) != folder_is_)
    return Error{"the folder is gone, or another is in its place", folder(), 0, 0};
  const std::string run_file = trace::to_json(run_, run_file_bytes_);
  if (run_file.size() != run_file_bytes_) {
    run_file_bytes_ = run_file.size();
    if (Result<void> written = base::write_file_atomically(folder() + "/metadata", metadata(run_file_bytes_)); !written)
      return written;
  }
  return base::write_file_atomically(folder() + "/run.json", run_file);
}

std::string Recording::metadata(std::size_t run_file_bytes) const {
  const double now = 1e-9 * static_cast<double>(base::clock_ns(CLOCK_REALTIME));
  const double zero = now - static_cast<double>(base::ticks_now()) / run_.ticks_per_second;
  trace::MetadataValues values;
  values.uuid = uuid_;
  values.ticks_per_second = static_cast<std::uint64_t>(std::llround(run_.ticks_per_second));
  values.offset_seconds = static_cast<std::int64_t>(std::floor(zero));
  values.offset_ticks = static_cast<std::uint64_t>((zero - std::floor(zero)) * run_.ticks_per_second);
  values.program = file_name(run_.program);
  values.host = run_.machine.host;
  values.run_file_bytes = run_file_bytes;
  return trace::ctf_metadata(values);
}

void Recording::mark_exit() const noexcept {
  if (base::FileIdentity::of(folder().c_str()) == folder_is_)
    static_cast<void>(::mknod(exit_mark_.c_str(), S_IFREG | 0666, 0));
}

bool Recording::set_exit(std::int64_t now_ns) noexcept {
  const int code = exit_code.load();
  if (code < 0 || run_.exit_ns != 0) return false;
  run_.exit_code = code;
  run_.exit_ns = now_ns;
  run_.cpu_ns = base::clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  return true;
}

void Recording::note_exit() {
  if (run_.state == "complete" && set_exit(base::monotonic_ns())) static_cast<void>(write_description());
}

// A runtime may have bound the first thread to one processor before it was asked what the process may use.
void Recording::note_affinities() {
  const std::vector<cpu_set_t> affinities = session_.affinities();
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const cpu_set_t& one : affinities) CPU_OR(&all, &all, &one);
  run_.machine.processors_usable =
      std::max(run_.machine.processors_usable, static_cast<std::uint32_t>(CPU_COUNT(&all)));
  run_.core_limits.threads_beyond_processors = base::threads_beyond_processors(affinities, run_.machine.processors);
}

void Recording::stop(runtime::WorkerStream* own) {
  run_.end = base::read_clock_pair();
  run_.core_limits.throttled_ns = std::max<std::int64_t>(0, base::throttled_ns() - throttled_before_ns_);
  note_affinities();
  session_.stop(own);
  runtime::give_back_bus_errors();
  run_.ticks_per_second = base::ticks_per_second(run_.start, run_.end);
  run_.modules = runtime::read_modules();
  run_.streams = session_.stream_count();
  run_.stream_bytes = session_.stream_bytes();
  const runtime::Losses losses = session_.losses();
  run_.dropped_events = losses.dropped_events;
  run_.streams_refused = losses.streams_refused;
  run_.threads_without_counters = session_.threads_without_counters();
  run_.code_sampling = sampler_.facts();
  run_.grain_ns = static_cast<std::uint64_t>(
      std::llround(static_cast<double>(session_.grain_ticks()) / run_.ticks_per_second * 1e9));
  run_.loss_reason = reason_text(losses);
  run_.cpu_ns = base::clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  run_.state = "complete";
  // The last write cannot say how long itself takes: as long as the first.
  run_.tool_end_ns = base::monotonic_ns() - run_.end.monotonic_ns + description_cost_ns_;
  static_cast<void>(set_exit(run_.end.monotonic_ns + run_.tool_end_ns));
  const Result<void> written = write_description();
  unfinished.store(nullptr);
  if (exit_code.load() >= 0 && written) static_cast<void>(::unlink(exit_mark_.c_str()));
  if (losses.dropped_events != 0 || losses.streams_refused != 0)
    base::warn((run_.loss_reason.empty() ? "a loss" : run_.loss_reason) + ": " +
               counted(losses.dropped_events, "event") + " and " + counted(losses.streams_refused, "thread") +
               " are not in the recording");
  if (!written) return base::warn("the recording's end cannot be written: " + written.error().message());
  if (!environment_.announces) return;
  base::say("recorded into " + folder());
  say_processes(environment_);
}

bool has_recording(const base::Environment& environment) {
  namespace fs = std::filesystem;
  const fs::path out = environment.out;
  std::error_code error;
  if (out.empty() || fs::exists(out, error)) return true;
  const fs::path parent = out.has_parent_path() ? out.parent_path() : fs::path(".");
  // Each process of an MPI program has a folder of its own.
  const std::string rank = out.filename().string() + ".rank";
  for (fs::directory_iterator at(parent, error); !error && at != fs::directory_iterator(); at.increment(error))
    if (at->path().filename().string().starts_with(rank)) return true;
  return false;
}

void say_processes(const base::Environment& environment) {
  if (!environment.announces || !environment.is_launched || environment.out.empty()) return;
  const trace::ProcessCounts counts = trace::count_processes(environment.out);
  if (counts.recorded < 2 && counts.left_out == 0) return;
  std::string left_out;
  if (counts.left_out != 0)
    left_out = ", and " + std::to_string(counts.left_out) + " more not (--processes " +
               std::to_string(environment.processes) + ")";
  base::say(processes_are(counts.recorded) + " recorded" + left_out + ". They share one report: foretask report " +
            environment.out);
}

}  // namespace foretask::runtime
