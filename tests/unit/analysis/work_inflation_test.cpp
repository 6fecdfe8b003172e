// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/work_inflation.hpp"

#include "catch.hpp"

using namespace foretask::analysis;

namespace {

Report report_of(std::uint32_t workers, std::vector<std::pair<std::string, std::int64_t>> work) {
  Report report;
  report.workers = workers;
  for (const auto& [name, ns] : work) {
    KernelSummary kernel;
    kernel.name = name;
    kernel.code = name == "(serial part)" ? "" : name;
    kernel.work_ns = ns;
    report.kernels.push_back(kernel);
    report.work_ns += ns;
  }
  return report;
}

using Speedups = std::vector<std::pair<std::uint32_t, double>>;

}  // namespace

TEST_CASE("a kernel's work lies between that of two recordings, over the logarithm of the workers") {
  const Report one = report_of(1, {{"stream", 100}, {"spin", 100}});
  const Report four = report_of(4, {{"stream", 180}, {"spin", 101}});
  const WorkInflation inflation(one, {&four}, {"spin", "stream"});
  CHECK(inflation.workers() == std::vector<std::uint32_t>{1, 4});
  CHECK(inflation.speedups_on(1).empty());
  // 2 is halfway from 1 to 4: 1.4 times the work.
  const Speedups on_two = inflation.speedups_on(2);
  REQUIRE(on_two.size() == 1);
  CHECK(on_two.front().first == 1);
  CHECK(on_two.front().second == Approx(1 / 1.4));
  CHECK(inflation.speedups_on(4).front().second == Approx(1 / 1.8));
  // Outside of them the nearest holds.
  CHECK(inflation.speedups_on(64).front().second == Approx(1 / 1.8));
}

TEST_CASE("the kernel whose work differs most comes first") {
  const Report one = report_of(1, {{"a", 100}, {"b", 1000}});
  const Report two = report_of(2, {{"a", 190}, {"b", 1200}});
  const auto table = WorkInflation(one, {&two}, {"a", "b"}).table();
  REQUIRE(table.size() == 4);
  CHECK(table[1].kernel == "b");
  CHECK(table[1].workers == 2);
  CHECK(table[1].factor == Approx(1.2));
}

TEST_CASE("of a recording on more workers the work on fewer becomes less") {
  const Report two = report_of(2, {{"stream", 150}});
  const Report one = report_of(1, {{"stream", 100}});
  const WorkInflation inflation(two, {&one}, {"stream"});
  CHECK(inflation.speedups_on(1).front().second == Approx(1.5));
  CHECK(inflation.speedups_on(2).empty());
}

TEST_CASE("several recordings on as many workers count as their mean, those on the replayed one's not at all") {
  const Report one = report_of(1, {{"k", 100}});
  const Report again = report_of(1, {{"k", 300}});
  const Report two = report_of(2, {{"k", 140}});
  const Report slower = report_of(2, {{"k", 180}});
  CHECK(WorkInflation(one, {&again}, {"k"}).empty());
  CHECK(WorkInflation(one, {&again, &two, &slower}, {"k"}).speedups_on(2).front().second == Approx(1 / 1.6));
}

TEST_CASE("a recording of another number of tasks does not count") {
  Report one = report_of(1, {{"k", 100}});
  Report two = report_of(2, {{"k", 180}});
  one.create_task = 1000;
  two.create_task = 1005;
  CHECK_FALSE(WorkInflation(one, {&two}, {"k"}).empty());
  two.create_task = 1100;
  CHECK(WorkInflation(one, {&two}, {"k"}).empty());
}

TEST_CASE("differences of less than a twentieth, small kernels and missing ones are no inflation") {
  const Report one = report_of(1, {{"same", 100'000}, {"small", 90}, {"missing", 50'000}});
  const Report two = report_of(2, {{"same", 104'000}, {"small", 900}, {"else", 50'000}});
  CHECK(WorkInflation(one, {&two}, {"same", "small", "missing"}).empty());
  CHECK(WorkInflation().empty());
  const Report serial = report_of(1, {{"(serial part)", 100}});
  const Report slower = report_of(2, {{"(serial part)", 200}});
  CHECK(WorkInflation(serial, {&slower}, {"(serial part)"}).empty());
  CHECK(WorkInflation(one, {}, {"same"}).empty());
}
