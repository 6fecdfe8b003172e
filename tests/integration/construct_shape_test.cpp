// SPDX-License-Identifier: Apache-2.0
// Graphs of known shape, of tasks that spin for a given time: work and span as the program's own clock has them.
#include "integration/recorded.hpp"

using namespace record_test;

namespace {

// Of kernels whose names end so.
std::int64_t work_of(const Recorded& recorded, const std::string& ending) {
  std::int64_t work = 0;
  for (const json& kernel : recorded.report.at("kernels")) {
    const std::string name = kernel.at("name").get<std::string>();
    if (name.size() >= ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
      work += kernel.at("work_ns").get<std::int64_t>();
  }
  return work;
}

void check_shape(const std::string& shape, const Settings& settings) {
  INFO(shape);
  const Scratch scratch;
  const Recorded recorded = record(scratch, "shapes", {shape}, settings);
  const std::vector<std::int64_t> printed = numbers(recorded.outcome.out);
  REQUIRE(printed.size() == 3);
  const std::int64_t spun_in_serial = printed[2];
  const auto work = static_cast<double>(printed[0] - spun_in_serial);
  const auto span = static_cast<double>(printed[1] - spun_in_serial);
  // The program cannot see its own start and end, which are serial work, nor what its threads do between tasks.
  const std::int64_t serial = work_of(recorded, "(serial part)");
  const std::int64_t region = work_of(recorded, "[parallel]");
  CHECK(serial >= spun_in_serial);
  CHECK(static_cast<double>(recorded["work_ns"] - serial - region) == Approx(work).epsilon(0.1));
  const auto span_found = static_cast<double>(recorded["span_ns"] - serial);
  CHECK(span_found >= 0.99 * span);
  CHECK(span_found <= 1.1 * span + static_cast<double>(region));
}

}  // namespace

TEST_CASE("work and span are those of the shape") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    for (const std::string shape : {"flat", "chain", "fork", "phase", "serial"}) check_shape(shape, settings);
  });
}
