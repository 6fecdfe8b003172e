// SPDX-License-Identifier: Apache-2.0
// HOT: the workers' deques of ready nodes, and which of them may be stolen from. A worker takes its own newest node, a
// thief another's oldest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "simulate/cores/worker_set.hpp"
#include "simulate/stealing/node_deque.hpp"
#include "statistics/random.hpp"

namespace foretask::simulate {

// Deques or workers looked at before giving up: keeps a decision constant-time on thousands of workers. On up to as
// many workers nothing is missed.
inline constexpr std::uint32_t kMaxProbes = 64;

class WorkerDeques {
 public:
  // `seed`: of the random victims.
  WorkerDeques(std::size_t workers, std::uint64_t seed)
      : deques_(workers), is_stolen_from_(workers), loaded_(workers), changed_(workers), random_(seed) {}

  // The functions of NodeDeque that only look.
  [[nodiscard]] const NodeDeque& of(std::uint32_t worker) const noexcept { return deques_[worker]; }

  void push(std::uint32_t worker, analysis::NodeIndex node) {
    deques_[worker].push_bottom(node);
    loaded_.insert(worker);
    changed_.insert(worker);
  }
  analysis::NodeIndex take_newest(std::uint32_t worker) noexcept {
    const analysis::NodeIndex node = deques_[worker].pop_bottom();
    if (deques_[worker].empty()) loaded_.erase(worker);
    return node;
  }
  analysis::NodeIndex take_oldest(std::uint32_t worker) noexcept {
    const analysis::NodeIndex node = deques_[worker].pop_top();
    is_stolen_from_[worker] = 1;
    if (deques_[worker].empty()) loaded_.erase(worker);
    return node;
  }

  // Whether a node was stolen from the worker's deque since the last call.
  bool take_stolen_mark(std::uint32_t worker) noexcept { return std::exchange(is_stolen_from_[worker], 0) != 0; }

  // From a random worker on, the first whose oldest node the thief may take by may_take(node); its next one may then be
  // new to idle workers. kNoWorker where none is found.
  template <typename MayTake>
  std::uint32_t victim_for(std::uint32_t thief, const MayTake& may_take) noexcept {
    const std::uint32_t victims = loaded_.size();
    if (victims == 0) return analysis::kNoWorker;
    std::uint32_t place = random_.below(victims);
    has_chosen_ = has_chosen_ || victims > 1;
    for (std::uint32_t probes = std::min(victims, kMaxProbes); probes > 0; --probes) {
      const std::uint32_t victim = loaded_[place];
      if (victim != thief && may_take(deques_[victim].top())) {
        changed_.insert(victim);
        return victim;
      }
      place = place + 1 == victims ? 0 : place + 1;
    }
    return analysis::kNoWorker;
  }

  // Whether some thief had more than one victim to choose from: else another seed changes nothing.
  [[nodiscard]] bool has_chosen() const noexcept { return has_chosen_; }

  // Any worker with a node in its deque, or kNoWorker.
  [[nodiscard]] std::uint32_t any_loaded() const noexcept { return loaded_.empty() ? analysis::kNoWorker : loaded_[0]; }

  // A worker whose oldest node may be new to the idle workers, once each; kNoWorker: there is none.
  std::uint32_t next_changed() noexcept {
    if (changed_.empty()) return analysis::kNoWorker;
    const std::uint32_t worker = changed_[changed_.size() - 1];
    changed_.erase(worker);
    return worker;
  }

 private:
  std::vector<NodeDeque> deques_;
  std::vector<std::uint8_t> is_stolen_from_;
  WorkerSet loaded_;   // deque not empty
  WorkerSet changed_;  // the oldest node may be new to the idle workers
  statistics::Random random_;
  bool has_chosen_ = false;
};

}  // namespace foretask::simulate
