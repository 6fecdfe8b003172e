// SPDX-License-Identifier: Apache-2.0
// What the threads of a recorded program's teams did between a fork and a barrier, or two barriers, as work that other
// numbers of threads would divide in another way. Plain data: one thread builds it, then any number read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretask::analysis {

inline constexpr std::uint32_t kNoLoop = 0xffffffffU;

enum class LoopSchedule : std::uint8_t { kStatic, kStaticChunked, kDynamic, kGuided };

// As in a schedule clause: "static", "dynamic,4". Chunk 0: the schedule's default.
[[nodiscard]] std::string schedule_name(LoopSchedule schedule, std::uint64_t chunk);

struct NamedSchedule {
  LoopSchedule schedule = LoopSchedule::kStatic;
  std::uint64_t chunk = 0;  // 0: the schedule's default
};

// The other way round: static, dynamic or guided, with a chunk from 1 on or without. Nothing for other text.
[[nodiscard]] std::optional<NamedSchedule> schedule_from_name(std::string_view name);

// Iterations that one thread ran, one after the other or with others' in between: first <= i <= last.
struct LoopPiece {
  std::uint32_t thread = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::uint64_t iterations = 0;
  double weight = 0;  // of the time that the thread spent in the loop; any unit
};

// One execution of a worksharing loop by a team; sections are a loop with an iteration each. Or of a taskloop that
// leaves it to the runtime how many tasks it has.
struct TeamLoop {
  std::uint32_t kernel = 0;  // index into TaskGraph::kernel_names
  LoopSchedule schedule = LoopSchedule::kStatic;
  bool is_schedule_known = true;  // false: taken from its chunks
  std::uint64_t chunk = 0;        // 0: the schedule's default
  std::uint64_t iterations = 0;   // of all threads; of a loop that is_cut, those that were handed out
  bool is_taskloop = false;       // its strands are tasks: their threads are numbers alone
  bool is_cut = false;            // cancelled, or not done when the program ended
  std::uint64_t hand_outs = 0;    // chunks that the runtime handed out one by one, as far as seen
  std::uint64_t first_piece = 0;  // TeamWork::pieces[first_piece .. end_piece), by thread
  std::uint64_t end_piece = 0;
};

// Of a recorded loop; "unknown" where it was not seen.
[[nodiscard]] std::string schedule_name(const TeamLoop& loop);

struct TeamStrand {
  std::uint32_t node = 0;    // of the graph
  std::uint32_t thread = 0;  // of the team
  std::uint32_t loop = kNoLoop;
  bool is_of_one = false;  // in single or masked: some thread does it, whatever their number
  // What the runtime took to hand out its chunks: no part of the node's duration. 0 without a calibration.
  std::int64_t hand_out_ns = 0;
};

// What lies between two points at which a team's threads are together.
struct TeamPhase {
  std::uint32_t threads = 0;
  std::uint32_t region = 0;  // which execution of a region it belongs to; those of one have one number
  // Another number of threads would do the same work: it has a loop, or may be one, and no task, no nested region, no
  // message, nothing ordered, distributed or cancelled, and little waiting for locks.
  bool divides = true;
  // What its threads did outside of seen loops is a loop as well: GCC's static loops call no runtime. Else more threads
  // do it each.
  bool rest_divides = true;
  // Task-graph files: it divides however large other teams are. Of a recording only the largest teams' phases divide.
  bool is_of_any_size = false;
  std::uint64_t first_strand = 0;  // TeamWork::strands[first_strand .. end_strand), in order of their starts
  std::uint64_t end_strand = 0;
};

struct TeamWork {
  std::vector<TeamPhase> phases;  // in order of their starts; then taskloops, a phase each
  std::vector<TeamStrand> strands;
  std::vector<TeamLoop> loops;  // in order of their starts
  std::vector<LoopPiece> pieces;
  // A chunk of a guided loop is half of an even share of what is left, rounded down, as by LLVM's runtime; else a whole
  // share, rounded up, as by libgomp.
  bool guided_halves = true;
};

}  // namespace foretask::analysis
