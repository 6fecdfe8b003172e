// SPDX-License-Identifier: Apache-2.0
// The order of depend clauses: by hand from OpenMP 5.1, section 2.19.11, and against a table of all pairs.
#include "graph/reconstruction/dependence_table.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "catch.hpp"
#include "foretask/hook.h"

using foretask::graph::DependenceTable;

namespace {

constexpr std::uint32_t kIn = FORETASK_DEPENDENCE_IN;
constexpr std::uint32_t kOut = FORETASK_DEPENDENCE_OUT;
constexpr std::uint32_t kInout = FORETASK_DEPENDENCE_INOUT;
constexpr std::uint32_t kMutex = FORETASK_DEPENDENCE_MUTEXINOUTSET;
constexpr std::uint32_t kInoutset = FORETASK_DEPENDENCE_INOUTSET;
constexpr std::uint32_t kOutAll = FORETASK_DEPENDENCE_OUT_ALL_MEMORY;
constexpr std::uint32_t kInoutAll = FORETASK_DEPENDENCE_INOUT_ALL_MEMORY;
constexpr std::uint64_t kX = 0x7fff00001000;
constexpr std::uint64_t kY = 0x7fff00001008;

struct Clause {
  std::uint64_t address;
  std::uint32_t kind;
};
using Program = std::vector<std::vector<Clause>>;  // one list a task, in order of creation
using Order = std::vector<std::vector<bool>>;      // [later][earlier]

bool all_memory(std::uint32_t kind) { return kind == kOutAll || kind == kInoutAll; }

// What a task that names an address more than once does with it: in any two ways is inout.
std::map<std::uint64_t, std::uint32_t> merged(const std::vector<Clause>& clauses) {
  std::map<std::uint64_t, std::uint32_t> kinds;
  for (const Clause& clause : clauses) {
    const auto [at, added] = kinds.try_emplace(clause.address, clause.kind);
    if (!added && at->second != clause.kind) at->second = kInout;
  }
  return kinds;
}

bool are_ordered(const std::vector<Clause>& earlier, const std::vector<Clause>& later) {
  for (const Clause& a : earlier)
    for (const Clause& b : later)
      if (all_memory(a.kind) || all_memory(b.kind)) return true;
  for (const auto& [address, a] : merged(earlier)) {
    const auto kinds = merged(later);
    const auto b = kinds.find(address);
    if (b == kinds.end()) continue;
    const bool same_set = a == b->second && (a == kIn || a == kMutex || a == kInoutset);
    if (!same_set) return true;
  }
  return false;
}

Order closure(Order order) {
  for (std::size_t later = 0; later < order.size(); ++later)
    for (std::size_t middle = 0; middle < later; ++middle)
      if (order[later][middle])
        for (std::size_t first = 0; first < middle; ++first)
          if (order[middle][first]) order[later][first] = true;
  return order;
}

Order empty_order(std::size_t tasks) { return Order(tasks, std::vector<bool>(tasks)); }

Order reference(const Program& program) {
  Order order = empty_order(program.size());
  for (std::size_t later = 0; later < program.size(); ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      order[later][earlier] = are_ordered(program[earlier], program[later]);
  return closure(order);
}

DependenceTable table_of(const Program& program) {
  DependenceTable table;
  for (std::uint32_t task = 0; task < program.size(); ++task)
    for (const Clause& clause : program[task]) table.add(99, task, clause.address, clause.kind);
  return table;
}

Order order_in(DependenceTable& table, std::size_t tasks) {
  Order order = empty_order(tasks);
  for (std::uint32_t task = 0; task < tasks; ++task) {
    const auto* dependent = table.find(task);
    if (!dependent) continue;
    for (const auto id : dependent->waits_for)
      for (const std::uint32_t member : table.set(id).members)
        if (member < task) order[task][member] = true;
  }
  return closure(order);
}

Order order_of(const Program& program) {
  DependenceTable table = table_of(program);
  return order_in(table, program.size());
}

Program random_program(std::mt19937& random, bool with_all_memory) {
  const std::uint32_t kinds[] = {kIn, kOut, kInout, kMutex, kInoutset, kInoutAll, kOutAll};
  Program program(2 + random() % 25);
  const std::uint64_t addresses = 1 + random() % 4;
  for (auto& clauses : program) {
    clauses.resize(random() % 4);
    for (Clause& clause : clauses)
      clause = {0x1000 + 8 * (random() % addresses), kinds[random() % (with_all_memory && random() % 8 == 0 ? 7 : 5)]};
  }
  return program;
}

std::string text_of(const Program& program) {
  std::string text;
  for (const auto& clauses : program) {
    text += "(";
    for (const Clause& clause : clauses)
      text += " " + std::to_string(clause.address % 256) + ":" + std::to_string(clause.kind);
    text += " )";
  }
  return text;
}

}  // namespace

TEST_CASE("two tasks on one address: who waits for whom, by the specification") {
  const std::uint32_t kinds[] = {kIn, kOut, kInout, kMutex, kInoutset};
  // Row: the earlier task; column: the later. OpenMP 5.1, 2.19.11: only 'in' after 'in', 'inoutset' after 'inoutset'
  // are independent; 'mutexinoutset' after 'mutexinoutset' may run in any order, one at a time.
  const bool waits[5][5] = {{false, true, true, true, true},
                            {true, true, true, true, true},
                            {true, true, true, true, true},
                            {true, true, true, false, true},
                            {true, true, true, true, false}};
  for (int earlier = 0; earlier < 5; ++earlier)
    for (int later = 0; later < 5; ++later) {
      CAPTURE(kinds[earlier], kinds[later]);
      CHECK(order_of({{{kX, kinds[earlier]}}, {{kX, kinds[later]}}})[1][0] == waits[earlier][later]);
      CHECK_FALSE(order_of({{{kX, kinds[earlier]}}, {{kY, kinds[later]}}})[1][0]);
    }
}

TEST_CASE("readers run side by side between two writers") {
  const Order order = order_of({{{kX, kOut}}, {{kX, kIn}}, {{kX, kIn}}, {{kX, kIn}}, {{kX, kInout}}, {{kX, kIn}}});
  const std::vector<std::vector<int>> expected = {{}, {0}, {0}, {0}, {0, 1, 2, 3}, {0, 1, 2, 3, 4}};
  for (std::size_t later = 0; later < 6; ++later)
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      CAPTURE(later, earlier);
      CHECK(order[later][earlier] == (std::count(expected[later].begin(), expected[later].end(), earlier) != 0));
    }
}

