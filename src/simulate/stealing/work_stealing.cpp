// SPDX-License-Identifier: Apache-2.0
#include "simulate/stealing/work_stealing.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulate/cores/event_queue.hpp"
#include "simulate/stealing/idle_workers.hpp"
#include "simulate/stealing/stealing_costs.hpp"
#include "simulate/stealing/task_tree.hpp"
#include "simulate/stealing/task_waits.hpp"
#include "simulate/stealing/team_queue.hpp"
#include "simulate/stealing/worker_deques.hpp"

namespace foretask::simulate {

using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;

namespace {

// HOT: one replay. An instant has two halves. First every strand that ends at it is handled, and what becomes ready
// goes to deques. Then the workers without work decide: their own continuation or deque first, other deques after that,
// and what is still in deques is offered to workers that have been idle for longer.
//
// kRecording: nodes are strands of a runtime's tasks, tied to the workers that began them. kTeam: these have one queue
// for all workers, in the place of deques.
template <bool kRecording, bool kTeam = false>
class WorkStealing {
 public:
  // `tree` is for a recording, else nullptr. Everything referred to must stay as long as the object.
  WorkStealing(const TaskGraph& graph, const analysis::SimulationOptions& options,
               std::span<const std::int64_t> duration_ns, StealingCosts costs, PendingCounts& pending,
               const TaskTree* tree, std::span<analysis::ScheduledNode> schedule)
      : graph_(graph),
        duration_ns_(duration_ns.data()),
        release_ns_(graph.release_ns.empty() ? nullptr : graph.release_ns.data()),
        cores_(graph.cores.empty() ? nullptr : graph.cores.data()),
        schedule_(schedule.empty() ? nullptr : schedule.data()),
        workers_(std::clamp<std::size_t>(graph.size(), 1, std::min(options.cores, kDetached - 1))),
        pending_(pending),
        costs_(std::move(costs)),
        deques_(workers_, options.seed),
        waits_(graph, tree, pending, workers_, options.costs.rules.waiting),
        idle_(workers_),
        came_by_(workers_, Arrival::kFromWait),
        oldest_first_(options.costs.rules.releases_oldest_first) {
    if constexpr (kTeam) queue_.emplace(graph);
  }

  Replay run() {
    const auto count = static_cast<NodeIndex>(graph_.size());
    for (NodeIndex node = 0; node < count; ++node) {
      if (pending_.none(node)) release(node, 0);
    }
    deciding_.resize(workers_);
    std::iota(deciding_.begin(), deciding_.end(), 0U);
    for (;;) {
      handle_instant();
      decide();
      if (!finishes_.empty() || !releases_.empty() || !wakes_.empty()) {
        now_ns_ = static_cast<std::int64_t>(
            std::min({finishes_.next_time_ns(), releases_.next_time_ns(), wakes_.next_time_ns()}));
      } else if (finished_ == count || !break_stall()) {
        return {now_ns_, finished_, deques_.has_chosen()};
      }
    }
  }

 private:
  // In the worker's place of a finish event: the node ran on no worker, and what it makes ready goes to the deque of
  // the worker in the other bits.
  static constexpr std::uint32_t kDetached = 0x80000000U;

  void handle_instant() {
    const auto now = static_cast<std::uint64_t>(now_ns_);
    for (;;) {
      if (finishes_.next_time_ns() == now) {
        finish(finishes_.pop());
      } else if (releases_.next_time_ns() == now) {
        const Event event = releases_.pop();
        become_ready(event.node, event.worker);
      } else if (kTeam && wakes_.next_time_ns() == now) {
        const std::uint32_t worker = wakes_.pop().worker;
        --waking_;
        came_by_[worker] = Arrival::kWoken;
        deciding_.push_back(worker);
      } else {
        return;
      }
    }
  }

