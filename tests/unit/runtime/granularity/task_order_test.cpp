// SPDX-License-Identifier: Apache-2.0
// The order of tasks with dependences: ranks counted by hand.
#include "runtime/granularity/task_order.hpp"

#include <vector>

#include "catch.hpp"

namespace {

using foretask::runtime::LearnedOrder;
using foretask::runtime::TaskBatch;

struct Made {
  std::vector<foretask_tuned_access> accesses;
  unsigned ticks;
};

const char cells[4] = {};
foretask_tuned_access reads(int cell) { return {&cells[cell], 0}; }
foretask_tuned_access writes(int cell) { return {&cells[cell], 1}; }

// The levels that tasks of one code are given, which then take so long.
std::vector<unsigned> run(LearnedOrder& order, const std::vector<Made>& tasks, bool is_long = true) {
  TaskBatch batch;
  std::vector<unsigned> levels;
  std::vector<TaskBatch::Task*> made;
  for (const Made& one : tasks) {
    made.push_back(batch.add(7, one.accesses));
    levels.push_back(batch.level(order));
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) made[i]->took = tasks[i].ticks;
  CHECK(batch.learn(order, is_long ? 1 : 1'000'000) == is_long);
  CHECK(batch.is_empty());
  return levels;
}

}  // namespace

TEST_CASE("a task's level is the length of what comes after it, itself with it, of 60 parts of the longest") {
  LearnedOrder order;
  // 0 writes a, 1 and 2 read it and write b and c, 3 reads both; 4 alone. Ranks 70 + 46 + 4, 46 + 4, 20 + 4, 4, 30.
  const std::vector<Made> diamond{{{writes(0)}, 70},
                                  {{reads(0), writes(1)}, 46},
                                  {{reads(0), writes(2)}, 20},
                                  {{reads(1), reads(2), writes(3)}, 4},
                                  {{}, 30}};
  CHECK(run(order, diamond) == std::vector<unsigned>{0, 0, 0, 0, 0});
  CHECK(run(order, diamond) == std::vector<unsigned>{61, 26, 13, 3, 16});
}

TEST_CASE("who writes comes after all that read since the last one wrote") {
  LearnedOrder order;
  const std::vector<Made> tasks{
      {{writes(0)}, 1}, {{reads(0)}, 38}, {{reads(0)}, 5}, {{writes(0)}, 20}, {{writes(0)}, 1}};
  static_cast<void>(run(order, tasks));
  // Ranks 60, 59, 26, 21, 1.
  CHECK(run(order, tasks) == std::vector<unsigned>{61, 60, 27, 22, 2});
}

TEST_CASE("tasks that are known by what was made before them are known as long as that is the same") {
  LearnedOrder order;
  const std::vector<Made> chain{{{writes(0)}, 10}, {{writes(0)}, 10}, {{writes(0)}, 10}, {{writes(1)}, 1}};
  static_cast<void>(run(order, chain));
  std::vector<Made> other = chain;
  other[2].accesses = {writes(2)};
  // From there on as the latest one that is known.
  CHECK(run(order, other) == std::vector<unsigned>{61, 41, 41, 41});
}

TEST_CASE("tasks that are too short for their order to matter are not kept") {
  LearnedOrder order;
  static_cast<void>(run(order, {{{writes(0)}, 10}, {{writes(0)}, 10}}, false));
  CHECK(order.entries().empty());
}

TEST_CASE("a table that is full takes the latest, and what is taken out of it can be put into another") {
  LearnedOrder order;
  for (std::uint64_t i = 1; i <= 200'000; ++i) order.set(((i * 0x9e37'79b9'7f4a'7c15) & ~LearnedOrder::kLevelMask) | 5);
  CHECK(order.level(200'000 * 0x9e37'79b9'7f4a'7c15) == 5);
  LearnedOrder other;
  const auto entries = order.entries();
  CHECK(entries.size() > 60'000);
  for (const LearnedOrder::Entry entry : entries) other.set(entry);
  CHECK(other.level(entries.front()) == 5);
}
