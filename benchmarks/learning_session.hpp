// SPDX-License-Identifier: Apache-2.0
// Learning in a benchmark's own process: a store of its own that is gone at its end, kernels with the law that
// starpu_reference.hpp has, and times of calls in batches.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <numbers>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "foretask/foretask.h"
#include "process_runner.hpp"
#include "starpu_reference.hpp"

namespace foretask::benchmarks {

class LearningSession {
 public:
  // Before the first other call into the library.
  LearningSession() { setenv("FORETASK_HOME", scratch_.path().c_str(), 1); }

  static void start() {
    if (foretask_learning_start() != FORETASK_OK) throw std::runtime_error("foretask does not learn");
  }
  static void flush() {
    if (foretask_flush(60'000) != FORETASK_OK) throw std::runtime_error("the learner does not get done");
  }
  // In m, n and k; `terms` may be nullptr.
  static foretask_kernel* define(const std::string& name, const char* terms) {
    const char* const names[] = {"m", "n", "k"};
    const foretask_kernel_options options = {
        sizeof(foretask_kernel_options), name.c_str(), names, std::size(names), terms, "benchmark"};
    foretask_kernel* const kernel = foretask_kernel_define_with(&options, nullptr);
    if (!kernel) throw std::runtime_error("kernel '" + name + "' is not defined");
    return kernel;
  }
  static foretask_learning_stats statistics() {
    foretask_learning_stats stats{};
    stats.size = sizeof stats;
    foretask_learning_statistics(&stats);
    return stats;
  }

 private:
  Scratch scratch_;
};

inline constexpr const char* kLawTerms = "1,m*n*k,m*n";

inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Spins, so that nothing is woken up late.
inline void pause_ns(double duration_ns) {
  if (duration_ns <= 0) return;
  for (const double end = now_ns() + duration_ns; now_ns() < end;) {
  }
}

// Numbers that look random and are the same in each run (Steele et al., OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  double unit() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  double normal() { return std::sqrt(-2 * std::log(unit())) * std::cos(2 * std::numbers::pi * unit()); }
  // A time's factor: log-normal with mean 1.
  double noise(double sigma) { return std::exp(sigma * normal() - 0.5 * sigma * sigma); }

 private:
  std::uint64_t state_;
};

inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

inline double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// ns a call, a value for each batch of kBatch calls of call(i), for at least `seconds`. The two time stamps around a
// batch are 0.2 ns of each call.
inline constexpr int kBatch = 200;
template <typename Call>
void time_batches(double seconds, std::vector<double>& ns, Call call) {
  const double end = now_ns() + seconds * 1e9;
  for (double begin = now_ns(); begin < end;) {
    for (int i = 0; i < kBatch; ++i) call(i);
    const double after = now_ns();
    ns.push_back((after - begin) / kBatch);
    begin = now_ns();
  }
}

// Calls step() on a thread of its own for as long as it lives, with a pause of so long after each call.
class Background {
 public:
  template <typename Step>
  Background(double pause, Step step)
      : thread_([this, pause, step]() mutable {
          while (!stop_.load(std::memory_order_relaxed)) {
            step();
            calls_.store(calls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            pause_ns(pause);
          }
        }) {}
  ~Background() {
    stop_.store(true);
    thread_.join();
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  [[nodiscard]] double calls() const { return static_cast<double>(calls_.load(std::memory_order_relaxed)); }

 private:
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace foretask::benchmarks