  void finish(const Event& event) {
    ++finished_;
    const std::uint32_t worker = event.worker & ~kDetached;
    if (kRecording && worker == event.worker) {
      finish_strand(event.node, event.worker);
    } else {
      if (worker == event.worker) deciding_.push_back(worker);
      for (std::uint64_t e = graph_.first_successor[event.node]; e < graph_.first_successor[event.node + 1]; ++e) {
        const NodeIndex next = graph_.successors[e];
        if (pending_.remove(next)) release(next, worker);
      }
    }
  }

  // Whether the worker runs the next task that it creates at once.
  [[nodiscard]] bool has_no_room(std::uint32_t worker) const noexcept {
    if constexpr (kTeam) return costs_.runs_at_once(queue_->tasks());
    return costs_.runs_at_once(deques_.of(worker).size());
  }

  // A strand ends: the tasks that it created and can start go to this worker's deque or to the team's queue, unless
  // that is full.
  void finish_strand(NodeIndex node, std::uint32_t worker) {
    NodeIndex continuation = kNoNode;
    NodeIndex created = kNoNode;
    for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
      const NodeIndex next = graph_.successors[e];
      const EdgeKind kind = graph_.edge_kind[e];
      const bool is_ready = pending_.remove(next);
      if (kind == EdgeKind::kContinuation) {
        continuation = next;  // whether it waits for more is seen when all edges are through
      } else if (is_ready && next != continuation) {
        if (kind == EdgeKind::kCreate && created == kNoNode &&
            graph_.parent_of_task[graph_.task_of_node[next]] != kNoNode) {
          created = next;
        } else if (kind == EdgeKind::kDependence) {
          met_.push_back(next);
        } else {
          become_ready(next, worker);
        }
      }
    }
    // An undeferred task, for which its creator waits, runs at once as well.
    const bool is_waited_for = continuation != kNoNode && !pending_.none(continuation);
    const bool is_at_once = created != kNoNode && (is_waited_for || has_no_room(worker));
    if (created != kNoNode && !is_at_once) become_ready(created, worker);
    release_met(worker);
    const bool has_queued = kTeam && created != kNoNode && !is_at_once;
    const std::int64_t from_ns = has_queued ? served_ns(costs_.added_ns(node), costs_.create_held_ns()) : 0;
    continue_behind(node, continuation, is_at_once ? created : kNoNode, worker, from_ns);
  }

  // Tasks whose last dependence was met. LLVM's runtime keeps a task's successors as a stack: the one created last is
  // pushed first, so that the worker goes on with the oldest, and thieves take the youngest. libgomp keeps a list.
  void release_met(std::uint32_t worker) {
    if (met_.size() > 1) {
      std::sort(met_.begin(), met_.end(),
                [this](NodeIndex a, NodeIndex b) { return graph_.task_of_node[a] < graph_.task_of_node[b]; });
      if (!oldest_first_) std::reverse(met_.begin(), met_.end());
    }
    for (const NodeIndex node : met_) become_ready(node, worker);
    met_.clear();
  }

  // The worker goes on, not before `from_ns`, or does something else.
  void continue_behind(NodeIndex node, NodeIndex continuation, NodeIndex at_once, std::uint32_t worker,
                       std::int64_t from_ns) {
    const bool goes_on = continuation != kNoNode && pending_.none(continuation);
    if (goes_on && at_once == kNoNode) {
      begin(worker, continuation, has_no_room(worker) ? Arrival::kGoingOnFull : Arrival::kGoingOn, from_ns);
      return;
    }
    came_by_[worker] = continuation == kNoNode ? Arrival::kFromEnd : Arrival::kFromWait;
    const std::uint32_t task = graph_.task_of_node[node];
    if (kTeam && continuation == kNoNode) queue_->end(task);
    if (goes_on) {
      waits_.put_aside(worker, continuation, task);
    } else if (continuation != kNoNode) {
      waits_.suspend(worker, continuation, task);
    }
    if (at_once != kNoNode) {
      begin(worker, at_once, Arrival::kAtOnce);
    } else {
      deciding_.push_back(worker);
    }
  }

