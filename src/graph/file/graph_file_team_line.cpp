// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_team_line.hpp"

#include <array>
#include <utility>

#include "graph/file/graph_file_values.hpp"

namespace foretask::graph {
namespace {

using analysis::LoopPiece;

constexpr std::string_view kUnknownSchedule = "unknown";  // as schedule_name() says of a loop that was not seen

void note(TeamLine& line, std::string problem) {
  if (line.problem.empty()) line.problem = std::move(problem);
}

bool skip_and_note(LineCursor& cursor, TeamLine& line, std::string problem) {
  note(line, std::move(problem));
  return cursor.skip();
}

// Numbers of other programs' notes may be fractions, or of any size.
bool read_number(LineCursor& cursor, std::string_view key, std::int64_t lowest, std::int64_t highest, TeamLine& line,
                 std::int64_t& value) {
  if (!cursor.at_number()) return skip_and_note(cursor, line, std::string(key) + " is not a number");
  Decimal decimal;
  if (!cursor.number(decimal, key)) return false;
  const auto integer = exact_integer(decimal);
  if (!integer) {
    note(line, std::string(key) + " is not an integer of 64 bits");
  } else if (*integer < lowest || *integer > highest) {
    note(line, std::string(key) + (*integer < 0 && lowest >= 0 ? " is negative" : " is out of range"));
  } else {
    value = *integer;
  }
  return true;
}

bool read_flag(LineCursor& cursor, std::string_view key, TeamLine& line, bool& value) {
  const auto given = cursor.boolean();
  if (!given) return skip_and_note(cursor, line, std::string(key) + " is neither true nor false");
  value = *given;
  return true;
}

bool read_schedule(LineCursor& cursor, LoopLine& loop) {
  std::string_view name;
  std::string scratch;
  if (!cursor.string(name, scratch)) return false;
  if (name == kUnknownSchedule) {
    loop.schedule = FileSchedule{.is_known = false};
    return true;
  }
  const auto named = analysis::schedule_from_name(name);
  if (!named)
    return cursor.fail("schedule '" + std::string(name) +
                       "' is not static, dynamic or guided, alone or with a chunk: dynamic,4");
  loop.schedule = FileSchedule{.named = *named};
  return true;
}

// [first, last, iterations, weight]
bool read_piece(LineCursor& cursor, LoopPiece& piece) {
  std::int64_t iterations = 0;
  std::optional<double> weight;
  const bool ok =
      cursor.expect('[') && read_integer(cursor, "a piece's first iteration", 0, kMostLoopIterations, piece.first) &&
      cursor.expect(',') && read_integer(cursor, "a piece's last iteration", 0, kMostLoopIterations, piece.last) &&
      cursor.expect(',') &&
      read_integer(cursor, "a piece's number of iterations", 0, kMostLoopIterations, iterations) &&
      cursor.expect(',') && cursor.number(weight, "a piece's weight") && cursor.expect(']');
  if (!ok) return false;
  if (piece.last < piece.first) return cursor.fail("a piece's last iteration is before its first");
  if (iterations < 1 || iterations > piece.last - piece.first + 1)
    return cursor.fail("a piece from " + std::to_string(piece.first) + " to " + std::to_string(piece.last) +
                       " cannot have " + std::to_string(iterations) + " iterations");
  if (!weight || *weight > kMostPieceWeight) return cursor.fail("a piece's weight is above 1e100");
  if (*weight < 0) return cursor.fail("a piece's weight is negative");
  piece.iterations = static_cast<std::uint64_t>(iterations);
  piece.weight = *weight;
  return true;
}

bool read_pieces(LineCursor& cursor, std::vector<LoopPiece>& pieces) {
  if (!cursor.expect('[')) return false;
  if (cursor.take(']')) return true;
  do {
    if (!read_piece(cursor, pieces.emplace_back())) return false;
  } while (cursor.take(','));
  return cursor.expect(']');
}

constexpr std::array<std::string_view, 4> kLoopKeys{"number", "schedule", "iterations", "pieces"};

// An object without one of its keys is some other program's note, as is any other value.
bool read_loop(LineCursor& cursor, LoopLine& loop, bool& is_loop) {
  unsigned seen = 0;
  const bool ok = read_object(cursor, [&](std::string_view key) {
    std::size_t at = 0;
    while (at < kLoopKeys.size() && key != kLoopKeys[at]) ++at;
    if (at == kLoopKeys.size()) return cursor.skip();
    if ((seen >> at & 1U) != 0) return cursor.fail(std::string(key) + " of the loop is given twice");
    seen |= 1U << at;
    if (key == "number") return read_integer(cursor, "the loop's number", kLowest, kHighest, loop.number.emplace());
    if (key == "schedule") return read_schedule(cursor, loop);
    if (key == "pieces") return read_pieces(cursor, loop.pieces);
    return read_integer(cursor, "the loop's number of iterations", 0, kMostLoopIterations, loop.iterations.emplace());
  });
  is_loop = seen != 0;
  return ok;
}

}  // namespace

void TeamLine::clear() {
  is_given = false;
  phase.reset();
  thread = 0;
  threads = 0;
  is_of_one = false;
  divides = false;
  has_loop = false;
  loop.number.reset();
  loop.schedule.reset();
  loop.iterations.reset();
  loop.pieces.clear();
  problem.clear();
}

bool read_team_member(LineCursor& cursor, TeamKey key, TeamLine& line) {
  line.is_given = true;
  switch (key) {
    case TeamKey::kPhase:
      return read_number(cursor, "phase", kLowest, kHighest, line, line.phase.emplace());
    case TeamKey::kThread:
      return read_number(cursor, "thread", 0, kMostTeamThreads - 1, line, line.thread);
    case TeamKey::kThreads:
      return read_number(cursor, "threads", 1, kMostTeamThreads, line, line.threads);
    case TeamKey::kOnce:
      return read_flag(cursor, "once", line, line.is_of_one);
    case TeamKey::kDivides:
      return read_flag(cursor, "divides", line, line.divides);
    case TeamKey::kLoop:
      if (cursor.peek() != '{') return cursor.skip();
      return read_loop(cursor, line.loop, line.has_loop);
  }
  return false;
}

}  // namespace foretask::graph
