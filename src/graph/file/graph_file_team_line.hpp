// SPDX-License-Identifier: Apache-2.0
// What a task's line says of work that the threads of a team divide: phase, thread, threads, once, divides, loop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/team_work.hpp"
#include "graph/file/graph_file_cursor.hpp"

namespace foretask::graph {

// Far above any real loop; sums of a few such numbers still fit.
inline constexpr std::int64_t kMostLoopIterations = std::int64_t{1} << 60;
inline constexpr double kMostPieceWeight = 1e100;
inline constexpr std::int64_t kMostTeamThreads = std::int64_t{1} << 30;

enum class TeamKey : std::uint8_t { kPhase, kThread, kThreads, kOnce, kDivides, kLoop };

struct FileSchedule {
  analysis::NamedSchedule named;
  bool is_known = true;

  [[nodiscard]] bool operator==(const FileSchedule& other) const noexcept {
    return named.schedule == other.named.schedule && named.chunk == other.named.chunk && is_known == other.is_known;
  }
};

// The value of `loop`: a thread's share of a loop.
struct LoopLine {
  std::optional<std::int64_t> number;
  std::optional<FileSchedule> schedule;
  std::optional<std::int64_t> iterations;
  std::vector<analysis::LoopPiece> pieces;  // without their thread
};

struct TeamLine {
  bool is_given = false;  // one of the keys
  std::optional<std::int64_t> phase;
  std::int64_t thread = 0;
  std::int64_t threads = 0;  // 0: not given
  bool is_of_one = false;
  bool divides = false;
  bool has_loop = false;
  LoopLine loop;
  // The first value of another kind than the key's: in a file without divisible work it is some other program's note.
  std::string problem;

  void clear();
};

// False where the line is wrong, as the cursor says.
bool read_team_member(LineCursor& cursor, TeamKey key, TeamLine& line);

}  // namespace foretask::graph