  // The last predecessor has finished, on `worker` or by what that one made ready.
  void release(NodeIndex node, std::uint32_t worker) {
    const std::int64_t release_ns = release_ns_ == nullptr ? 0 : release_ns_[node];
    if (release_ns > now_ns_) {
      releases_.push({release_ns, node, worker});
    } else {
      become_ready(node, worker);
    }
  }

  void become_ready(NodeIndex node, std::uint32_t worker) {
    if (cores_ != nullptr && cores_[node] == 0) {
      const std::int64_t end_ns = now_ns_ + duration_ns_[node];
      if (schedule_ != nullptr) schedule_[node] = {now_ns_, end_ns, kNoWorker};
      finishes_.push({end_ns, node, kDetached | worker});
      return;
    }
    const std::uint32_t home = waits_.come_home(node);
    if (home != kNoWorker) {
      wake(home);
      return;
    }
    if constexpr (kTeam) {
      push_to_team(node, worker);
    } else {
      deques_.push(worker, node);
      wake(worker);
    }
  }

  // Its wait may have had nothing left to run.
  void push_to_team(NodeIndex node, std::uint32_t worker) {
    queue_->push(node, worker);
    const NodeIndex wait = queue_->wait_for(graph_.task_of_node[node]);
    const std::uint32_t waiting = wait == kNoNode ? kNoWorker : waits_.home_of(graph_.task_of_node[wait]);
    if (waiting != kNoWorker && waits_.innermost(waiting) == wait) wake(waiting);
  }

  // An idle worker has a reason to decide again.
  void wake(std::uint32_t worker) {
    if (idle_.erase(worker)) deciding_.push_back(worker);
  }

  void decide() {
    for (const std::uint32_t worker : deciding_) {
      if (!take_own(worker)) looking_.push_back(worker);
    }
    deciding_.clear();
    for (const std::uint32_t worker : looking_) {
      if (steal(worker)) continue;
      idle_.insert(worker, is_bound(worker));
      if (kTeam) came_by_[worker] = Arrival::kFromWait;
    }
    looking_.clear();
    if constexpr (kTeam) return wake_free();
    for (std::uint32_t victim = deques_.next_changed(); victim != kNoWorker; victim = deques_.next_changed())
      offer(victim);
  }

  [[nodiscard]] bool is_bound(std::uint32_t worker) const noexcept {
    if constexpr (kTeam) return waits_for_tasks(worker);
    return waits_.constraint_of(worker).binds;
  }
  // The innermost of the worker's stack is a taskwait or a taskgroup's end, and no barrier.
  [[nodiscard]] bool waits_for_tasks(std::uint32_t worker) const noexcept {
    const NodeIndex innermost = waits_.innermost(worker);
    return innermost != kNoNode && queue_->is_wait(innermost);
  }

  // From the team's queue, what the worker may take.
  bool take_of_team(std::uint32_t worker) {
    return begin_of_team(
        worker, waits_for_tasks(worker) ? queue_->take_newest_for(waits_.innermost(worker)) : queue_->take_oldest());
  }
  bool begin_of_team(std::uint32_t worker, NodeIndex node) {
    if (node == kNoNode) return false;
    const std::uint32_t maker = queue_->maker_of(node);
    if (maker != worker) deques_.mark_stolen(maker);
    const bool is_contended = maker == worker && deques_.take_stolen_mark(worker);
    Arrival arrival = maker != worker ? Arrival::kStolen : is_contended ? Arrival::kContended : came_by_[worker];
    std::int64_t waited_ns = 0;
    std::int64_t takes_ns = costs_.before_ns(node, arrival);
    if (came_by_[worker] == Arrival::kWoken) {
      arrival = Arrival::kWoken;
      waited_ns = takes_ns = costs_.wake_ns();
    }
    begin(worker, node, arrival, served_ns(waited_ns, std::min(costs_.take_held_ns(), takes_ns)));
    return true;
  }
  // When the team's lock has served a worker that asked for it `ago_ns` ago and keeps it for `held_ns`.
  std::int64_t served_ns(std::int64_t ago_ns, std::int64_t held_ns) noexcept {
    return lock_free_ns_ = std::max(lock_free_ns_, now_ns_ - ago_ns) + held_ns;
  }
  // Idle workers look for what is queued when they are awake. Whoever comes first takes it, such as its creator. A
  // thread's part of a region is for an idle one.
  void wake_free() {
    while (!idle_.free().empty() && queue_->starts_member()) {
      const std::uint32_t worker = idle_.free()[idle_.free().size() - 1];
      idle_.erase(worker);
      begin_of_team(worker, queue_->take_oldest());
    }
    while (queue_->size() > waking_ && !idle_.free().empty()) {
      const std::uint32_t worker = idle_.free()[idle_.free().size() - 1];
      idle_.erase(worker);
      wakes_.push({now_ns_ + costs_.wake_ns(), worker, worker});
      ++waking_;
    }
  }

