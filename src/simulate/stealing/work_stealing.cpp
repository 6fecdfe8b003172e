// SPDX-License-Identifier: Apache-2.0
#include "simulate/stealing/work_stealing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/wide.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/quad_heap.hpp"
#include "simulate/stealing/deque_tasks.hpp"
#include "simulate/stealing/replay_workers.hpp"
#include "simulate/stealing/task_waits.hpp"

namespace foretask::simulate {
namespace {

using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;
using analysis::TeamCosts;
using base::Wide;

// HOT: the ready tasks of a team that has one queue for all its threads, as libgomp's has. Threads at a barrier take
// the oldest. A task that waits takes what it waits for, the newest first: each task is in a list of that wait as well.
// Whoever takes a task from one place leaves it in the other, where it is passed over later.
class TeamTasks {
 public:
  using NodeIndex = analysis::NodeIndex;

  // Of a recording. Everything referred to must stay as long as the object.
  TeamTasks(const analysis::TaskGraph& graph, const analysis::SimulationOptions& /*options*/,
            ReplayWorkers<true>& workers)
      : graph_(graph),
        workers_(workers),
        newest_(graph.size(), kIsNoWait),
        older_(graph.parent_of_task.size(), analysis::kNoNode),
        wait_for_(graph.parent_of_task.size(), analysis::kNoNode),
        maker_(graph.parent_of_task.size(), 0),
        state_(graph.parent_of_task.size(), State::kOutside),
        is_taken_from_(workers.count()) {
    for (NodeIndex node = 0; node < graph.size(); ++node) {
      const std::uint32_t task = graph.task_of_node[node];
      if (!is_explicit(task) || wait_for_[task] != analysis::kNoNode) continue;
      for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
        const NodeIndex next = graph.successors[e];
        // A barrier's node runs on no worker: what it waits for all threads may take.
        if (graph.edge_kind[e] != analysis::EdgeKind::kJoin || graph.task_of_node[next] == task ||
            !graph.occupies_worker(next))
          continue;
        wait_for_[task] = next;
        newest_[next] = analysis::kNoNode;
        break;
      }
    }
  }

  // Whether the next task that a worker creates runs at once.
  [[nodiscard]] bool has_no_room(std::uint32_t /*worker*/) const noexcept {
    return workers_.costs().runs_at_once(tasks_);
  }
  // `node` is ready; `worker` made it so. A worker that waits for the task may have had nothing left to run.
  void push(NodeIndex node, std::uint32_t worker) {
    const std::uint32_t task = graph_.task_of_node[node];
    if (state_[task] == State::kOutside && is_explicit(task)) ++tasks_;
    state_[task] = State::kQueued;
    ++size_;
    maker_[task] = worker;
    queue_.push_back(node);
    const NodeIndex wait = wait_for_[task];
    if (wait == analysis::kNoNode) return;
    older_[task] = newest_[wait];
    newest_[wait] = node;
    const std::uint32_t waiting = workers_.waits().home_of(graph_.task_of_node[wait]);
    if (waiting != kNoWorker && workers_.waits().innermost(waiting) == wait) workers_.wake(waiting);
  }
  // When the creator of a task that was queued goes on behind `strand`, at the earliest: the lock has served it.
  [[nodiscard]] std::int64_t queued_ns(NodeIndex strand) noexcept {
    return served_ns(workers_.costs().added_ns(strand), workers_.costs().create_held_ns());
  }
  // A task is over.
  void end(std::uint32_t task) noexcept {
    if (state_[task] == State::kTaken && is_explicit(task)) --tasks_;
  }

