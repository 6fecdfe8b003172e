// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_line.hpp"

#include <array>
#include <limits>
#include <utility>

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

bool read_schedule(LineCursor& cursor, FileLoop& loop) {
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
bool read_loop(LineCursor& cursor, TeamLine& line) {
  FileLoop& loop = line.loop;
  unsigned seen = 0;
  const bool ok = read_object(cursor, [&](std::string_view key) {
    std::size_t at = 0;
    while (at < kLoopKeys.size() && key != kLoopKeys[at]) ++at;
    if (at == kLoopKeys.size()) return cursor.skip();
    if ((seen >> at & 1U) != 0) return cursor.fail(std::string(key) + " of the loop is given twice");
    seen |= 1U << at;
    if (key == "number") return read_integer(cursor, "the loop's number", kLowest, kHighest, loop.number.emplace());
    if (key == "schedule") return read_schedule(cursor, loop);
    if (key == "pieces") return read_pieces(cursor, line.pieces);
    return read_integer(cursor, "the loop's number of iterations", 0, kMostLoopIterations, loop.iterations.emplace());
  });
  line.has_loop = seen != 0;
  return ok;
}

enum class Key : std::uint8_t {
  kId,
  kKernel,
  kDuration,
  kAfter,
  kRelease,
  kPriority,
  kCores,
  kNode,
  kOn,
  kParams,
  kPhase,
  kThread,
  kThreads,
  kOnce,
  kDivides,
  kLoop,
  kUnknown
};

constexpr std::array<std::string_view, 16> kKeys{"id",      "kernel", "duration", "after",  "release", "priority",
                                                 "cores",   "node",   "on",       "params", "phase",   "thread",
                                                 "threads", "once",   "divides",  "loop"};

Key key_of(std::string_view text) noexcept {
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (text == kKeys[i]) return static_cast<Key>(i);
  }
  return Key::kUnknown;
}

// {"id": 7, "bytes": 32768}; the bytes may be missing.
bool read_predecessor_object(LineCursor& cursor, Predecessor& predecessor) {
  bool has_id = false;
  const bool ok = read_object(cursor, [&](std::string_view key) {
    if (key == "id") {
      has_id = true;
      return read_integer(cursor, "the id of a predecessor", kLowest, kHighest, predecessor.id);
    }
    if (key == "bytes") {
      std::int64_t bytes = 0;
      if (!read_integer(cursor, "bytes", 0, kHighest, bytes)) return false;
      predecessor.bytes = static_cast<std::uint64_t>(bytes);
      return true;
    }
    return cursor.skip();
  });
  return ok && (has_id || cursor.fail("a predecessor has no id"));
}

bool read_after(LineCursor& cursor, std::vector<Predecessor>& after) {
  if (!cursor.expect('[')) return false;
  if (cursor.take(']')) return true;
  do {
    Predecessor& predecessor = after.emplace_back();
    const bool ok = cursor.peek() == '{'
                        ? read_predecessor_object(cursor, predecessor)
                        : read_integer(cursor, "the id of a predecessor", kLowest, kHighest, predecessor.id);
    if (!ok) return false;
  } while (cursor.take(','));
  return cursor.expect(']');
}

bool read_on(LineCursor& cursor, int unit_power, std::vector<ClassTime>& on) {
  return read_object(cursor, [&](std::string_view worker_class) {
    for (const ClassTime& other : on) {
      if (other.worker_class == worker_class) return cursor.fail("'on' has a worker class twice");
    }
    ClassTime& entry = on.emplace_back();
    entry.worker_class = worker_class;
    return read_time(cursor, "a duration of 'on'", unit_power, entry.duration_ns);
  });
}

// Numbers are kept, of one given twice the last as in other readers of JSON; anything else is left out.
bool read_params(LineCursor& cursor, std::vector<ParameterValue>& params) {
  if (cursor.peek() != '{') return cursor.skip();
  return read_object(cursor, [&](std::string_view name) {
    std::erase_if(params, [name](const ParameterValue& other) { return other.name == name; });
    if (!cursor.at_number()) return cursor.skip();
    std::string its_name(name);
    std::optional<double> value;
    if (!cursor.number(value, "a parameter")) return false;
    if (value) params.push_back({std::move(its_name), *value});
    return true;
  });
}

