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

// Times in ns; `spun`: as the program's clock has them.
struct Shape {
  double serial, spun_in_serial;
  double region;
  double work, spun_work;
  double span, spun_span;
};

void check_shape(const std::string& shape, const Settings& settings) {
  INFO(shape);
  const auto shape_of = [](const Recorded& run) {
    const std::vector<std::int64_t> printed = numbers(run.outcome.out);
    REQUIRE(printed.size() == 3);
    const auto spun_in_serial = static_cast<double>(printed[2]);
    // The program cannot see its own start and end, which are serial work, nor what its threads do between tasks.
    const auto serial = static_cast<double>(work_of(run, "(serial part)"));
    const auto region = static_cast<double>(work_of(run, "[parallel]"));
    return Shape{.serial = serial,
                 .spun_in_serial = spun_in_serial,
                 .region = region,
                 .work = static_cast<double>(run["work_ns"]) - serial - region,
                 .spun_work = static_cast<double>(printed[0]) - spun_in_serial,
                 .span = static_cast<double>(run["span_ns"]) - serial,
                 .spun_span = static_cast<double>(printed[1]) - spun_in_serial};
  };
  const auto error = [&](const Recorded& run) {
    const Shape found = shape_of(run);
    return std::max(time_error(found.work, found.spun_work), (found.span - found.region) / found.spun_span - 1);
  };
  const Recorded recorded = nearest_run([&] { return record(Scratch(), "shapes", {shape}, settings); }, error);
  const Shape found = shape_of(recorded);
  CHECK(error(recorded) <= 0.1);
  CHECK(found.serial >= found.spun_in_serial);
  CHECK(found.span >= 0.99 * found.spun_span);
}

}  // namespace

TEST_CASE("work and span are those of the shape") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    for (const std::string shape : {"flat", "chain", "fork", "phase", "serial"}) check_shape(shape, settings);
  });
}