  // What the worker may take.
  bool take(std::uint32_t worker) {
    return begin(worker, waits_for_tasks(worker) ? take_newest_for(workers_.waits().innermost(worker)) : take_oldest());
  }
  // There is one queue, and it was looked at.
  [[nodiscard]] bool steal(std::uint32_t /*thief*/) const noexcept { return false; }
  // A worker found nothing.
  void become_idle(std::uint32_t worker) {
    workers_.idle().insert(worker, waits_for_tasks(worker));
    workers_.come_by(worker, Arrival::kFromWait);
  }
  // After all have decided. Idle workers look for what is queued when they are awake. Whoever comes first takes it,
  // such as its creator. A thread's part of a region is for an idle one.
  void offer() {
    while (!workers_.idle().free().empty() && starts_member()) begin(take_idle(), take_oldest());
    while (size_ > waking_ && !workers_.idle().free().empty()) {
      const std::uint32_t worker = take_idle();
      wakes_.push({workers_.now_ns() + workers_.costs().wake_ns(), worker, worker});
      ++waking_;
    }
  }
  // The first worker begins the oldest, whatever binds it. False where there is nothing.
  bool begin_any() {
    workers_.idle().erase(0);
    return begin(0, take_oldest());
  }

  // When the next worker is awake.
  [[nodiscard]] std::uint64_t next_time_ns() const noexcept { return wakes_.next_time_ns(); }
  void handle_next() {
    const std::uint32_t worker = wakes_.pop().worker;
    --waking_;
    workers_.come_by(worker, Arrival::kWoken);
    workers_.decide_next(worker);
  }

  // Nothing is left to chance.
  [[nodiscard]] bool has_chosen() const noexcept { return false; }

 private:
  enum class State : std::uint8_t { kOutside, kQueued, kTaken };
  static constexpr NodeIndex kIsNoWait = analysis::kNoNode - 1;

  // The oldest of all, or of those that the wait before `wait` waits for the newest. kNoNode: there is none.
  NodeIndex take_oldest() {
    drop_taken();
    if (queue_.empty()) return analysis::kNoNode;
    const NodeIndex node = claim(queue_.front());
    queue_.pop_front();
    return node;
  }
  NodeIndex take_newest_for(NodeIndex wait) {
    NodeIndex& newest = newest_[wait];
    while (newest != analysis::kNoNode) {
      const NodeIndex node = claim(newest);
      newest = older_[graph_.task_of_node[newest]];
      if (node != analysis::kNoNode) return node;
    }
    return analysis::kNoNode;
  }
  // Whether the oldest is a thread's part of a parallel region.
  [[nodiscard]] bool starts_member() {
    drop_taken();
    return !queue_.empty() && !is_explicit(graph_.task_of_node[queue_.front()]);
  }
  void drop_taken() {
    while (!queue_.empty() && state_[graph_.task_of_node[queue_.front()]] != State::kQueued) queue_.pop_front();
  }
  // kNoNode where it was taken from its other place.
  NodeIndex claim(NodeIndex node) noexcept {
    State& state = state_[graph_.task_of_node[node]];
    if (state != State::kQueued) return analysis::kNoNode;
    state = State::kTaken;
    --size_;
    return node;
  }
  [[nodiscard]] bool is_explicit(std::uint32_t task) const noexcept {
    return graph_.parent_of_task[task] != analysis::kNoNode;
  }

  // The innermost of the worker's stack is a taskwait or a taskgroup's end, and no barrier.
  [[nodiscard]] bool waits_for_tasks(std::uint32_t worker) const noexcept {
    const NodeIndex innermost = workers_.waits().innermost(worker);
    return innermost != analysis::kNoNode && newest_[innermost] != kIsNoWait;
  }
  std::uint32_t take_idle() noexcept {
    const WorkerSet& free = workers_.idle().free();
    const std::uint32_t worker = free[free.size() - 1];
    workers_.idle().erase(worker);
    return worker;
  }

