// SPDX-License-Identifier: Apache-2.0
// What the example programs share: options, the clock around the parallel section, the result line, seeded numbers.
// Everything but random_bits() and random_unit() belongs to the main thread.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#elif defined(EXAMPLES_ON_TBB)
#include <oneapi/tbb/task_arena.h>
#endif

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace examples {

// The splitmix64 finaliser over (seed, index): the same number on every thread and in every run.
inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Uniform in [0, 1).
inline double random_unit(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(random_bits(seed, index) >> 11) * 0x1p-53;
}

#ifdef _OPENMP
inline int threads_here() { return omp_get_num_threads(); }
inline int threads_at_most() { return omp_get_max_threads(); }
inline constexpr const char* kThreadsOption = "threads; 0 takes OMP_NUM_THREADS";
#elif defined(EXAMPLES_ON_TBB)
inline int threads_here() { return tbb::this_task_arena::max_concurrency(); }
inline int threads_at_most() { return tbb::this_task_arena::max_concurrency(); }
inline constexpr const char* kThreadsOption = "threads; 0 takes all that oneTBB would";
#else
inline int threads_here() { return 1; }
inline int threads_at_most() { return 1; }
inline constexpr const char* kThreadsOption = "threads; 0 takes OMP_NUM_THREADS";
#endif

inline std::int64_t now_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

// Whether no entry is off by more than `tolerance` times the largest one expected. False for any NaN.
inline bool nearly_equal(const std::vector<double>& values, const std::vector<double>& expected, double tolerance) {
  double scale = 0;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!(std::abs(values[i] - expected[i]) <= tolerance * scale)) return false;
  return values.size() == expected.size();
}

// One timed parallel section. start() is called by the thread that creates the first task, once the whole team is
// there, so that starting the threads is not part of the time; stop() after the section.
struct Run {
  int threads = 1;
  std::int64_t start_ns = 0;
  std::int64_t stop_ns = 0;
  std::int64_t slept_ns = 0;  // by bodies that slept, summed over the threads; 0: the bodies computed

  void start() {
    threads = threads_here();
    start_ns = now_ns();
  }
  void stop() { stop_ns = now_ns(); }
};

class Arguments {
 public:
  Arguments(std::string program, std::string summary) : program_(std::move(program)), summary_(std::move(summary)) {}

  // `flags` are the option's names, "-n" or "-n,--particles".
  void number(const char* flags, const char* meaning, long& value, long low, long high) {
    options_.push_back({flags, meaning, &value, nullptr, low, high, {}});
  }
  // `value` is the index of the word given.
  void choice(const char* flags, const char* meaning, long& value, std::vector<const char*> words) {
    const long last = static_cast<long>(words.size()) - 1;
    options_.push_back({flags, meaning, &value, nullptr, 0, last, std::move(words)});
  }
  void text(const char* flags, const char* meaning, std::string& value) {
    options_.push_back({flags, meaning, nullptr, &value, 0, 0, {}});
  }

  // Prints and leaves: status 0 after --help, 2 after an argument that is not understood.
  void parse(int argc, char** argv) {
    number("-t,--threads", kThreadsOption, threads_, 0, 4096);
    number("-r,--repetitions", "repetitions, one result line each", repetitions_, 1, 1'000'000);
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--help") == 0) help();
      Option* option = find(argv[i]);
      if (option == nullptr) fail(std::string("unknown argument '") + argv[i] + "'");
      const std::string flag = argv[i];
      if (++i == argc) fail(flag + " needs a value");
      if (!assign(*option, argv[i])) fail(std::string("bad value '") + argv[i] + "' for " + flag);
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    std::fprintf(stderr, "%s: %s; see %s --help\n", program_.c_str(), what.c_str(), program_.c_str());
    std::exit(2);
  }

  // Calls once(Run&), which prepares, runs and returns whether its result is right. The result is main()'s: 0, or 1
  // when a result was wrong or memory ran out.
  template <class Once>
  int repeat(long n, Once once) const try {
    bool all_right = true;
    for (long repetition = 0; repetition < repetitions_; ++repetition) {
      Run run;
      run.threads = threads_ > 0 ? static_cast<int>(threads_) : threads_at_most();
      const bool right = once(run);
      std::printf("%s n=%ld threads=%d seconds=%.6f ", program_.c_str(), n, run.threads,
                  static_cast<double>(run.stop_ns - run.start_ns) * 1e-9);
      if (right && run.slept_ns > 0)
        std::printf("slept=%.6f\n", static_cast<double>(run.slept_ns) * 1e-9);
      else
        std::puts(right ? "ok" : "WRONG");
      std::fflush(stdout);
      all_right = all_right && right;
    }
    return all_right ? 0 : 1;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: not enough memory for n=%ld\n", program_.c_str(), n);
    return 1;
  }

 private:
  struct Option {
    const char* flags;
    const char* meaning;
    long* value;  // nullptr where the value is a text
    std::string* text;
    long low;
    long high;
    std::vector<const char*> words;
  };

  Option* find(const std::string& flag) {
    if (flag.find(',') != std::string::npos) return nullptr;
    for (Option& option : options_)
      if (("," + std::string(option.flags) + ",").find("," + flag + ",") != std::string::npos) return &option;
    return nullptr;
  }

  static bool assign(Option& option, const char* text) {
    if (option.text != nullptr) return *option.text = text, true;
    for (std::size_t i = 0; i < option.words.size(); ++i)
      if (std::strcmp(option.words[i], text) == 0) return *option.value = static_cast<long>(i), true;
    if (!option.words.empty()) return false;
    const char* end = text + std::strlen(text);
    long value = 0;
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error != std::errc() || stop != end || value < option.low || value > option.high) return false;
    *option.value = value;
    return true;
  }

  [[noreturn]] void help() const {
    std::printf("%s: %s\n\nusage: %s [OPTION VALUE]...\n", program_.c_str(), summary_.c_str(), program_.c_str());
    std::size_t width = 0;
    for (const Option& option : options_) width = std::max(width, std::strlen(option.flags));
    for (const Option& option : options_) {
      std::printf("  %-*s %s", static_cast<int>(width), option.flags, option.meaning);
      if (option.text != nullptr) {
        std::printf(" (default: none)\n");
        continue;
      }
      std::string range;
      for (const char* word : option.words) range += range.empty() ? word : std::string("|") + word;
      if (range.empty()) range = std::to_string(option.low) + ".." + std::to_string(option.high);
      const std::string preset = option.words.empty() ? std::to_string(*option.value) : option.words[*option.value];
      std::printf(" (%s; default %s)\n", range.c_str(), preset.c_str());
    }
    std::printf("\nPrints: %s n=N threads=P seconds=S ok. Status: 0 right, 1 WRONG, 2 a bad argument.\n",
                program_.c_str());
    std::exit(0);
  }

  std::string program_;
  std::string summary_;
  std::vector<Option> options_;
  long threads_ = 0;
  long repetitions_ = 1;
};

}  // namespace examples