TEST_CASE("mutexinoutset tasks are kept in one exclusive set, other kinds in none") {
  DependenceTable table = table_of({{{kX, kMutex}}, {{kX, kMutex}}, {{kX, kInoutset}}, {{kX, kInoutset}}});
  REQUIRE(table.find(0)->member_of.size() == 1);
  const auto set = table.find(0)->member_of[0];
  CHECK(table.find(1)->member_of == std::vector<foretask::graph::SetId>{set});
  CHECK(table.set(set).exclusive);
  CHECK(table.set(set).members == std::vector<std::uint32_t>{0, 1});
  CHECK_FALSE(table.set(table.find(2)->member_of[0]).exclusive);
}

TEST_CASE("omp_all_memory is every address: after all before it, before all after it") {
  for (const std::uint32_t kind : {kOutAll, kInoutAll}) {
    const Order order = order_of({{{kX, kIn}}, {{kY, kMutex}}, {{0, kind}}, {{kX, kIn}}, {{0x9990, kIn}}, {{0, kind}}});
    CHECK_FALSE(order[1][0]);
    CHECK(order[2][0]);
    CHECK(order[2][1]);
    CHECK(order[3][2]);
    CHECK(order[4][2]);
    CHECK_FALSE(order[4][3]);
    CHECK(order[5][3]);
    CHECK(order[5][4]);
  }
}

TEST_CASE("only siblings depend on each other") {
  DependenceTable table;
  table.add(1, 10, kX, kOut);
  table.add(2, 20, kX, kOut);
  table.add(2, 21, kX, kIn);
  CHECK(table.find(10)->waits_for.empty());
  CHECK(table.find(20)->waits_for.empty());
  REQUIRE(table.find(21)->waits_for.size() == 1);
  CHECK(table.set(table.find(21)->waits_for[0]).members == std::vector<std::uint32_t>{20});
  CHECK(table.find(1) == nullptr);
}

TEST_CASE("doacross dependences order iterations, not tasks") {
  DependenceTable table;
  table.add(1, 10, 5, FORETASK_DEPENDENCE_SOURCE);
  table.add(1, 11, 5, FORETASK_DEPENDENCE_SINK);
  CHECK(table.find(10) == nullptr);
  CHECK(table.find(11) == nullptr);
}

TEST_CASE("any program's order is that of all pairs of its tasks") {
  std::mt19937 random(GENERATE(1, 2, 3, 4));
  for (int round = 0; round < 500; ++round) {
    const Program program = random_program(random, round % 2 == 0);
    CAPTURE(text_of(program));
    REQUIRE(order_of(program) == reference(program));
  }
}

TEST_CASE("a task is ready when the last that it waits for is complete, in whatever order they run") {
  std::mt19937 random(GENERATE(5, 6, 7, 8));
  for (int round = 0; round < 300; ++round) {
    const Program program = random_program(random, round % 2 == 0);
    CAPTURE(text_of(program));
    const Order order = reference(program);
    DependenceTable table = table_of(program);
    std::set<std::uint32_t> ready;
    for (std::uint32_t task = 0; task < program.size(); ++task)
      if (!table.find(task) || table.find(task)->unmet == 0) ready.insert(task);
    std::vector<bool> complete(program.size());
    for (std::int64_t now = 1; !ready.empty(); ++now) {
      const std::uint32_t next = *std::next(ready.begin(), static_cast<long>(random() % ready.size()));
      for (std::size_t earlier = 0; earlier < next; ++earlier) REQUIRE((!order[next][earlier] || complete[earlier]));
      ready.erase(next);
      complete[next] = true;
      table.complete(next, now, [&](std::uint32_t other) {
        REQUIRE(ready.insert(other).second);
        REQUIRE(table.find(other)->ready_ns == now);
      });
    }
    REQUIRE(std::count(complete.begin(), complete.end(), false) == 0);
  }
}

TEST_CASE("a thousand readers before a thousand writers share their sets") {
  Program program;
  for (int i = 0; i < 1'000; ++i) program.push_back({{kX, kIn}});
  for (int i = 0; i < 1'000; ++i) program.push_back({{kX, kInoutset}});
  DependenceTable table = table_of(program);
  std::size_t entries = 0;
  for (std::uint32_t task = 0; task < 2'000; ++task) entries += table.find(task)->waits_for.size();
  CHECK(entries == 1'000);
}

TEST_CASE("omp_all_memory after very many addresses takes no longer than they did") {
  DependenceTable table;
  constexpr std::uint32_t kTasks = 200'000;
  for (std::uint32_t task = 0; task < kTasks; ++task) table.add(1, task, 0x1000 + 8ULL * task, kOut);
  table.add(1, kTasks, 0, kInoutAll);
  CHECK(table.find(kTasks)->waits_for.size() == kTasks);
  CHECK(table.find(kTasks)->unmet == kTasks);
}