  bool begin(std::uint32_t worker, NodeIndex node) {
    if (node == analysis::kNoNode) return false;
    const StealingCosts& costs = workers_.costs();
    const std::uint32_t maker = maker_[graph_.task_of_node[node]];
    if (maker != worker) is_taken_from_[maker] = 1;
    const bool is_contended = maker == worker && std::exchange(is_taken_from_[worker], 0) != 0;
    Arrival arrival = maker != worker ? Arrival::kStolen
                      : is_contended  ? Arrival::kContended
                                      : workers_.came_by(worker);
    std::int64_t waited_ns = 0;
    std::int64_t takes_ns = costs.before_ns(node, arrival);
    if (workers_.came_by(worker) == Arrival::kWoken) {
      arrival = Arrival::kWoken;
      waited_ns = takes_ns = costs.wake_ns();
    }
    workers_.begin(worker, node, arrival, served_ns(waited_ns, std::min(costs.take_held_ns(), takes_ns)));
    return true;
  }
  // When the lock has served a worker that asked for it `ago_ns` ago and keeps it for `held_ns`.
  std::int64_t served_ns(std::int64_t ago_ns, std::int64_t held_ns) noexcept {
    return lock_free_ns_ = std::max(lock_free_ns_, workers_.now_ns() - ago_ns) + held_ns;
  }

  const analysis::TaskGraph& graph_;
  ReplayWorkers<true>& workers_;
  std::deque<NodeIndex> queue_;              // the oldest first
  std::vector<NodeIndex> newest_;            // of each strand behind a wait: what it waits for and was ready last
  std::vector<NodeIndex> older_;             // of each task: the one before it in that list
  std::vector<NodeIndex> wait_for_;          // of each task: the strand behind the wait that waits for it, or kNoNode
  std::vector<std::uint32_t> maker_;         // of each task: the worker that made it ready
  std::vector<State> state_;                 // of each task
  std::uint32_t size_ = 0;                   // queued
  std::uint32_t tasks_ = 0;                  // explicit ones that run or could run; not those within their creation
  std::vector<std::uint8_t> is_taken_from_;  // of each worker: another has begun what it made ready
  EventQueue wakes_;                         // of idle workers
  std::uint32_t waking_ = 0;                 // of them
  std::int64_t lock_free_ns_ = 0;
};

// Every instant is at most the latest release, plus all durations, plus all costs.
bool fits(const TeamCosts& costs, std::int64_t team_start_ns, const TaskGraph& graph, std::int64_t work_ns) {
  Wide latest_ns = static_cast<Wide>(work_ns) + team_start_ns;
  for (const analysis::TeamCostField& field : analysis::kTeamCostFields)
    latest_ns += static_cast<Wide>(costs.*field.ns) * graph.size();
  for (const std::uint16_t count : graph.dependences_of_task)
    latest_ns += (static_cast<Wide>(costs.depend_ns) + costs.release_ns) * count;
  if (!graph.release_ns.empty()) latest_ns += *std::max_element(graph.release_ns.begin(), graph.release_ns.end());
  return latest_ns <= std::numeric_limits<std::int64_t>::max();
}

// For how many tasks there is room in a deque, or in the team.
std::size_t room_of(const analysis::SimulationOptions& options) {
  const analysis::RuntimeRules& rules = options.costs.rules;
  if (rules.alone_is_at_once && options.cores < 2) return 0;
  if (rules.tasks_per_thread != 0) return std::size_t{rules.tasks_per_thread} * options.cores + 1;
  return rules.deque_capacity != 0 ? rules.deque_capacity : std::numeric_limits<std::size_t>::max();
}

bool is_any(const TeamCosts& costs, bool (*test)(std::int64_t ns)) {
  return std::ranges::any_of(analysis::kTeamCostFields, [&](const auto& field) { return test(costs.*field.ns); });
}

// How many strands and tasks each node comes behind, up to 2.
base::PagedVector<std::uint8_t> predecessors_of(const TaskGraph& graph) {
  base::PagedVector<std::uint8_t> predecessors(graph.size());
  for (const NodeIndex next : graph.successors)
    if (predecessors[next] < 2) ++predecessors[next];
  return predecessors;
}

// HOT: one replay. An instant has two halves. First every strand that ends at it is handled, and what becomes ready
// goes to `Tasks`. Then the workers without work decide: their own continuation or tasks first, others' tasks after
// that, and what is still there is offered to workers that have been idle for longer.
//
// kRecording: nodes are strands of a runtime's tasks, tied to the workers that began them.
template <bool kRecording, typename Tasks>
class WorkStealing {
 public:
  // `tree` is for a recording, else nullptr. Everything referred to must stay as long as the object.
  WorkStealing(const TaskGraph& graph, const analysis::SimulationOptions& options,
               std::span<const std::int64_t> duration_ns, StealingCosts costs, PendingCounts& pending,
               const TaskTree* tree, std::span<analysis::ScheduledNode> schedule)
      : graph_(graph),
        release_ns_(graph.release_ns.empty() ? nullptr : graph.release_ns.data()),
        cores_(graph.cores.empty() ? nullptr : graph.cores.data()),
        pending_(pending),
        workers_(graph, options, duration_ns, std::move(costs), pending, tree, schedule),
        tasks_(graph, options, workers_),
        oldest_first_(options.costs.rules.releases_oldest_first) {}

