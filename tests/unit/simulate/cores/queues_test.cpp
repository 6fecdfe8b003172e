// SPDX-License-Identifier: Apache-2.0
// The replay's queues against the standard library's containers.
#include <deque>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <vector>

#include "catch.hpp"
#include "simulate/cores/finish_queue.hpp"
#include "simulate/cores/index_set.hpp"
#include "simulate/cores/level_ranks.hpp"
#include "simulate/cores/pending_counts.hpp"
#include "simulate/cores/quad_heap.hpp"
#include "simulate/cores/ready_queues.hpp"
#include "simulate/stealing/deque_tasks.hpp"

using namespace foretask::simulate;
using foretask::analysis::NodeIndex;

TEST_CASE("an index set gives its smallest, whatever its size") {
  std::mt19937 random(1);
  for (const std::size_t limit : {1U, 2U, 63U, 64U, 65U, 4095U, 4096U, 4097U, 300000U}) {
    IndexSet set(limit);
    std::set<std::uint32_t> expected;
    for (int step = 0; step < 5000; ++step) {
      REQUIRE(set.empty() == expected.empty());
      if (expected.empty() || random() % 2 == 0) {
        const auto index = static_cast<std::uint32_t>(random() % limit);
        set.insert(index);
        expected.insert(index);
      } else {
        REQUIRE(set.first() == *expected.begin());
        REQUIRE(set.pop() == *expected.begin());
        expected.erase(expected.begin());
      }
    }
  }
}

TEST_CASE("an event queue gives events by time, then by node") {
  std::mt19937 random(2);
  using Key = std::tuple<std::int64_t, NodeIndex, std::uint32_t>;
  EventQueue queue;
  std::priority_queue<Key, std::vector<Key>, std::greater<>> expected;
  for (int step = 0; step < 20000; ++step) {
    REQUIRE(queue.empty() == expected.empty());
    if (expected.empty() || random() % 100 < 52) {
      const Event event{static_cast<std::int64_t>(random() % 50) << 40, static_cast<NodeIndex>(random() % 100),
                        static_cast<std::uint32_t>(step)};
      queue.push(event);
      expected.emplace(event.time_ns, event.node, event.worker);
    } else {
      REQUIRE(queue.next_time_ns() == static_cast<std::uint64_t>(std::get<0>(expected.top())));
      const Event event = queue.pop();
      REQUIRE(Key(event.time_ns, event.node, event.worker) == expected.top());
      expected.pop();
    }
  }
}

TEMPLATE_TEST_CASE("a finish queue gives every busy worker at its time", "", std::uint64_t, Wide) {
  std::mt19937 random(3);
  for (const std::uint32_t workers : {1U, 2U, 3U, 5U, 64U, 65U, 1000U}) {
    FinishQueue<TestType> queue(workers);
    std::vector<std::uint32_t> idle(workers);
    for (std::uint32_t worker = 0; worker < workers; ++worker) idle[worker] = worker;
    std::multiset<std::int64_t> times;
    std::map<std::uint32_t, std::pair<std::int64_t, NodeIndex>> busy;
    std::int64_t now = 0;
    for (int step = 0; step < 20000; ++step) {
      REQUIRE(queue.empty() == times.empty());
      if (!idle.empty() && (times.empty() || random() % 2 == 0)) {
        const std::int64_t time = now + static_cast<std::int64_t>(random() % 20);
        const auto node = static_cast<NodeIndex>(step);
        queue.push(time, idle.back(), node);
        busy[idle.back()] = {time, node};
        times.insert(time);
        idle.pop_back();
      } else {
        REQUIRE(queue.next_time_ns() == static_cast<std::uint64_t>(*times.begin()));
        now = *times.begin();
        times.erase(times.begin());
        const std::uint32_t worker = queue.pop();
        REQUIRE(busy.at(worker) == std::pair(now, queue.node_on(worker)));
        busy.erase(worker);
        idle.push_back(worker);
      }
    }
  }
}

TEST_CASE("a finish key takes 64 bits where time and worker fit") {
  using Narrow = FinishQueue<std::uint64_t>;
  CHECK(Narrow::fits(1, std::int64_t{1} << 61));
  CHECK(Narrow::fits(64, (std::int64_t{1} << 57) - 1));
  CHECK(!Narrow::fits(64, std::int64_t{1} << 57));
  CHECK(!Narrow::fits(65, (std::int64_t{1} << 57) - 1));
  CHECK(FinishQueue<Wide>::fits(0xffffffffU, std::numeric_limits<std::int64_t>::max()));
}

