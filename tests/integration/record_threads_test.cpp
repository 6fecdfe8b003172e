// SPDX-License-Identifier: Apache-2.0
// Programs with very few threads at once: none of foretask's own beside one, and no stream for each of thousands.
#include <filesystem>

#include "integration/recorded.hpp"

using namespace record_test;

namespace {

std::size_t streams_of(const Recorded& recorded) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(recorded.folder))
    count += entry.path().filename().string().starts_with("stream_") ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a recorded program with one thread stays one for the C library and the system") {
  for_each_runtime({1}, [](const Settings& settings) {
    const Scratch scratch;
    // More than 2 s: the program's own thread then reads its samples.
    const Recorded recorded = record(scratch, "one_thread", {"2500"}, settings);
    CHECK(recorded.outcome.out == "1 1 1\n");
    CHECK(recorded["tasks"] == 2501);
    const json& sampling = recorded.report.at("function_sampling");
    if (sampling.at("period_ns") != 0) {
      // One in 4 ms; most of the 2.5 s are spent in the system, where none is taken.
      CHECK(sampling.at("samples").get<std::int64_t>() > 20);
      CHECK(sampling.at("lost") == 0);
    }
  });
}

TEST_CASE("threads that come one after the other share a stream, and each has its tasks") {
  const auto is_libgomp = [](const Runtime& runtime) { return runtime.is_libgomp(); };
  const auto check = [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "helpers", {"300", "2"}, settings);
    CHECK(recorded.outcome.out == "602\n");
    CHECK(recorded["tasks"] == 602);
    CHECK(recorded["workers"] == 1);
    // The first thread's, the samples', and one for the others; another where the system had not done with a thread.
    CHECK(streams_of(recorded) <= 10);
  };
  for_each_runtime({1}, check, is_libgomp);
}