  Replay run() {
    const auto count = static_cast<NodeIndex>(graph_.size());
    for (NodeIndex node = 0; node < count; ++node) {
      if (pending_.none(node)) release(node, 0);
    }
    for (;;) {
      handle_instant();
      decide();
      const std::uint64_t next_ns =
          std::min({workers_.finishes().next_time_ns(), releases_.next_time_ns(), tasks_.next_time_ns()});
      if (next_ns != EventQueue::kNever) {
        workers_.set_now(static_cast<std::int64_t>(next_ns));
      } else if (finished_ == count || !break_stall()) {
        return {workers_.now_ns(), finished_, tasks_.has_chosen()};
      }
    }
  }

 private:
  void handle_instant() {
    const auto now = static_cast<std::uint64_t>(workers_.now_ns());
    for (;;) {
      if (workers_.finishes().next_time_ns() == now) {
        finish(workers_.finishes().pop());
      } else if (releases_.next_time_ns() == now) {
        const Event event = releases_.pop();
        become_ready(event.node, event.worker);
      } else if (tasks_.next_time_ns() == now) {
        tasks_.handle_next();
      } else {
        return;
      }
    }
  }

  void finish(const Event& event) {
    ++finished_;
    const std::uint32_t worker = event.worker & ~ReplayWorkers<kRecording>::kDetached;
    if (kRecording && worker == event.worker) {
      finish_strand(event.node, event.worker);
    } else {
      if (worker == event.worker) workers_.decide_next(worker);
      for (std::uint64_t e = graph_.first_successor[event.node]; e < graph_.first_successor[event.node + 1]; ++e) {
        const NodeIndex next = graph_.successors[e];
        if (pending_.remove(next)) release(next, worker);
      }
    }
  }

  // A strand ends: the tasks that it created and can start are ready, unless there is no room for more.
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
    const bool is_at_once = created != kNoNode && (is_waited_for || tasks_.has_no_room(worker));
    const bool is_queued = created != kNoNode && !is_at_once;
    if (is_queued) become_ready(created, worker);
    release_met(worker);
    continue_behind(node, continuation, is_at_once ? created : kNoNode, worker, is_queued ? tasks_.queued_ns(node) : 0);
  }

  // Tasks whose last dependence was met. LLVM's runtime keeps a task's successors as a stack: the one created last is
  // pushed first, so that the worker goes on with the oldest, and thieves take the youngest. libgomp keeps a list.
  void release_met(std::uint32_t worker) {
    if (met_.size() > 1) {
      std::ranges::sort(met_, {}, [this](NodeIndex node) { return graph_.task_of_node[node]; });
      if (!oldest_first_) std::reverse(met_.begin(), met_.end());
    }
    for (const NodeIndex node : met_) become_ready(node, worker);
    met_.clear();
  }

  // The worker goes on, not before `from_ns`, or does something else.
  void continue_behind(NodeIndex node, NodeIndex continuation, NodeIndex at_once, std::uint32_t worker,
                       std::int64_t from_ns) {
    const bool goes_on = continuation != kNoNode && pending_.none(continuation);
    const bool is_full = tasks_.has_no_room(worker);
    if (goes_on && at_once == kNoNode)
      return workers_.begin(worker, continuation, is_full ? Arrival::kGoingOnFull : Arrival::kGoingOn, from_ns,
                            is_full);
    workers_.come_by(worker, continuation == kNoNode ? Arrival::kFromEnd : Arrival::kFromWait);
    const std::uint32_t task = graph_.task_of_node[node];
    if (goes_on) {
      workers_.waits().put_aside(worker, continuation, task);
    } else if (continuation != kNoNode) {
      workers_.waits().suspend(worker, continuation, task);
    } else {
      tasks_.end(task);
    }
    if (at_once != kNoNode) {
      workers_.begin(worker, at_once, Arrival::kAtOnce, 0, is_full);
    } else {
      workers_.decide_next(worker);
    }
  }

