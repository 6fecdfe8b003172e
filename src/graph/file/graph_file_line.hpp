// SPDX-License-Identifier: Apache-2.0
// The two kinds of lines of a task-graph file: the header, and a task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "foretask/analysis/team_work.hpp"
#include "graph/file/graph_file_cursor.hpp"

namespace foretask::graph {

// Far above any real loop; sums of a few such numbers still fit.
inline constexpr std::int64_t kMostLoopIterations = std::int64_t{1} << 60;
inline constexpr double kMostPieceWeight = 1e100;
inline constexpr std::int64_t kMostTeamThreads = std::int64_t{1} << 30;

struct FileSchedule {
  analysis::NamedSchedule named;
  bool is_known = true;

  [[nodiscard]] bool operator==(const FileSchedule& other) const noexcept {
    return named.schedule == other.named.schedule && named.chunk == other.named.chunk && is_known == other.is_known;
  }
};

// What a thread's share of a loop, the value of `loop`, says of that loop.
struct FileLoop {
  std::optional<std::int64_t> number;
  std::optional<FileSchedule> schedule;
  std::optional<std::int64_t> iterations;
};

// A task's place in the phases.
struct TeamPlace {
  std::optional<std::int64_t> phase;
  std::int64_t thread = 0;
  std::int64_t threads = 0;  // 0: not given
  bool is_of_one = false;
  bool divides = false;
};

struct TeamLine {
  bool is_given = false;  // one of the keys
  TeamPlace place;
  bool has_loop = false;
  FileLoop loop;
  std::vector<analysis::LoopPiece> pieces;  // of the loop, without their thread
  // The first value of another kind than the key's: in a file without divisible work it is some other program's note.
  std::string problem;

  void clear();
};

struct HeaderLine {
  int unit_power = 0;         // a number of the file times 10^unit_power is nanoseconds
  bool guided_halves = true;  // analysis::TeamWork::guided_halves
};

struct Predecessor {
  std::int64_t id = 0;
  std::uint64_t bytes = 0;
};

struct ClassTime {
  std::string worker_class;
  std::int64_t duration_ns = 0;
};

struct ParameterValue {
  std::string name;
  double value = 0;
};

// One task as its line says it. Reused from line to line: its vectors keep their memory.
struct TaskLine {
  std::int64_t id = 0;
  std::string_view kernel;  // a piece of the line, or of kernel_text
  std::int64_t duration_ns = analysis::kNoDuration;
  std::int64_t release_ns = 0;
  std::int64_t priority = 0;
  std::uint32_t node = 0;
  std::uint8_t cores = 1;
  std::vector<Predecessor> after;
  std::vector<ClassTime> on;
  std::vector<ParameterValue> params;  // the numbers alone
  TeamLine team;

  std::string kernel_text;
};

// Each returns what is wrong with the line, or an empty string.
[[nodiscard]] std::string parse_header_line(std::string_view line, HeaderLine& header);
[[nodiscard]] std::string parse_task_line(std::string_view line, const HeaderLine& header, TaskLine& task);

}  // namespace foretask::graph
