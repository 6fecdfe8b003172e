// SPDX-License-Identifier: Apache-2.0
// Samples of where threads were, and which kernel's strands they fell into.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "graph/reconstruction/occupancy.hpp"
#include "graph/reconstruction/recorded_graph.hpp"

namespace foretask::graph {

struct CodeSample {
  std::int64_t time_ns = 0;
  std::uint64_t address = 0;
  std::uint32_t thread = 0;  // the operating system's number
  std::uint32_t stands_for_ns = 0;
};

class CodeSamples {
 public:
  // `main_thread`: the operating system's number of the program's first thread; 0: unknown.
  explicit CodeSamples(std::int64_t main_thread = 0) : main_thread_(main_thread) {}

  void add(const CodeSample& sample) { samples_.push_back(sample); }
  // From here on the operating system's `thread` is `worker`. In order of time.
  void begin_thread(std::uint32_t thread, std::uint32_t worker, std::int64_t now_ns);

  // Those that fell into strands of `graph`, whose kernels are numbered for good, and not into `not_counted`. What a
  // thread does between its strands is the runtime's. n log n in the samples, linear in the strands.
  [[nodiscard]] std::vector<CodeTime> in_strands(const RecordedGraph& graph,
                                                 const std::vector<TimeSpan>& not_counted = {}) const;

 private:
  struct Thread {
    std::int64_t begin_ns = 0;
    std::uint32_t worker = 0;
  };
  // kNone (tables.hpp) before its thread's beginning, but of the first thread: it ran the program until then.
  [[nodiscard]] std::uint32_t worker_of(const CodeSample& sample) const;

  std::int64_t main_thread_;
  std::vector<CodeSample> samples_;
  std::map<std::uint32_t, std::vector<Thread>> threads_;  // the system may use a number again
};

}  // namespace foretask::graph