  // The last predecessor has finished, on `worker` or by what that one made ready.
  void release(NodeIndex node, std::uint32_t worker) {
    const std::int64_t release_ns = release_ns_ == nullptr ? 0 : release_ns_[node];
    if (release_ns > workers_.now_ns()) {
      releases_.push({release_ns, node, worker});
    } else {
      become_ready(node, worker);
    }
  }

  void become_ready(NodeIndex node, std::uint32_t worker) {
    if (cores_ != nullptr && cores_[node] == 0) return workers_.begin_detached(worker, node);
    const std::uint32_t home = workers_.waits().come_home(node);
    if (home != kNoWorker) {
      workers_.wake(home);
    } else {
      tasks_.push(node, worker);
    }
  }

  void decide() {
    for (const std::uint32_t worker : workers_.deciding()) {
      if (!workers_.resume(worker, false) && !tasks_.take(worker)) looking_.push_back(worker);
    }
    workers_.deciding().clear();
    for (const std::uint32_t worker : looking_) {
      if (!tasks_.steal(worker)) tasks_.become_idle(worker);
    }
    looking_.clear();
    tasks_.offer();
  }

  // No worker runs, but nodes are left: the rule that keeps a worker from what it could do is dropped once. The runs
  // that recordings come from had more threads to get round it with.
  bool break_stall() {
    for (std::uint32_t worker = 0; worker < workers_.count(); ++worker) {
      if (!workers_.waits().can_resume(worker)) continue;
      workers_.idle().erase(worker);
      if (workers_.resume(worker, true)) return true;
    }
    return tasks_.begin_any();
  }

  const TaskGraph& graph_;
  const std::int64_t* release_ns_;  // nullptr: all 0
  const std::uint8_t* cores_;       // nullptr: all 1
  PendingCounts& pending_;
  ReplayWorkers<kRecording> workers_;
  Tasks tasks_;
  const bool oldest_first_;
  std::vector<std::uint32_t> looking_;  // kept for its memory, as is
  std::vector<NodeIndex> met_;          // by the strand at hand: tasks whose last dependence it was
  EventQueue releases_;
  std::size_t finished_ = 0;
};

// What keeps the recording from being replayed, or an empty string.
std::string problem_with_strands(const TaskGraph& graph) {
  const std::size_t tasks = graph.parent_of_task.size();
  if (graph.task_of_node.size() != graph.size() || graph.edge_kind.size() != graph.edge_count() ||
      (!graph.task_is_untied.empty() && graph.task_is_untied.size() != tasks) ||
      (!graph.dependences_of_task.empty() && graph.dependences_of_task.size() != tasks)) {
    return "the recording's strands, edges and tasks do not fit together";
  }
  for (const std::uint32_t task : graph.task_of_node) {
    if (task >= tasks) return "a strand belongs to a task that the recording does not have";
  }
  return {};
}

}  // namespace

