// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/recording.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "catch.hpp"
#include "trace/trace_folder.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/trace/events_of.hpp"

namespace runtime = foretask::runtime;
namespace base = foretask::base;
using foretask::test::content_of;
using foretask::test::TempFolder;

namespace {

foretask_hook_options options() {
  foretask_hook_options result{};
  result.size = sizeof result;
  result.version = FORETASK_HOOK_VERSION;
  result.runtime = "a runtime";
  result.runtime_version = "its version";
  return result;
}

base::Environment environment_for(const std::string& out) {
  base::Environment environment;
  environment.mode.records = true;
  environment.out = out;
  return environment;
}

class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::string& path) { std::filesystem::current_path(path); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;
  ~WorkingDirectory() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

}  // namespace

TEST_CASE("a recording is readable from its first moment, and complete at its end") {
  const TempFolder folder;
  base::Environment environment = environment_for(folder / "run");
  environment.params = {{"n", "512"}};
  environment.launch_ns = base::monotonic_ns() - 1;
  environment.counters = "instructions,,cache misses";
  ::setenv("OMP_UNIT_TEST", "as it was", 1);
  auto recording = runtime::Recording::start(environment, options());
  ::unsetenv("OMP_UNIT_TEST");
  REQUIRE(recording.ok());
  auto running = foretask::trace::open_trace_folder(folder / "run");
  REQUIRE(running.ok());
  CHECK(running->run.state == "recording");
  const std::string metadata = content_of(folder / "run/metadata");

  auto* stream = (*recording)->session().open_stream();
  foretask_record_0_(stream->view(), FORETASK_EVENT_TASK_END);
  (*recording)->stop(stream);
  auto ended = foretask::trace::open_trace_folder(folder / "run");
  REQUIRE(ended.ok());
  CHECK(ended->warnings.empty());
  const auto& run = ended->run;
  CHECK(run.state == "complete");
  CHECK(std::filesystem::equivalent(run.program, "/proc/self/exe"));
  CHECK_FALSE(run.command.empty());
  CHECK(run.folder == std::filesystem::current_path());
  CHECK(run.pid == ::getpid());
  CHECK(run.runtime == "a runtime");
  CHECK(run.runtime_version == "its version");
  CHECK(run.version == foretask_version());
  CHECK(run.params == environment.params);
  CHECK(run.launch_ns == environment.launch_ns);
  CHECK(run.streams == 1);
  CHECK(run.stream_bytes == std::vector<std::uint64_t>{std::filesystem::file_size(folder / "run/stream_0")});
  CHECK(run.trace_id == running->run.trace_id);
  CHECK(run.trace_id != foretask::trace::TraceId{});
  REQUIRE(run.counters.size() == 2);
  CHECK(run.counters[1].name == "cache misses");
  // No PAPI has it, and a build without PAPI says so.
  CHECK((run.counters[1].status == "unavailable" || run.counters[1].status == "unsupported"));
  CHECK_FALSE(run.counters[1].reason.empty());
  CHECK(run.environment == std::vector<std::pair<std::string, std::string>>{{"OMP_UNIT_TEST", "as it was"}});
  CHECK(run.modules.size() > 1);
  CHECK(run.end.monotonic_ns > run.start.monotonic_ns);
  const double ns = static_cast<double>(run.end.ticks - run.start.ticks) / run.ticks_per_second * 1e9;
  CHECK(ns == Approx(static_cast<double>(run.end.monotonic_ns - run.start.monotonic_ns)).epsilon(1e-6));
  CHECK(foretask::test::events_of(ended->streams.at(0)).size() == 1);
  // The metadata names the description's size: the last version keeps it.
  CHECK(std::filesystem::file_size(folder / "run/run.json") == content_of(folder / "run/run.json").size());
  CHECK(content_of(folder / "run/metadata") == metadata);
}

TEST_CASE("an existing folder is never written into") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "there");
  const auto recording = runtime::Recording::start(environment_for(folder / "there"), options());
  REQUIRE_FALSE(recording.ok());
  CHECK(recording.error().code == EEXIST);
  CHECK(recording.error().message().find(folder / "there") != std::string::npos);
  CHECK(std::filesystem::is_empty(folder / "there"));
  CHECK_FALSE(runtime::Recording::start(environment_for(folder / "no/such/parent"), options()).ok());
}

TEST_CASE("without a name the folder is named by program, time and process, and again by a number") {
  const TempFolder folder;
  const WorkingDirectory here(folder.path());
  const auto first = runtime::Recording::start(environment_for(""), options());
  const auto second = runtime::Recording::start(environment_for(""), options());
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  const std::string exe = std::filesystem::read_symlink("/proc/self/exe").filename();
  const std::string pid = std::to_string(::getpid());
  std::vector<std::string> names = foretask::test::names_in(folder.path());
  REQUIRE(names.size() == 2);
  for (const std::string& name : names) {
    CAPTURE(name);
    // foretask-<exe>-<YYYYMMDD_HHMMSS>-<pid>
    CHECK(name.rfind("foretask-" + exe + "-", 0) == 0);
    const std::string time = name.substr(("foretask-" + exe + "-").size(), 15);
    CHECK(time[8] == '_');
    CHECK((time.substr(0, 8) + time.substr(9)).find_first_not_of("0123456789") == std::string::npos);
    CHECK(name.find("-" + pid) != std::string::npos);
  }
}

TEST_CASE("a relative folder stays where it is when the program changes its directory") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "elsewhere");
  const WorkingDirectory here(folder.path());
  auto recording = runtime::Recording::start(environment_for("run"), options());
  REQUIRE(recording.ok());
  std::filesystem::current_path(folder / "elsewhere");
  auto* stream = (*recording)->session().open_stream();
  REQUIRE(stream);
  (*recording)->stop(stream);
  CHECK(std::filesystem::exists(folder / "run/stream_0"));
  CHECK(foretask::trace::read_run_file(folder / "run/run.json").value().state == "complete");
  CHECK(std::filesystem::is_empty(folder / "elsewhere"));
}

TEST_CASE("what was lost is written down with its reason") {
  const TempFolder folder;
  base::Environment environment = environment_for(folder / "run");
  environment.max_bytes = 70'000;
  auto recording = runtime::Recording::start(environment, options());
  REQUIRE(recording.ok());
  auto* stream = (*recording)->session().open_stream();
  for (int i = 0; i < 20'000; ++i) foretask_record_0_(stream->view(), FORETASK_EVENT_TASK_END);
  CHECK((*recording)->session().open_stream(::gettid()) == nullptr);
  (*recording)->stop(stream);
  const auto run = foretask::trace::read_run_file(folder / "run/run.json").value();
  CHECK(run.dropped_events == 20'000 - (65'536 - 88 - 288) / 4);
  CHECK(run.streams_refused == 1);
  CHECK(run.loss_reason.find("FORETASK_MAX_BYTES") != std::string::npos);
}

TEST_CASE("what a script or an mpirun took before it started the program is no time of the program's") {
  const TempFolder folder;
  base::Environment environment = environment_for(folder / "run");
  environment.launch_ns = 42;  // ns after the machine's start
  auto recording = runtime::Recording::start(environment, options());
  REQUIRE(recording.ok());
  auto running = foretask::trace::open_trace_folder(folder / "run");
  REQUIRE(running.ok());
  CHECK(running->run.launch_ns > 42);
  CHECK(running->run.launch_ns < base::monotonic_ns());
}
