// SPDX-License-Identifier: Apache-2.0
// A parallel loop whose iterations sleep for uneven times, so that a run with more threads than the machine has cores
// is still a true one; or keep their core busy for as long. A load for schedule_accuracy and loop_accuracy. Prints the
// loop's time in seconds. Those of the shape "small" compute for some 60 ns each, less than it takes to hand one out.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "sleep.hpp"

namespace {

constexpr std::uint64_t kSeed = 7;

// In the mean, iterations of each shape take about as long.
double cost_ms(const std::string& shape, int i, int iterations) {
  const double place = (i + 0.5) / iterations;
  const auto index = static_cast<std::uint64_t>(i);
  if (shape == "even") return 10;
  if (shape == "triangular") return 1 + 18 * place;
  if (shape == "reverse") return 1 + 18 * (1 - place);
  if (shape == "lognormal") return 1 + 5.5 * std::exp(examples::random_normal(kSeed, index));
  if (shape == "bimodal") return examples::random_unit(kSeed, index) < 0.1 ? 55 : 5;
  if (shape == "small") return 0;
  if (shape == "block") return place >= 0.4 && place < 0.5 ? 55 : 5;
  return -1;
}

// A thread's own time: where the system runs something else meanwhile, the iteration is not done.
void spin(std::int64_t ns) {
  const auto now_ns = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  };
  for (const std::int64_t until_ns = now_ns() + ns; now_ns() < until_ns;) {
  }
}

void compute_briefly() {
  for (int i = 0; i < 100; ++i) asm volatile("");
}

// False: there is no such schedule. Compilers do static loops without the runtime's help where the clause is in the
// text.
template <typename Body>
bool run_loop(const std::string& schedule, int iterations, Body body) {
  if (schedule == "runtime") {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < iterations; ++i) body(i);
  } else if (schedule == "static") {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < iterations; ++i) body(i);
  } else if (schedule == "static,4") {
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < iterations; ++i) body(i);
  } else if (schedule == "dynamic,4") {
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < iterations; ++i) body(i);
  } else if (schedule == "guided") {
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < iterations; ++i) body(i);
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string shape = argc > 1 ? argv[1] : "";
  const int iterations = argc > 2 ? std::atoi(argv[2]) : 256;
  const std::string schedule = argc > 3 ? argv[3] : "runtime";
  const bool spins = argc > 4 && std::string(argv[4]) == "spin";
  if (iterations < 1 || cost_ms(shape, 0, 1) < 0 || !run_loop(schedule, 0, [](int) {})) {
    std::fprintf(stderr,
                 "usage: uneven_loops even|triangular|reverse|lognormal|bimodal|block|small [ITERATIONS "
                 "[runtime|static|static,4|dynamic,4|guided [spin]]]\n");
    return 2;
  }
  std::vector<std::int64_t> cost_ns;
  for (int i = 0; i < iterations; ++i) cost_ns.push_back(std::llround(1e6 * cost_ms(shape, i, iterations)));
  examples::wake_on_time();
#pragma omp parallel  // the threads are started before the clock is
  {}
  const std::int64_t start_ns = examples::now_ns();
  const auto body = [&](int i) {
    const std::int64_t ns = cost_ns[static_cast<std::size_t>(i)];
    spins ? spin(ns) : examples::sleep_until(examples::now_ns() + ns);
  };
  if (shape == "small") {
    static_cast<void>(run_loop(schedule, iterations, [](int) { compute_briefly(); }));
  } else {
    static_cast<void>(run_loop(schedule, iterations, body));
  }
  std::printf("%.6f\n", 1e-9 * static_cast<double>(examples::now_ns() - start_ns));
  return 0;
}