Result<StealingCosts> StealingCosts::of(const TaskGraph& graph, const analysis::SimulationOptions& options,
                                        std::int64_t work_ns) {
  const TeamCosts team = analysis::team_costs(options.costs.teams, std::max(1U, options.cores));
  const TeamCosts of_one = analysis::team_costs(options.costs.teams, 1);
  const auto is_negative = [](std::int64_t ns) { return ns < 0; };
  if (is_any(team, is_negative) || is_any(of_one, is_negative) || options.costs.thread_ns < 0 ||
      options.costs.team_start_ns < 0)
    return Error{"a scheduling cost is negative"};
  StealingCosts costs(graph, options);
  TeamCosts most = team;
  most.create_ns = std::max(team.create_ns, of_one.create_ns);
  if (!fits(most, costs.team_start_ns_, graph, work_ns)) return Error{"the scheduling costs are too large"};
  costs.fill_tables(team, of_one);
  const std::uint32_t measured = std::max({1U, options.costs.calibrated_threads, options.costs.recorded_workers});
  // Of fewer threads the costs have all that these wait for each other.
  costs.create_held_ns_ = options.cores > measured ? team.create_ns / measured : 0;
  costs.take_held_ns_ = options.cores > measured ? team.next_ns / measured : 0;
  const bool is_recording = !graph.task_of_node.empty();
  if (!is_recording || !is_any(most, [](std::int64_t ns) { return ns != 0; })) return costs;
  costs.mark_strands(graph, team);
  if (!graph.subtrees.empty()) costs.price_subtrees(graph, options.costs.recorded_team, team, of_one);
  return costs;
}

// As much dearer or cheaper as tasks are in this team; where there is no room for more, as in a team of one.
void StealingCosts::price_subtrees(const TaskGraph& graph, const TeamCosts& recorded, const TeamCosts& team,
                                   const TeamCosts& of_one) {
  constexpr double kMostNs = 1e9;  // a grain is less; a damaged trace may say anything
  full_ns_ = more_ns_;
  for (const analysis::NodeSubtree& subtree : graph.subtrees) {
    const double waits = static_cast<double>(subtree.waits) / std::max(1.0, static_cast<double>(subtree.tasks));
    const bool has_parts = !graph.task_is_untied.empty() && graph.task_is_untied[graph.task_of_node[subtree.node]] != 0;
    const auto task_ns = [&](const TeamCosts& costs) { return analysis::task_costs(costs, waits, has_parts).ns(); };
    const double recorded_ns = std::lerp(task_ns(recorded), task_ns(of_one), subtree.at_once);
    const auto price_ns = [&](const TeamCosts& costs) {
      const double task = recorded.threads == costs.threads ? task_ns(recorded) : task_ns(costs);
      const double factor = recorded_ns > 0 ? task / recorded_ns : 1;
      return std::llround(std::clamp(factor * static_cast<double>(subtree.runtime_ns), 0.0, kMostNs));
    };
    more_ns_[subtree.node] += price_ns(team);
    full_ns_[subtree.node] += price_ns(of_one);
  }
}

StealingCosts::StealingCosts(const TaskGraph& graph, const analysis::SimulationOptions& options)
    : room_(room_of(options)), team_start_(graph.team_start) {
  if (options.cores < 2) return;
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  const Wide recorded = options.costs.recorded_workers;
  const Wide most_ns = options.costs.team_start_ns + Wide{options.cores} * options.costs.thread_ns;
  // No number is negative.
  const Wide start_ns = most_ns - std::min(most_ns, recorded * options.costs.thread_ns);
  team_start_ns_ = static_cast<std::int64_t>(std::min<Wide>(start_ns, kMost));
}

void StealingCosts::fill_tables(const TeamCosts& costs, const TeamCosts& of_one) {
  const auto set = [this](Begin begin, Arrival arrival, std::int64_t ns) {
    before_ns_[static_cast<std::size_t>(begin)][static_cast<std::size_t>(arrival)] = ns;
  };
  set(Begin::kTask, Arrival::kFromWait, costs.dispatch_ns);
  set(Begin::kTask, Arrival::kFromEnd, costs.next_ns);
  set(Begin::kTask, Arrival::kContended, std::max(costs.contended_ns, costs.next_ns));
  set(Begin::kTask, Arrival::kAtOnce, costs.at_once_ns);
  set(Begin::kWait, Arrival::kResumed, costs.resume_ns);
  for (const Arrival arrival : {Arrival::kGoingOn, Arrival::kGoingOnFull}) set(Begin::kWait, arrival, costs.pass_ns);
  set(Begin::kSwitch, Arrival::kGoingOn, costs.next_ns);
  set(Begin::kSwitch, Arrival::kGoingOnFull, costs.at_once_ns);
  for (auto& of_begin : before_ns_) of_begin[static_cast<std::size_t>(Arrival::kStolen)] = costs.steal_ns;
  wake_ns_ = costs.steal_ns;
  before_ns_[static_cast<std::size_t>(Begin::kTeam)].fill(costs.fork_ns);
  set(Begin::kTeam, Arrival::kWoken, std::max<std::int64_t>(0, costs.fork_ns - wake_ns_));
  before_ns_[static_cast<std::size_t>(Begin::kBarrier)].fill(costs.barrier_ns);
  added_ns_[static_cast<std::size_t>(End::kCreation)] = costs.create_ns;
  added_ns_[static_cast<std::size_t>(End::kUndeferred)] = of_one.create_ns;
  added_ns_[static_cast<std::size_t>(End::kWait)] = costs.wait_ns;
  added_ns_[static_cast<std::size_t>(End::kTask)] = costs.body_ns;
}