  bool take_own(std::uint32_t worker) {
    if (resume(worker, false)) return true;
    if constexpr (kTeam) return take_of_team(worker);
    const NodeDeque& deque = deques_.of(worker);
    if (deque.empty() || !waits_.is_allowed(deque.bottom(), waits_.constraint_of(worker))) return false;
    begin_newest(worker);
    return true;
  }

  void begin_newest(std::uint32_t worker) {
    const bool is_contended = deques_.take_stolen_mark(worker);
    begin(worker, deques_.take_newest(worker), is_contended ? Arrival::kContended : came_by_[worker]);
  }

  bool resume(std::uint32_t worker, bool from_any_depth) {
    const NodeIndex node = waits_.resume(worker, from_any_depth);
    if (node == kNoNode) return false;
    begin(worker, node, Arrival::kResumed);
    return true;
  }

  bool steal(std::uint32_t thief) {
    const std::uint32_t victim =
        deques_.victim_for(thief, [this, constraint = waits_.constraint_of(thief)](NodeIndex node) {
          return waits_.is_allowed(node, constraint);
        });
    if (victim == kNoWorker) return false;
    begin(thief, deques_.take_oldest(victim), Arrival::kStolen);
    return true;
  }

  // Gives from the top of a deque to idle workers while they may take what is there.
  void offer(std::uint32_t victim) {
    while (!deques_.of(victim).empty()) {
      const std::uint32_t thief = idle_worker_for(deques_.of(victim).top());
      if (thief == kNoWorker) return;
      idle_.erase(thief);
      begin(thief, deques_.take_oldest(victim), Arrival::kStolen);
    }
  }

  std::uint32_t idle_worker_for(NodeIndex node) {
    if (!idle_.free().empty()) return idle_.free()[idle_.free().size() - 1];
    const WorkerSet& bound = idle_.bound();
    if (bound.size() <= kMaxProbes) {
      for (std::uint32_t place = 0; place < bound.size(); ++place) {
        if (waits_.is_allowed(node, waits_.constraint_of(bound[place]))) return bound[place];
      }
      return kNoWorker;
    }
    // Many wait: the node's own ancestors are fewer.
    std::uint32_t ancestor = graph_.task_of_node[node];
    for (std::uint32_t probes = kMaxProbes; probes > 0; --probes) {
      ancestor = graph_.parent_of_task[ancestor];
      if (ancestor == kNoNode) break;
      const std::uint32_t worker = waits_.home_of(ancestor);
      if (worker != kNoWorker && bound.contains(worker) && waits_.is_allowed(node, waits_.constraint_of(worker)))
        return worker;
    }
    return kNoWorker;
  }

  // Not before `served_ns`.
  void begin(std::uint32_t worker, NodeIndex node, Arrival arrival, std::int64_t served_ns = 0) {
    const std::int64_t start_ns = std::max(served_ns, now_ns_ + costs_.before_ns(node, arrival));
    const std::int64_t end_ns = start_ns + duration_ns_[node] + costs_.added_ns(node);
    if (schedule_ != nullptr) schedule_[node] = {start_ns, end_ns, worker};
    finishes_.push({end_ns, node, worker});
  }

