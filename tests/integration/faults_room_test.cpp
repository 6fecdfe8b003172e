// SPDX-License-Identifier: Apache-2.0
// No room for the recording: the program goes on unharmed, what was lost is counted, and every reader is told.
#include "integration/own_runtimes.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

// The program made 100,000 tasks, of which the beginning was recorded. babeltrace2 reads the same loss, or less: a
// stream may have no event that shows it.
void check_loss(const json& report, const std::string& folder, const std::string& reason) {
  INFO(report.at("warnings").dump());
  CHECK(report.at("dropped_events").get<std::int64_t>() > 0);
  CHECK(report.at("create_task").get<std::int64_t>() > 0);
  CHECK(report.at("create_task").get<std::int64_t>() < 100001);
  CHECK(report.at("identity_error").get<double>() <= 1e-6);
  CHECK_THAT(report.at("warnings").dump(), ContainsSubstring("events were dropped") && ContainsSubstring(reason));
  if (!has_referee()) return;
  const EventCounts events = read_by_referee(folder);
  CHECK(static_cast<std::int64_t>(events.creations()) == report.at("create_task").get<std::int64_t>());
  CHECK(events.discarded > 0);
  CHECK(events.discarded <= report.at("dropped_events").get<std::int64_t>());
  if (report.at("workers") == 1) CHECK(events.discarded == report.at("dropped_events").get<std::int64_t>());
}

}  // namespace

TEST_CASE("the limit of FORETASK_MAX_BYTES is kept, and what it costs is said") {
  for (const int threads : {1, 2}) {
    const Scratch scratch;
    Settings settings;
    settings.threads = threads;
    settings.environment = "FORETASK_MAX_BYTES=400k";
    const Outcome outcome = run_recorder(scratch, "ends", {"return", "100000"}, settings);
    CHECK(outcome.exit_code == 7);
    CHECK(outcome.out == "100000 done\n");
    CHECK_THAT(outcome.err, ContainsSubstring("FORETASK_MAX_BYTES is reached"));
    check_loss(report_of(scratch, scratch / "run"), scratch / "run", "FORETASK_MAX_BYTES is reached");
    std::uintmax_t bytes = 0;
    for (const auto& entry : cli_test::fs::directory_iterator(scratch / "run"))
      if (entry.path().filename().string().rfind("stream_", 0) == 0) bytes += entry.file_size();
    CHECK(bytes <= 400 * 1024);
  }
}

TEST_CASE("a limit too small for a single stream leaves the program alone") {
  const Scratch scratch;
  Settings settings;
  settings.environment = "FORETASK_MAX_BYTES=1k";
  const Outcome outcome = run_recorder(scratch, "ends", {"return", "1000"}, settings);
  CHECK(outcome.exit_code == 7);
  CHECK(outcome.out == "1000 done\n");
  CHECK_THAT(outcome.err, ContainsSubstring("FORETASK_MAX_BYTES is reached"));
  const Outcome report = cli_test::foretask(scratch, {"report", "run"});
  CHECK(report.exit_code == 1);
  CHECK_THAT(report.err, ContainsSubstring("nothing was recorded"));
}

TEST_CASE("a full disk costs the recording, not the program") {
  for_each_own_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    REQUIRE(cli_test::fs::create_directory(scratch / "small"));
    const std::string record = quoted(cli_test::kForetask) + " record --out small/run -- " +
                               quoted(own_program("ends", settings)) + " return 100000; echo $? >code; ";
    const std::string script = "export OMP_NUM_THREADS=2; mount -t tmpfs -o size=1m none small || exit 99; " + record +
                               quoted(cli_test::kForetask) +
                               " report --json small/run >report.json; cp -r small/run kept";
    const Outcome outcome = run(scratch, {"unshare", "-m", "sh", "-c", script});
    if (outcome.exit_code == 99 || outcome.err.find("unshare") == 0)
      FORETASK_SKIP("no file system can be mounted here");
    CHECK(contents(scratch / "code") == "7\n");
    CHECK(outcome.out == "100000 done\n");
    CHECK_THAT(outcome.err, ContainsSubstring("the disk is full"));
    check_loss(json::parse(contents(scratch / "report.json")), scratch / "kept", "the disk is full");
  });
}

TEST_CASE("a disk that is full from the start costs the recording, not the program") {
  const Scratch scratch;
  REQUIRE(cli_test::fs::create_directory(scratch / "small"));
  const std::string script =
      "export OMP_NUM_THREADS=2; mount -t tmpfs -o size=1m none small || exit 99; "
      "dd if=/dev/zero of=small/fill bs=4096 2>dd.err; " +
      quoted(cli_test::kForetask) + " record --out small/run -- " + quoted(program("ends")) +
      " return 1000; echo $? >code";
  const Outcome outcome = run(scratch, {"unshare", "-m", "sh", "-c", script});
  if (outcome.exit_code == 99 || outcome.err.find("unshare") == 0) FORETASK_SKIP("no file system can be mounted here");
  CHECK(contents(scratch / "code") == "7\n");
  CHECK(outcome.out == "1000 done\n");
  CHECK_THAT(outcome.err, ContainsSubstring("No space left on device"));
}

TEST_CASE("a limit on the size of files costs the recording, not the program") {
  const Scratch scratch;
  Settings settings;
  // In 512 bytes. Room for two packets: babeltrace2 counts what was lost between two.
  settings.environment = "X=; ulimit -f 800";
  const Outcome outcome = run_recorder(scratch, "ends", {"return", "100000"}, settings);
  INFO(outcome.err);
  CHECK(outcome.exit_code == 7);
  CHECK(outcome.out == "100000 done\n");
  check_loss(report_of(scratch, scratch / "run"), scratch / "run", "ulimit -f");
}

TEST_CASE("a limit on open files costs the recording's streams, not the program") {
  const Scratch scratch;
  Settings settings;
  settings.threads = 100;
  settings.environment = "X=; ulimit -n 20";
  const Recorded recorded = record(scratch, "team", {"5"}, settings);
  CHECK(recorded.outcome.out == "100 500\n");
  CHECK(recorded["create_task"] == 500);
}