// The runtime looks a dependence up where its task is created, and goes through what comes behind it where that ends.
void StealingCosts::mark_strands(const TaskGraph& graph, const TeamCosts& team) {
  const std::vector<std::uint16_t>& dependences = graph.dependences_of_task;
  if (!dependences.empty() || !graph.subtrees.empty()) more_ns_.resize(graph.size());
  ends_ = base::PagedVector<Ends>(graph.size());
  const base::PagedVector<std::uint8_t> predecessors = predecessors_of(graph);
  const auto is_explicit = [&graph](NodeIndex node) {
    return graph.parent_of_task[graph.task_of_node[node]] != kNoNode;
  };
  const auto is_untied = [&graph](NodeIndex node) {
    return !graph.task_is_untied.empty() && graph.task_is_untied[graph.task_of_node[node]] != 0;
  };
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    NodeIndex continuation = kNoNode;
    bool creates = false;
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
      const NodeIndex next = graph.successors[e];
      if (graph.edge_kind[e] == EdgeKind::kContinuation) {
        continuation = next;
      } else if (graph.edge_kind[e] == EdgeKind::kCreate) {
        ends_[next].begin = is_explicit(next) ? Begin::kTask : Begin::kTeam;
        creates = creates || is_explicit(next);
        if (!dependences.empty()) more_ns_[node] += team.depend_ns * dependences[graph.task_of_node[next]];
      } else if (graph.edge_kind[e] == EdgeKind::kJoin && !is_explicit(node) && ends_[next].begin != Begin::kTeam) {
        ends_[next].begin = Begin::kBarrier;
      }
    }
    if (continuation == kNoNode) {
      if (!dependences.empty()) more_ns_[node] += team.release_ns * dependences[graph.task_of_node[node]];
      if (is_explicit(node) && graph.occupies_worker(node)) ends_[node].end = End::kTask;
    } else if (creates) {
      ends_[node].end = predecessors[continuation] > 1 ? End::kUndeferred : End::kCreation;
    } else if (ends_[continuation].begin == Begin::kOther) {
      const bool is_switch = is_untied(node) && predecessors[continuation] == 1;
      ends_[continuation].begin = is_switch ? Begin::kSwitch : Begin::kWait;
      if (is_switch) ends_[node].end = End::kTask;
    }
  }
  // A strand before a barrier waits at no taskwait. What joins the team comes later in the graph.
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e)
      if (graph.edge_kind[e] == EdgeKind::kContinuation && ends_[graph.successors[e]].begin == Begin::kWait)
        ends_[node].end = End::kWait;
  }
}

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
    return WorkStealing<true, TeamTasks>(graph, options, durations.ns, *std::move(costs), pending, &*tree, schedule)
        .run();
  if (is_recording)
    return WorkStealing<true, DequeTasks<true>>(graph, options, durations.ns, *std::move(costs), pending, &*tree,
                                                schedule)
        .run();
  return WorkStealing<false, DequeTasks<false>>(graph, options, durations.ns, *std::move(costs), pending, nullptr,
                                                schedule)
      .run();
}

}  // namespace foretask::simulate