  // No worker runs, but nodes are left: the rule that keeps a worker from what it could do is dropped once. The runs
  // that recordings come from had more threads to get round it with.
  bool break_stall() {
    for (std::uint32_t worker = 0; worker < workers_; ++worker) {
      if (!waits_.can_resume(worker)) continue;
      idle_.erase(worker);
      if (resume(worker, true)) return true;
    }
    if constexpr (kTeam) {
      idle_.erase(0);
      return begin_of_team(0, queue_->take_oldest());
    }
    const std::uint32_t worker = deques_.any_loaded();
    if (worker == kNoWorker) return false;
    idle_.erase(worker);
    begin_newest(worker);
    return true;
  }

  const TaskGraph& graph_;
  const std::int64_t* duration_ns_;
  const std::int64_t* release_ns_;     // nullptr: all 0
  const std::uint8_t* cores_;          // nullptr: all 1
  analysis::ScheduledNode* schedule_;  // nullptr: not asked for
  const std::size_t workers_;
  PendingCounts& pending_;
  const StealingCosts costs_;
  WorkerDeques deques_;
  std::optional<TeamQueue> queue_;  // kTeam alone
  TaskWaits<kRecording> waits_;
  IdleWorkers idle_;
  std::vector<Arrival> came_by_;  // of each worker: what its next task of its own deque comes behind
  const bool oldest_first_;
  std::vector<std::uint32_t> deciding_;
  std::vector<std::uint32_t> looking_;  // kept for its memory, as is
  std::vector<NodeIndex> met_;          // by the strand at hand: tasks whose last dependence it was
  EventQueue finishes_;
  EventQueue releases_;
  EventQueue wakes_;  // kTeam: of idle workers
  std::int64_t now_ns_ = 0;
  std::int64_t lock_free_ns_ = 0;  // kTeam: of the queue
  std::uint32_t waking_ = 0;       // workers of `wakes_`
  std::size_t finished_ = 0;
};

// What keeps the recording from being replayed, or an empty string.
std::string problem_with_strands(const TaskGraph& graph) {
  const std::size_t tasks = graph.parent_of_task.size();
  if (graph.task_of_node.size() != graph.size() || graph.edge_kind.size() != graph.edge_count() ||
      (!graph.task_is_untied.empty() && graph.task_is_untied.size() != tasks)) {
    return "the recording's strands, edges and tasks do not fit together";
  }
  for (const std::uint32_t task : graph.task_of_node) {
    if (task >= tasks) return "a strand belongs to a task that the recording does not have";
  }
  return {};
}

}  // namespace

Result<Replay> replay_work_stealing(const TaskGraph& graph, const analysis::SimulationOptions& options,
                                    const Durations& durations, PendingCounts& pending,
                                    std::span<analysis::ScheduledNode> schedule) {
  const bool is_recording = !graph.task_of_node.empty();
  std::optional<TaskTree> tree;
  if (is_recording) {
    if (auto problem = problem_with_strands(graph); !problem.empty()) return Error{problem};
    tree = TaskTree::of(graph.parent_of_task);
    if (!tree) return Error{"a task of the recording is older than its parent"};
  }
  auto costs = StealingCosts::of(graph, options, durations.work_ns);
  if (!costs) return costs.error();
  if (is_recording && options.costs.rules.queue == analysis::RuntimeRules::Queue::kTeam)
    return WorkStealing<true, true>(graph, options, durations.ns, *std::move(costs), pending, &*tree, schedule).run();
  if (is_recording)
    return WorkStealing<true>(graph, options, durations.ns, *std::move(costs), pending, &*tree, schedule).run();
  return WorkStealing<false>(graph, options, durations.ns, *std::move(costs), pending, nullptr, schedule).run();
}

}  // namespace foretask::simulate