TEST_CASE("pending counts pass 255 and 510 without losing one") {
  for (const int count : {1, 254, 255, 256, 257, 509, 510, 511, 512, 100000}) {
    PendingCounts pending(3);
    CHECK(pending.none(1));
    for (int i = 0; i < count; ++i) pending.add(1);
    pending.add(2);
    CHECK(pending.none(0));
    int removed = 0;
    while (!pending.remove(1)) {
      ++removed;
      REQUIRE(!pending.none(1));
      REQUIRE(removed < count);
    }
    CHECK(removed + 1 == count);
    CHECK(pending.none(1));
    CHECK(pending.remove(2));
  }
}

TEST_CASE("ranks are those of a stable sort by level, largest first") {
  std::mt19937_64 random(4);
  // Bits of the levels: one pass, several, the widest that fit 64-bit keys with the index, and more than fit.
  for (const unsigned bits : {0U, 1U, 5U, 11U, 12U, 30U, 52U, 54U, 55U, 63U}) {
    const std::size_t count = 600;
    BottomLevels levels{.ns = foretask::base::PagedVector<std::uint64_t>(count)};
    std::vector<NodeIndex> expected(count);
    for (NodeIndex i = 0; i < count; ++i) {
      levels.ns[i] = bits == 0 ? 0 : random() >> (64 - bits);
      if (i % 3 == 0 && i > 0) levels.ns[i] = levels.ns[i - 1];
      levels.highest_ns = std::max(levels.highest_ns, levels.ns[i]);
      expected[i] = i;
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [&](NodeIndex a, NodeIndex b) { return levels.ns[a] > levels.ns[b]; });
    const LevelRanks ranks = rank_by_level(std::move(levels));
    CAPTURE(bits);
    for (std::uint32_t rank = 0; rank < count; ++rank) {
      REQUIRE(ranks.node_at[rank] == expected[rank]);
      REQUIRE(ranks.rank_of[expected[rank]] == rank);
    }
  }
}

TEST_CASE("a priority queue takes any priorities: few, none, and the extremes") {
  std::mt19937_64 random(5);
  for (int kind = 0; kind < 4; ++kind) {
    const std::size_t count = 500;
    std::vector<std::int64_t> priority(kind == 0 ? 0 : count);
    for (auto& value : priority) {
      value = kind == 1 ? static_cast<std::int64_t>(random() % 4) - 2
                        : (kind == 2 ? static_cast<std::int64_t>(random())
                                     : (random() % 2 == 0 ? std::numeric_limits<std::int64_t>::min()
                                                          : std::numeric_limits<std::int64_t>::max()));
    }
    PriorityQueue queue(priority, count);
    std::set<std::tuple<std::int64_t, int, NodeIndex>> expected;  // compared by ~priority: largest first
    int arrived = 0;
    for (NodeIndex node = 0; node < count || !expected.empty();) {
      CHECK(queue.empty() == expected.empty());
      if (node < count && (expected.empty() || random() % 3 != 0)) {
        queue.push(node);
        expected.emplace(~(priority.empty() ? 0 : priority[node]), arrived++, node);
        ++node;
      } else {
        REQUIRE(queue.next() == std::get<2>(*expected.begin()));
        REQUIRE(queue.pop() == std::get<2>(*expected.begin()));
        expected.erase(expected.begin());
      }
    }
  }
}

TEST_CASE("a node deque is a deque") {
  std::mt19937 random(6);
  NodeDeque deque;
  std::deque<NodeIndex> expected;
  for (NodeIndex step = 0; step < 20000; ++step) {
    REQUIRE(deque.size() == expected.size());
    REQUIRE(deque.empty() == expected.empty());
    const auto what = random() % 100;
    if (expected.empty() || what < 52) {
      deque.push_bottom(step);
      expected.push_back(step);
    } else if (what < 76) {
      REQUIRE(deque.top() == expected.front());
      REQUIRE(deque.pop_top() == expected.front());
      expected.pop_front();
    } else {
      REQUIRE(deque.bottom() == expected.back());
      REQUIRE(deque.pop_bottom() == expected.back());
      expected.pop_back();
    }
  }
}