bool read_member(LineCursor& cursor, Key key, int unit_power, TaskLine& task) {
  std::int64_t integer = 0;
  TeamLine& team = task.team;
  if (key >= Key::kPhase && key <= Key::kLoop) team.is_given = true;
  switch (key) {
    case Key::kId:
      return read_integer(cursor, "id", kLowest, kHighest, task.id);
    case Key::kKernel:
      return cursor.string(task.kernel, task.kernel_text);
    case Key::kDuration:
      return read_time(cursor, "duration", unit_power, task.duration_ns);
    case Key::kAfter:
      return read_after(cursor, task.after);
    case Key::kRelease:
      return read_time(cursor, "release", unit_power, task.release_ns);
    case Key::kPriority:
      return read_integer(cursor, "priority", kLowest, kHighest, task.priority);
    case Key::kCores:
      if (!read_integer(cursor, "cores", 0, 1, integer)) return false;
      task.cores = static_cast<std::uint8_t>(integer);
      return true;
    case Key::kNode:
      if (!read_integer(cursor, "node", 0, std::numeric_limits<std::uint32_t>::max(), integer)) return false;
      task.node = static_cast<std::uint32_t>(integer);
      return true;
    case Key::kOn:
      return read_on(cursor, unit_power, task.on);
    case Key::kParams:
      return read_params(cursor, task.params);
    case Key::kPhase:
      return read_number(cursor, "phase", kLowest, kHighest, team, team.place.phase.emplace());
    case Key::kThread:
      return read_number(cursor, "thread", 0, kMostTeamThreads - 1, team, team.place.thread);
    case Key::kThreads:
      return read_number(cursor, "threads", 1, kMostTeamThreads, team, team.place.threads);
    case Key::kOnce:
      return read_flag(cursor, "once", team, team.place.is_of_one);
    case Key::kDivides:
      return read_flag(cursor, "divides", team, team.place.divides);
    case Key::kLoop:
      if (cursor.peek() != '{') return cursor.skip();
      return read_loop(cursor, team);
    case Key::kUnknown:
      break;
  }
  return cursor.skip();
}

std::optional<int> unit_power_of(std::string_view unit) noexcept {
  if (unit == "ns") return 0;
  if (unit == "us") return 3;
  if (unit == "ms") return 6;
  if (unit == "s") return 9;
  return std::nullopt;
}

}  // namespace

void TeamLine::clear() {
  pieces.clear();
  *this = {.pieces = std::move(pieces)};
}

std::string parse_header_line(std::string_view line, HeaderLine& header) {
  LineCursor cursor(line);
  std::string scratch;
  bool has_version = false;
  bool has_unit = false;
  const bool ok = read_object(cursor, [&](std::string_view key) {
    if (key == "foretask_graph") {
      std::int64_t version = 0;
      has_version = true;
      if (!read_integer(cursor, "foretask_graph", kLowest, kHighest, version)) return false;
      return version == 1 || cursor.fail("version " + std::to_string(version) + " of the format is not known");
    }
    if (key == "time_unit") {
      std::string_view unit;
      has_unit = true;
      if (!cursor.string(unit, scratch)) return false;
      const auto power = unit_power_of(unit);
      if (!power) return cursor.fail("time_unit '" + std::string(unit) + "' is not one of ns, us, ms, s");
      header.unit_power = *power;
      return true;
    }
    if (key == "guided") {
      std::string_view part;
      if (!cursor.string(part, scratch)) return false;
      if (part != "half" && part != "whole")
        return cursor.fail("guided '" + std::string(part) + "' is neither half nor whole");
      header.guided_halves = part == "half";
      return true;
    }
    return cursor.skip();
  });
  if (!ok || !cursor.expect_end()) return cursor.problem();
  if (!has_version) return "the first line has no 'foretask_graph': it is not the header of a task-graph file";
  if (!has_unit) return "the header has no time_unit (ns, us, ms or s)";
  return {};
}

std::string parse_task_line(std::string_view line, const HeaderLine& header, TaskLine& task) {
  task.kernel = {};
  task.duration_ns = analysis::kNoDuration;
  task.release_ns = 0;
  task.priority = 0;
  task.node = 0;
  task.cores = 1;
  task.after.clear();
  task.on.clear();
  task.params.clear();
  if (task.team.is_given) task.team.clear();
  LineCursor cursor(line);
  unsigned seen = 0;
  const bool ok = read_object(cursor, [&](std::string_view text) {
    const Key key = key_of(text);
    const unsigned bit = 1U << static_cast<unsigned>(key);
    if (key != Key::kUnknown && (seen & bit) != 0) return cursor.fail(std::string(text) + " is given twice");
    seen |= bit;
    return read_member(cursor, key, header.unit_power, task);
  });
  if (!ok || !cursor.expect_end()) return cursor.problem();
  const auto given = [seen](Key key) { return (seen >> static_cast<unsigned>(key) & 1U) != 0; };
  if (!given(Key::kId)) return "the task has no id";
  if (!given(Key::kDuration) && task.on.empty()) return "the task has no duration";
  return {};
}

}  // namespace foretask::graph
