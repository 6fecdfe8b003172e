// SPDX-License-Identifier: Apache-2.0
#include "predict/program/kernel_works.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"

namespace foretask::predict {
namespace {

using analysis::ProgramKernel;
using analysis::ProgramRun;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

// One run each n and p, of kernels whose work is given; the run's is their sum and `beside`.
template <typename Kernels>
std::vector<ProgramRun> runs_of(const std::vector<double>& workers, Kernels kernels, double beside = 0) {
  std::vector<ProgramRun> runs;
  for (const double n : {64, 128, 256, 512, 1024, 2048})
    for (const double p : workers) {
      ProgramRun run;
      run.n = n;
      run.p = p;
      run.kernels = kernels(n, p);
      run.work = beside * n;
      for (const ProgramKernel& kernel : run.kernels) run.work += kernel.work;
      std::sort(run.kernels.begin(), run.kernels.end(), [](const auto& a, const auto& b) { return a.work > b.work; });
      runs.push_back(run);
    }
  return runs;
}

ProgramKernel kernel(const char* name, double work) { return {.name = name, .tasks = 0, .work = work}; }

using Kernels = std::vector<ProgramKernel>;

TEST_CASE("without kernels, or with one alone, there are no laws of kernels") {
  CHECK_FALSE(KernelWorks::find({}));
  CHECK_FALSE(KernelWorks::find(runs_of(
      {1, 2}, [](double, double) { return Kernels{}; }, 5)));
  const auto one = [](double n, double) { return Kernels{kernel("a", 10 * n)}; };
  CHECK_FALSE(KernelWorks::find(runs_of({1, 2}, one)));
  // A tenth of the work is of no kernel that has a name.
  const auto beside = KernelWorks::find(runs_of({1, 2}, one, 1));
  REQUIRE(beside);
  CHECK_THAT(beside->formula(), StartsWith("a: ") && ContainsSubstring("; the rest: "));
  CHECK(beside->serial(4096).value == Approx(11 * 4096).epsilon(0.01));
}

TEST_CASE("kernels that grow by different laws go on by theirs, and add up") {
  const auto works = KernelWorks::find(runs_of({1, 2}, [](double n, double p) {
    return Kernels{kernel("line", 100 * n), kernel("square", n * n * (p == 2 ? 1.1 : 1))};
  }));
  REQUIRE(works);
  CHECK_THAT(works->formula(),
             StartsWith("square: ") && ContainsSubstring("; line: ") && !ContainsSubstring("the rest"));
  const double n = 16384;
  CHECK(works->serial(n).value == Approx(100 * n + n * n).epsilon(0.01));
  CHECK(works->at(n, 1).value == Approx(100 * n + n * n).epsilon(0.01));
  CHECK(works->at(n, 2).value == Approx(100 * n + 1.1 * n * n).epsilon(0.01));
  // Small inputs are the line's.
  CHECK(works->at(16, 2).value == Approx(1600 + 281.6).epsilon(0.01));
}

TEST_CASE("kernels of less than 2 % are one together") {
  // Of 100 n: 1 % each, and 1.9 % and 2.1 %.
  const auto works = KernelWorks::find(runs_of({1}, [](double n, double) {
    return Kernels{kernel("large", 94 * n), kernel("b", n), kernel("c", n), kernel("under", 1.9 * n),
                   kernel("over", 2.1 * n)};
  }));
  REQUIRE(works);
  const std::string formula = works->formula();
  CHECK_THAT(formula, StartsWith("large: ") && ContainsSubstring("; over: ") && ContainsSubstring("; the rest: "));
  CHECK_THAT(formula, !ContainsSubstring("b: ") && !ContainsSubstring("c: ") && !ContainsSubstring("under: "));
  CHECK(works->serial(8192).value == Approx(100 * 8192).epsilon(0.01));
}

TEST_CASE("a kernel that one run has not is of the rest") {
  auto runs = runs_of({1, 2}, [](double n, double) {
    return Kernels{kernel("a", 5 * n), kernel("sometimes", 3 * n), kernel("b", 2 * n)};
  });
  // In one run its work was another kernel's that is not named either.
  for (ProgramKernel& one : runs[3].kernels)
    if (one.name == "sometimes") one.name = "instead";
  const auto works = KernelWorks::find(runs);
  REQUIRE(works);
  CHECK_THAT(works->formula(), StartsWith("a: ") && ContainsSubstring("; b: ") && ContainsSubstring("; the rest: "));
  CHECK_THAT(works->formula(), !ContainsSubstring("sometimes") && !ContainsSubstring("instead"));
  CHECK(works->at(4096, 2).value == Approx(10 * 4096).epsilon(0.01));
}

TEST_CASE("runs of which some leave nothing for the rest have a kernel less") {
  // The smallest two inputs have no work beside a's, b's and c's, the others 5 % of it.
  auto runs = runs_of({1}, [](double n, double) {
    return Kernels{kernel("a", 6 * n), kernel("b", 3 * n), kernel("c", n)};
  });
  for (ProgramRun& run : runs)
    if (run.n > 128) run.work *= 1.05;
  const auto works = KernelWorks::find(runs);
  REQUIRE(works);
  CHECK_THAT(works->formula(), StartsWith("a: ") && ContainsSubstring("; b: ") && ContainsSubstring("; the rest: ") &&
                                   !ContainsSubstring("c: "));
  CHECK(works->serial(2048).value == Approx(10.5 * 2048).epsilon(0.02));
}

TEST_CASE("of runs of one size and workers the median counts") {
  auto runs = runs_of({1, 1, 1}, [](double n, double) { return Kernels{kernel("a", 4 * n), kernel("b", n * n)}; });
  // The last of each three was disturbed.
  for (std::size_t i = 2; i < runs.size(); i += 3) {
    for (ProgramKernel& one : runs[i].kernels) one.work *= 9;
    runs[i].work *= 9;
  }
  const auto works = KernelWorks::find(runs);
  REQUIRE(works);
  CHECK(works->serial(8192).value == Approx(4 * 8192.0 + 8192.0 * 8192.0).epsilon(0.01));
}

TEST_CASE("a kernel of which half was counted to wait for memory keeps that factor, whatever workers were seen") {
  const MemorySlowdown memory{{10e9, 10e9}};
  // Of n us on one worker half are 10 bytes a ns; on p they take p times as long. The other kernel needs no memory.
  const auto kernels = [](double n, double p) {
    ProgramKernel streams = kernel("streams", 1000 * n * (0.5 + 0.5 * p));
    streams.memory_bytes = 5000 * n;
    ProgramKernel counts = kernel("counts", 1000 * n);
    counts.memory_bytes = 0;
    return Kernels{streams, counts};
  };
  for (const std::vector<double>& workers : {std::vector<double>{1}, {1, 2}, {1, 2, 4, 8}}) {
    INFO(workers.size());
    const auto works = KernelWorks::find(runs_of(workers, kernels), &memory);
    REQUIRE(works);
    CHECK(works->has_counted_memory());
    CHECK(works->serial(4096).value == Approx(2000 * 4096.0).epsilon(0.01));
    // 0.5 + 0.5 x 64 and 1.
    CHECK(works->at(4096, 64).value == Approx(33.5 * 1000 * 4096).epsilon(0.02));
  }
}

}  // namespace
}  // namespace foretask::predict
