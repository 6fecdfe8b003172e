// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/runtime_rules.hpp"

namespace foretask::analysis {
namespace {

using Queue = RuntimeRules::Queue;
using Waiting = RuntimeRules::Waiting;

constexpr RuntimeRules kLlvm{.deque_capacity = 256};
constexpr RuntimeRules kLibgomp{.library = "libgomp",
                                .queue = Queue::kTeam,
                                .waiting = Waiting::kAwaited,
                                .alone_is_at_once = false,
                                .tasks_per_thread = 64,
                                .ties_all_tasks = true,
                                .releases_oldest_first = true,
                                .guided_halves = false};
constexpr RuntimeRules kTbb{
    .library = "libtbb.so", .waiting = Waiting::kAnything, .is_openmp = false, .alone_is_at_once = false};
constexpr RuntimeRules kStarPu{.queue = Queue::kNone, .is_openmp = false, .has_submitter = true};
constexpr RuntimeRules kUnscheduled{.queue = Queue::kNone, .is_openmp = false};

}  // namespace

RuntimeRules runtime_rules(std::string_view runtime, std::string_view version) {
  if (runtime == "tbb") return kTbb;
  if (runtime == "starpu") return kStarPu;
  if (runtime == "mpi" || runtime == "sequential") return kUnscheduled;
  return version.starts_with("GNU libgomp") ? kLibgomp : kLlvm;
}

}  // namespace foretask::analysis
