// SPDX-License-Identifier: Apache-2.0
// The order of ranges of memory: counted by hand, and against a table of single bytes.
#include "graph/reconstruction/range_table.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "catch.hpp"

using foretask::graph::RangeAccess;
using foretask::graph::RangeTable;

namespace {

using Tasks = std::vector<std::uint32_t>;
using Ranges = std::vector<RangeAccess>;

constexpr std::uint32_t kMain = 1000;

RangeAccess in(std::uint64_t begin, std::uint64_t end) { return {begin, end, true, false}; }
RangeAccess out(std::uint64_t begin, std::uint64_t end) { return {begin, end, false, true}; }
RangeAccess inout(std::uint64_t begin, std::uint64_t end) { return {begin, end, true, true}; }

// What each task comes after.
std::vector<Tasks> order_of(const std::vector<Ranges>& program, bool rename = false) {
  RangeTable table(rename);
  std::vector<Tasks> order;
  for (std::uint32_t task = 0; task < program.size(); ++task) order.push_back(table.add(kMain, task, program[task]));
  return order;
}

// Byte by byte: its last writer, and who has read it since.
struct Byte {
  int writer = -1;
  std::set<std::uint32_t> readers;
};

std::vector<Tasks> byte_order_of(const std::vector<Ranges>& program, std::uint64_t bytes, bool rename) {
  std::vector<Byte> memory(bytes);
  std::vector<Tasks> order;
  for (std::uint32_t task = 0; task < program.size(); ++task) {
    std::set<std::uint32_t> before;
    for (std::uint64_t place = 0; place < bytes; ++place) {
      bool reads = false;
      bool writes = false;
      for (const RangeAccess& access : program[task])
        if (access.begin <= place && place < access.end) {
          reads |= access.reads;
          writes |= access.writes;
        }
      Byte& byte = memory[place];
      const bool has_writer = byte.writer >= 0;
      if (rename) {
        if (reads && has_writer) before.insert(static_cast<std::uint32_t>(byte.writer));
      } else if (writes && !byte.readers.empty()) {
        before.insert(byte.readers.begin(), byte.readers.end());
      } else if ((reads || writes) && has_writer) {
        before.insert(static_cast<std::uint32_t>(byte.writer));
      }
      if (writes)
        byte = {static_cast<int>(task), {}};
      else if (reads)
        byte.readers.insert(task);
    }
    order.emplace_back(before.begin(), before.end());
  }
  return order;
}

std::vector<Ranges> random_program(std::mt19937& random, std::uint64_t bytes) {
  std::vector<Ranges> program(2 + random() % 30);
  for (Ranges& ranges : program) {
    ranges.resize(random() % 5);
    for (RangeAccess& range : ranges) {
      range.begin = random() % bytes;
      range.end = std::min(bytes, range.begin + random() % (1 + bytes / 3));
      const auto kind = random() % 3;
      range.reads = kind != 1;
      range.writes = kind != 0;
    }
  }
  return program;
}

std::string text_of(const std::vector<Ranges>& program) {
  std::string text;
  for (const Ranges& ranges : program) {
    text += "(";
    for (const RangeAccess& range : ranges)
      text += " " + std::to_string(range.begin) + "-" + std::to_string(range.end) + (range.reads ? "r" : "") +
              (range.writes ? "w" : "");
    text += " )\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a read comes after the last write, a write after the reads since then or after the last write") {
  const std::vector<Ranges> program = {{out(0, 8)}, {in(0, 8)}, {in(0, 8)}, {out(0, 8)}, {inout(0, 8)}, {in(0, 8)}};
  CHECK(order_of(program) == std::vector<Tasks>{{}, {0}, {0}, {1, 2}, {3}, {4}});
}

TEST_CASE("with buffers renamed only what is read of an earlier write is ordered") {
  const std::vector<Ranges> program = {{out(0, 8)}, {in(0, 8)}, {in(0, 8)}, {out(0, 8)}, {inout(0, 8)}, {in(0, 8)}};
  CHECK(order_of(program, true) == std::vector<Tasks>{{}, {0}, {0}, {}, {3}, {4}});
}

TEST_CASE("ranges are ordered where they overlap, whatever their beginnings") {
  // 0 writes 0-16. 1 reads its upper half and beyond. 2 writes over the middle. 3 reads all, 4 writes all.
  const std::vector<Ranges> program = {{out(0, 16)}, {in(8, 24)}, {out(4, 12)}, {in(0, 32)}, {out(0, 32)}};
  CHECK(order_of(program) == std::vector<Tasks>{{}, {0}, {0, 1}, {0, 2}, {1, 3}});
  CHECK(order_of(program, true) == std::vector<Tasks>{{}, {0}, {}, {0, 2}, {}});
}

TEST_CASE("neighbours that do not overlap are not ordered") {
  CHECK(order_of({{out(0, 8)}, {out(8, 16)}, {in(7, 9)}, {out(16, 17)}}) == std::vector<Tasks>{{}, {}, {0, 1}, {}});
}

TEST_CASE("reads of what nobody has written are waited for by the first write alone") {
  CHECK(order_of({{in(0, 8)}, {in(4, 12)}, {out(0, 12)}, {out(0, 12)}}) == std::vector<Tasks>{{}, {}, {0, 1}, {2}});
}

TEST_CASE("a task's ranges are taken together: what is read and written is both") {
  const std::vector<Ranges> both = {{out(0, 8)}, {out(0, 8), in(0, 8)}, {in(0, 4), in(2, 8), out(3, 5)}};
  CHECK(order_of(both) == std::vector<Tasks>{{}, {0}, {1}});
  CHECK(order_of(both, true) == std::vector<Tasks>{{}, {0}, {1}});
  // Read in one part and written in another: no part of its own output is waited for.
  CHECK(order_of({{out(0, 16)}, {in(0, 8), out(8, 16)}, {in(8, 16)}, {in(0, 8)}}, true) ==
        std::vector<Tasks>{{}, {0}, {1}, {0}});
}

TEST_CASE("a range of no bytes orders nothing") {
  CHECK(order_of({{inout(4, 4)}, {inout(0, 8)}, {inout(4, 4), in(9, 3)}, {inout(0, 8)}}) ==
        std::vector<Tasks>{{}, {}, {}, {1}});
}

TEST_CASE("children of different tasks are not ordered, and a task that is over is forgotten") {
  RangeTable table;
  CHECK(table.add(1, 10, {inout(0, 8)}).empty());
  CHECK(table.add(2, 20, {inout(0, 8)}).empty());
  CHECK(table.add(1, 11, {inout(0, 8)}) == Tasks{10});
  table.forget(1);
  CHECK(table.segments(1) == 0);
  CHECK(table.add(1, 12, {inout(0, 8)}).empty());
  CHECK(table.add(2, 21, {inout(0, 8)}) == Tasks{20});
}

TEST_CASE("a write joins the segments below it, so that a buffer that is used again takes no more room") {
  RangeTable table;
  for (std::uint32_t task = 0; task < 1000; ++task) {
    for (std::uint64_t piece = 0; piece < 10; ++piece)
      static_cast<void>(
          table.add(kMain, 20 * task + static_cast<std::uint32_t>(piece), {in(piece * 10, piece * 10 + 7 + task % 5)}));
    // After the ten readers and, of the bytes that none of them read, the write before.
    CHECK(table.add(kMain, 20 * task + 10, {out(0, 200)}).size() == (task == 0 ? 10 : 11));
    REQUIRE(table.segments(kMain) == 1);
  }
}

TEST_CASE("the last addresses are addresses as well") {
  constexpr std::uint64_t kEnd = ~std::uint64_t{0};
  CHECK(order_of({{out(0, kEnd)}, {in(kEnd - 8, kEnd)}, {out(kEnd - 1, kEnd)}}) == std::vector<Tasks>{{}, {0}, {1}});
}

TEST_CASE("random ranges are ordered as single bytes are") {
  std::mt19937 random(GENERATE(range(1, 5)));
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t bytes = 4 + random() % 60;
    const std::vector<Ranges> program = random_program(random, bytes);
    INFO(text_of(program));
    REQUIRE(order_of(program) == byte_order_of(program, bytes, false));
    REQUIRE(order_of(program, true) == byte_order_of(program, bytes, true));
  }
}
