// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/graph_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "foretask/hook.h"
#include "graph/reconstruction/cancelled_groups.hpp"
#include "graph/reconstruction/code_samples.hpp"
#include "graph/reconstruction/fact_events.hpp"
#include "graph/reconstruction/loop_events.hpp"
#include "graph/reconstruction/path_analysis.hpp"
#include "graph/reconstruction/reconstruction_state.hpp"
#include "graph/reconstruction/task_events.hpp"
#include "graph/reconstruction/task_order.hpp"
#include "graph/reconstruction/team_events.hpp"
#include "graph/reconstruction/wait_events.hpp"
#include "trace/stream_reader.hpp"

namespace foretask::graph {
namespace {

// HOT: the streams' events in the order of their time stamps. Of equal stamps one that may come after another thread's
// event comes last (processors whose clock advances in steps of 40 ns have many), and then the streams' numbers decide.
class EventMerge {
 public:
  explicit EventMerge(std::vector<trace::StreamReader>& streams) : streams_(streams), heads_(streams.size()) {
    for (std::uint32_t index = 0; index < streams.size(); ++index)
      if (streams_[index].next(heads_[index])) heap_.push_back(entry_of(index));
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

  // Calls visit(stream number, event) for each event. While one stream's events come before all others' no heap is
  // touched, which is most of the time.
  template <typename Visit>
  void run(Visit&& visit) {
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const std::uint32_t index = heap_.back().stream;
      heap_.pop_back();
      const Entry bound = heap_.empty() ? Entry{~std::uint64_t{0}, true, ~std::uint32_t{0}} : heap_.front();
      trace::Event& head = heads_[index];
      bool more = true;
      do {
        visit(index, head);
        more = streams_[index].next(head);
      } while (more && !later(entry_of(index), bound));
      if (!more) continue;
      heap_.push_back(entry_of(index));
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
  }

 private:
  struct Entry {
    std::uint64_t ticks;
    bool is_after_others;
    std::uint32_t stream;
  };
  static bool later(const Entry& a, const Entry& b) noexcept {
    if (a.ticks != b.ticks) [[likely]]
      return a.ticks > b.ticks;
    return a.is_after_others != b.is_after_others ? a.is_after_others : a.stream > b.stream;
  }

  // A task begins after its creation, a wait ends after what it waited for, a lock is had after it was released.
  static constexpr std::uint64_t kAfterOthers = [] {
    std::uint64_t kinds = 0;
    for (const int kind : {FORETASK_EVENT_TASK_SWITCH_OWN, FORETASK_EVENT_TASK_SWITCH, FORETASK_EVENT_WAIT_END,
                           FORETASK_EVENT_DEPEND_WAIT_END, FORETASK_EVENT_GROUP_END, FORETASK_EVENT_BARRIER_END,
                           FORETASK_EVENT_REGION_END, FORETASK_EVENT_IMPLICIT_BEGIN, FORETASK_EVENT_LOCK_ACQUIRED})
      kinds |= std::uint64_t{1} << kind;
    return kinds;
  }();
  static_assert(FORETASK_EVENT_KINDS <= 64);

  [[nodiscard]] Entry entry_of(std::uint32_t stream) const noexcept {
    const trace::Event& head = heads_[stream];
    return {head.ticks, (kAfterOthers >> head.kind & 1) != 0, stream};
  }

  std::vector<trace::StreamReader>& streams_;
  std::vector<trace::Event> heads_;
  std::vector<Entry> heap_;
};

// The stream that is opened first. Its thread is mostly the one that comes to OpenMP first.
constexpr std::uint32_t kInitialStream = 0;
constexpr std::uint64_t kProgressEvents = 1 << 20;
constexpr std::size_t kSubtreeHeadWords = trace::kPayloadShapes[FORETASK_EVENT_SUBTREE].head_words;

constexpr std::uint32_t kOrderedLock = 7;  // OMPT's ompt_mutex_ordered
constexpr std::uint32_t kOfTeam = FORETASK_CANCEL_PARALLEL | FORETASK_CANCEL_SECTIONS | FORETASK_CANCEL_LOOP;

// What the program says whether or not it uses a runtime.
bool is_fact_of_program(std::uint32_t kind) {
  return kind == FORETASK_EVENT_KERNEL_SAMPLE || kind == FORETASK_EVENT_GRANULARITY || kind == FORETASK_EVENT_INTEREST;
}

// Says nothing of the program's using the runtime: what the runtime's threads are told when nobody needs them any more,
// and what a program says outside of tasks.
bool says_nothing_of_use(std::uint32_t kind) {
  return kind == FORETASK_EVENT_BARRIER_END || kind == FORETASK_EVENT_IMPLICIT_END ||
         kind == FORETASK_EVENT_THREAD_BEGIN || kind == FORETASK_EVENT_THREAD_END ||
         kind == FORETASK_EVENT_THREAD_TIMES || is_fact_of_program(kind);
}

// The stream of the program's first thread, kNone where that one never used OpenMP.
std::uint32_t find_main_worker(const TraceCensus& census, std::int64_t main_thread) {
  for (std::uint32_t index = 0; index < census.streams.size(); ++index)
    if (census.streams[index].thread != 0 && census.streams[index].thread == main_thread) return index;
  const bool unknown = main_thread == 0 || census.streams.empty() || census.streams[kInitialStream].thread == 0;
  return unknown ? kInitialStream : kNone;
}

// The stream of the thread that comes to OpenMP first; what the program did before is that one's. Of two threads of the
// program's own that begin together, the second may have opened its stream first.
std::uint32_t find_initial_worker(const TraceCensus& census) {
  std::uint32_t first = kInitialStream;
  for (std::uint32_t index = 0; index < census.streams.size(); ++index) {
    const std::uint64_t ticks = census.streams[index].initial_ticks;
    if (ticks != 0 && ticks < census.streams[first].initial_ticks) first = index;
  }
  return first;
}

// What one append may write behind an event of this kind, with the same time stamp; 0: nothing.
constexpr std::uint32_t second_of_append(std::uint32_t kind) {
  if (kind == FORETASK_EVENT_GROUP_BEGIN) return FORETASK_EVENT_TASK_CREATE;
  return kind == FORETASK_EVENT_TASK_PARAMETER ? FORETASK_EVENT_TASK_END : 0;
}

// No run is shorter than its critical path. Where threads wait long for a core, the tool's own time on idle workers may
// be more than the run would be shorter without it. The path is looked for where much was taken out.
void bound_by_critical_path(RecordedGraph& graph) {
  constexpr std::int64_t kMuch = 2;
  if (graph.elapsed_ns > graph.recorded_elapsed_ns / kMuch) return;
  const std::int64_t longer = longest_work_path(graph).length - graph.elapsed_ns;
  constexpr double kLongest = 1e15;  // a damaged trace may last for centuries
  if (longer <= 0 || static_cast<double>(longer) * graph.workers > kLongest) return;
  graph.elapsed_ns += longer;
  graph.no_work_ns += longer * graph.workers;
  graph.idle_ns[static_cast<std::size_t>(analysis::Cause::kNoCore)] += longer * graph.workers;
  graph.core_wait_elapsed_ns -= std::min(longer, graph.core_wait_elapsed_ns);
}

// Hands each event to the part that knows what it means.
class Reconstruction {
 public:
  Reconstruction(std::vector<trace::StreamReader>& streams, const TraceCensus& census, const BuildOptions& options)
      : streams_(streams),
        census_(census),
        costs_(options.probe_costs),
        start_ticks_(options.start_ticks),
        ns_per_tick_(1e9 / options.ticks_per_second),
        exit_ns_(options.exit_ns),
        next_core_times_(streams.size(), 0),
        state_(streams.size(), census, options.counter_bias.size(), to_ns(census.last_ticks), options.team_costs),
        order_(state_, options.rename_buffers),
        facts_(state_, options.counter_bias),
        groups_(state_, census.says_who_cancels),
        tasks_(state_, order_, facts_),
        waits_(state_, order_, groups_),
        locks_(state_),
        loops_(state_),
        teams_(state_, tasks_, loops_, find_main_worker(census, options.main_thread), to_ns(census.last_use_ticks)),
        messages_(state_),
        code_samples_(options.main_thread) {
    for (const auto& [code, kernel] : options.named_codes) state_.kernels.name_code(code, kernel);
    state_.occupancy.set_counting(!census.interest_begins);
    state_.idle.set_processors(options.processors);
    // The program ran before the tool saw its first event.
    const std::uint32_t initial = find_initial_worker(census);
    if (!streams.empty() && census.streams[initial].tasks != 0)
      teams_.begin_initial(initial, state_.tasks.index(initial, 0));
    program_worker_ = initial;
    for (std::uint32_t worker = 0; worker < streams.size(); ++worker) follow_core_times(worker, start_ticks_);
  }

  void handle(std::uint32_t worker, const trace::Event& event) {
    // Written later than they were taken, and on no thread of the program's.
    if (event.kind == FORETASK_EVENT_CODE_SAMPLE) {
      const std::uint32_t* const payload = event.payload;
      code_samples_.add({to_ns(trace::u64_at(payload)), trace::u64_at(payload + 4), payload[2], payload[3]});
      return;
    }
    // The program's own measurements count whenever they come, and are no use of OpenMP.
    if (event.kind == FORETASK_EVENT_KERNEL_SAMPLE) facts_.on_kernel_sample(event.payload);
    if (event.kind == FORETASK_EVENT_GRANULARITY) facts_.on_granularity(to_ns(event.ticks), event.payload);
    // What other threads still do is the runtime's shutting down, or nothing that the program's end waits for.
    if (teams_.is_program_over()) return;
    WorkerState& at = state_.workers[worker];
    if (at.packets != streams_[worker].packets_read()) resume_numbering(worker);
    state_.now_ns = std::max(state_.now_ns, to_ns(event.ticks));
    state_.advance();
    if (teams_.is_outside() && !says_nothing_of_use(event.kind)) teams_.return_from_outside();
    // Up to here, for what the event says of it.
    if (!census_.streams[worker].core_times.empty()) state_.writer.set_core_times(worker, 0, 0, state_.now_ns);
    // Of two events that one append has written the probe is the second one's.
    if (event.ticks == at.first_of_append_ticks && second_of_append(at.first_of_append) == event.kind &&
        state_.writer.current(worker) != kNoNode)
      state_.writer.take_out(worker, -costs_[at.first_of_append]);
    at.first_of_append = event.kind;
    at.first_of_append_ticks = second_of_append(event.kind) != 0 ? event.ticks : 0;
    dispatch(worker, event);
    if (teams_.is_program_over()) return;
    follow_core_times(worker, event.ticks);
    state_.note_idle(worker);
    // A thread that OpenMP does not know is none of the p workers.
    if (is_fact_of_program(event.kind) && at.stack.empty()) return;
    // The event of a subtree has no cost: the recorder wrote it in time that is taken out already.
    if (costs_[event.kind] > 0 && event.kind != FORETASK_EVENT_SUBTREE)
      state_.writer.take_out(worker, costs_[event.kind]);
  }

  [[nodiscard]] RecordedGraph finish() {
    for (std::uint32_t worker = 0; worker < state_.workers.size(); ++worker) state_.close_strand(worker);
    teams_.add_time_after_end(exit_ns_);
    state_.drop_edges();
    RecordedGraph& out = state_.out;
    out.anomalies += state_.contradicted_joins();
    out.team = loops_.finish();
    out.recorded_elapsed_ns = state_.now_ns - state_.occupancy.not_counted_ns();
    out.not_of_interest_ns = state_.occupancy.not_counted_ns();
    for (std::size_t i = 0; i < out.strands.size(); ++i)
      (out.strands.cores[i] != 0 ? out.work_ns : out.outside_ns) += out.strands.duration_ns[i];
    const Occupancy::WholeTotals totals = state_.occupancy.whole_totals(out.work_ns);
    out.elapsed_ns = totals.elapsed_ns;
    out.delay_ns = totals.delay_ns;
    out.no_work_ns = totals.no_work_ns;
    out.idle_ns = idle_ns(out);
    out.oversubscribed_ns = std::llround(state_.occupancy.oversubscribed_ns());
    out.probe_ns = std::llround(state_.writer.probe_ns());
    out.taken_runtime_ns = state_.writer.runtime_ns();
    const double runtime_ns =
        out.taken_runtime_ns + state_.writer.gaps_ns() + out.runtime.task_gaps_ns() + state_.writer.handed_out_ns();
    out.runtime_ns = std::min<std::int64_t>(out.delay_ns, std::llround(runtime_ns));
    out.core_wait_ns = std::llround(state_.writer.core_wait_ns());
    const double all_threads_ns = static_cast<double>(streams_.size()) * static_cast<double>(state_.now_ns);
    out.thread_wait_ns = std::llround(std::min(census_.core_wait_ticks * ns_per_tick_, all_threads_ns));
    out.core_wait_elapsed_ns = std::llround(state_.occupancy.stood_ns());
    double blocked_ns = 0;
    for (const KernelTotals& kernel : out.kernel_totals) blocked_ns += kernel.system_blocked_ns;
    out.system_blocked_ns = std::llround(blocked_ns);
    out.profile = state_.occupancy.profile(state_.now_ns);
    const std::size_t count = state_.tasks.size();
    out.kernel_of_task.reserve(count);
    out.parent_of_task.reserve(count);
    out.task_is_untied.reserve(count);
    for (std::uint32_t task = 0; task < count; ++task) {
      TaskRecord& record = state_.tasks[task];
      if (record.state == TaskState::kUnknown) record.kernel = state_.kernels.number(KernelSite::Kind::kUnknown, 0);
      const bool is_unfinished = record.state != TaskState::kComplete && record.ran();
      if (is_unfinished) state_.kernels.add_task(record.kernel, record.work_ns);
      // What waited for a released task has gone on: nothing of the program's is missing.
      const bool is_unfinished_explicit = is_unfinished && !record.has(kImplicit) && !state_.was_released(task);
      if (is_unfinished_explicit) ++out.unfinished_tasks;
      out.kernel_of_task.push_back(record.kernel);
      out.parent_of_task.push_back(record.has(kImplicit) ? kNoNode : record.parent);
      out.task_is_untied.push_back(record.has(kUntied) ? 1 : 0);
      // What was in work when the recording ended would have taken longer as well.
      if (!is_unfinished_explicit && !groups_.may_be_cut(record)) continue;
      out.task_is_cut.resize(count, 0);
      out.task_is_cut[task] = 1;
    }
    if (!out.dependences_of_task.empty()) out.dependences_of_task.resize(count, 0);
    out.locks = locks_.finish();
    drop_kernels_without_tasks(out);
    out.code_times = code_samples_.in_strands(out, state_.occupancy.not_counted());
    groups_.list_groups();
    bound_by_critical_path(out);
    return std::move(out);
  }

 private:
  // Delay and no work by cause. The integrals of what is waited for have the probes' time, which the sums are without:
  // all shrink as much. What rounding leaves is the largest one's.
  [[nodiscard]] std::array<std::int64_t, analysis::kCauses> idle_ns(const RecordedGraph& out) const {
    using analysis::Cause;
    IdleWorkers::Sums sums = state_.idle.sums();
    const double hand_outs_ns = state_.writer.handed_out_ns();
    const double tasks_ns = state_.writer.runtime_ns() + state_.writer.gaps_ns();
    const double whole_ns = static_cast<double>(out.delay_ns) + static_cast<double>(out.no_work_ns);
    const double waits_ns = std::accumulate(sums.begin(), sums.end(), 0.0);
    const double factor = waits_ns > 0 ? std::max(0.0, whole_ns - tasks_ns - hand_outs_ns) / waits_ns : 0;
    for (double& ns : sums) ns *= factor;
    sums[static_cast<std::size_t>(Cause::kTaskCosts)] += tasks_ns;
    sums[static_cast<std::size_t>(Cause::kRegionCosts)] += hand_outs_ns;
    std::array<std::int64_t, analysis::kCauses> whole{};
    std::int64_t left_ns = out.delay_ns + out.no_work_ns;
    for (std::size_t cause = 0; cause < sums.size(); ++cause) {
      whole[cause] = std::llround(std::min(sums[cause], whole_ns));
      left_ns -= whole[cause];
    }
    const auto largest = std::max_element(whole.begin(), whole.end());
    const bool is_rounding = std::abs(left_ns) <= static_cast<std::int64_t>(analysis::kCauses);
    (is_rounding ? *largest : whole[static_cast<std::size_t>(Cause::kOther)]) += left_ns;
    return whole;
  }

  void resume_numbering(std::uint32_t worker) {
    WorkerState& at = state_.workers[worker];
    const trace::PacketHead& head = streams_[worker].head();
    at.packets = streams_[worker].packets_read();
    at.next_task = head.first_task;
    at.next_region = head.first_region;
    at.code_high = head.code_high;
  }

  // Nothing tells what it waited for. Where none runs for longer than a thread takes to come to the next one, none was
  // ready. So those that run until then are independent for all that is known, and the program runs alone before and
  // after them: it waits for them. Of their threads' own code nothing is known, and it is nobody's.
  void on_own_task(std::uint32_t worker, std::uint64_t code, std::uint32_t flags) {
    constexpr std::int64_t kComesToNextNs = 20'000;
    const auto pause = [this](std::uint32_t other) {
      std::vector<Frame>& stack = state_.workers[other].stack;
      if (stack.size() != 1 || state_.writer.current(other) == kNoNode) return;
      state_.close_strand(other);
      stack.back().state = FrameState::kTaskwait;
    };
    const bool is_within = state_.workers[worker].stack.size() > 1;  // another task
    if (!is_within && own_tasks_ == 0) follow_program(worker);
    const std::uint32_t adopter = state_.workers[program_worker_].stack.empty() ? worker : program_worker_;
    ++state_.out.own_tasks;
    if (own_tasks_++ == 0) pause(program_worker_);
    pause(worker);
    const bool is_new_phase = own_tasks_ == 1 && (own_fork_ == kNoNode || state_.now_ns - own_end_ns_ > kComesToNextNs);
    if (is_new_phase && !state_.workers[adopter].stack.empty())
      own_fork_ = state_.tasks[state_.workers[adopter].stack.front().task].strand;
    tasks_.on_create(worker, code, flags, adopter);
    if (!is_within) state_.tasks[state_.workers[worker].last_created].strand = own_fork_;
  }

  // The thread that the program began on may have ended, and another one may go on in its stream: then the program goes
  // on on this one, after what it has done.
  void follow_program(std::uint32_t worker) {
    const std::vector<Frame>& program = state_.workers[program_worker_].stack;
    const bool is_there = !program.empty() && (program_task_ == kNone || program.front().task == program_task_);
    if (is_there || state_.workers[worker].stack.empty()) {
      if (is_there) program_task_ = program.front().task;
      return;
    }
    const NodeIndex last = program_task_ != kNone ? state_.tasks[program_task_].strand : kNoNode;
    program_worker_ = worker;
    program_task_ = state_.workers[worker].stack.front().task;
    state_.close_strand(worker);
    const NodeIndex strand = state_.open_strand(worker, program_task_, EdgeKind::kContinuation);
    if (last == kNoNode) return;
    state_.out.edges.add(last, strand, EdgeKind::kJoin);
    constexpr std::uint32_t kProgram = 0;                      // the scope of initial tasks
    static_cast<void>(state_.join_orphans(kProgram, strand));  // what ended after that thread
  }

  // Probes are where its events were: by kind, the part that fell between tasks. The cost of the subtree's own is what
  // it takes to count a task.
  void on_subtree(std::uint32_t worker, const std::uint32_t* payload) {
    const auto list = std::span(payload + kSubtreeHeadWords, 4 * std::size_t{payload[kSubtreeHeadWords - 1]});
    double tasks = 0;
    for (std::size_t item = 0; item < list.size(); item += 4) tasks += list[item + 2];
    const double counted = std::min<double>(payload[5], tasks);
    tasks -= counted;
    const double stamped = tasks + counted > 0 ? tasks / (tasks + counted) : 1;
    // Of each of two events.
    const double parts_ns = state_.has_parts(worker) ? tasks * costs_[FORETASK_EVENT_TASK_SWITCH_OWN] : 0;
    const double waits = stamped * payload[3];
    const double groups = stamped * payload[4];
    const double between_ns = parts_ns + tasks * costs_[FORETASK_EVENT_TASK_END] +
                              waits * costs_[FORETASK_EVENT_WAIT_BEGIN] + groups * costs_[FORETASK_EVENT_GROUP_WAIT];
    const double within_ns = parts_ns +
                             tasks * (costs_[FORETASK_EVENT_TASK_CREATE] + costs_[FORETASK_EVENT_TASK_SWITCH_OWN]) +
                             waits * costs_[FORETASK_EVENT_WAIT_END] + groups * costs_[FORETASK_EVENT_GROUP_END] +
                             counted * costs_[FORETASK_EVENT_SUBTREE];
    tasks_.on_subtree(worker, payload, list, {within_ns, between_ns}, ns_per_tick_);
  }

  void on_task_end(std::uint32_t worker) {
    const std::vector<Frame>& stack = state_.workers[worker].stack;
    const bool is_own = !stack.empty() && state_.tasks[stack.back().task].has(kOwn);
    tasks_.on_end(worker, false);
    if (!is_own || own_tasks_ == 0 || --own_tasks_ != 0) return;
    own_end_ns_ = state_.now_ns;
    if (state_.workers[program_worker_].is_in(FrameState::kTaskwait)) waits_.on_wait_end(program_worker_);
  }

  void dispatch(std::uint32_t worker, const trace::Event& event) {
    const std::uint32_t* payload = event.payload;
    WorkerState& at = state_.workers[worker];
    switch (event.kind) {
      case FORETASK_EVENT_TASK_CREATE:
        return tasks_.on_create(worker, at.code(payload[0]), 0);
      case FORETASK_EVENT_TASK_CREATE_FLAGGED:
        if ((payload[1] & FORETASK_TASK_OWN) != 0) return on_own_task(worker, at.code(payload[0]), payload[1]);
        return tasks_.on_create(worker, at.code(payload[0]), payload[1]);
      case FORETASK_EVENT_TASK_CREATE_FAR:
        at.code_high = payload[1];
        return tasks_.on_create(worker, at.code(payload[0]), 0);
      case FORETASK_EVENT_SUBTREE:
        return on_subtree(worker, payload);
      case FORETASK_EVENT_TASK_TAKEN:
        return tasks_.on_taken(worker, trace::u64_at(payload), task_at(payload + 2));
      case FORETASK_EVENT_TASK_CANCEL:
        return tasks_.on_cancel(worker, task_at(payload));
      case FORETASK_EVENT_CANCEL:
        if ((payload[0] & kOfTeam) != 0) loops_.on_ordered(worker);
        return groups_.on_cancel(worker, payload[0]);
      case FORETASK_EVENT_TASK_SWITCH_OWN:
        return tasks_.on_switch(worker, state_.tasks.index(worker, payload[0]));
      case FORETASK_EVENT_TASK_SWITCH:
        return tasks_.on_switch(worker, task_at(payload));
      case FORETASK_EVENT_TASK_END:
        return on_task_end(worker);
      case FORETASK_EVENT_TASK_DETACH:
        return tasks_.on_end(worker, true);
      case FORETASK_EVENT_TASK_FULFILL:
        return tasks_.on_fulfill(worker, task_at(payload));
      case FORETASK_EVENT_WAIT_BEGIN:
        return waits_.begin_wait(worker, FrameState::kTaskwait);
      case FORETASK_EVENT_WAIT_END:
        return waits_.on_wait_end(worker);
      case FORETASK_EVENT_DEPEND_WAIT_END:
        return waits_.on_depend_wait_end(worker, task_at(payload));
      case FORETASK_EVENT_GROUP_BEGIN:
        return waits_.on_group_begin(worker);
      case FORETASK_EVENT_GROUP_WAIT:
        return waits_.begin_wait(worker, FrameState::kGroup);
      case FORETASK_EVENT_GROUP_END:
        return waits_.on_group_end(worker);
      case FORETASK_EVENT_BARRIER_BEGIN:
        return teams_.on_barrier_begin(worker);
      case FORETASK_EVENT_BARRIER_END:
        return teams_.on_barrier_end(worker);
      case FORETASK_EVENT_REGION_BEGIN:
        return teams_.on_region_begin(worker, at.code(payload[0]));
      case FORETASK_EVENT_REGION_END:
        return teams_.on_region_end(worker, state_.teams.index(payload[1], payload[0]));
      case FORETASK_EVENT_IMPLICIT_BEGIN:
        return teams_.on_implicit_begin(worker, payload);
      case FORETASK_EVENT_IMPLICIT_END:
        return teams_.on_implicit_end(worker, task_at(payload));
      case FORETASK_EVENT_DEPENDENCES:
        // Of iterations, in older recordings: ordered(n).
        if (payload[0] != 0 && (payload[3] == FORETASK_DEPENDENCE_SOURCE || payload[3] == FORETASK_DEPENDENCE_SINK))
          return loops_.on_ordered(worker);
        return order_.on_dependences(worker, payload);
      case FORETASK_EVENT_ACCESSES:
        return order_.on_accesses(worker, payload);
      case FORETASK_EVENT_BLOCK_BEGIN:
        return messages_.on_block_begin(worker);
      case FORETASK_EVENT_BLOCK_END:
        return messages_.on_block_end(worker);
      case FORETASK_EVENT_MESSAGE_SENT:
        return messages_.on_sent(worker, payload);
      case FORETASK_EVENT_MESSAGE_RECEIVED:
        return messages_.on_received(worker, payload);
      case FORETASK_EVENT_COLLECTIVE_ENTER:
        return messages_.on_collective_enter(worker, payload);
      case FORETASK_EVENT_COLLECTIVE_LEAVE:
        return messages_.on_collective_leave(worker, payload);
      case FORETASK_EVENT_LOCK_WAIT:
        if (payload[2] == kOrderedLock) loops_.on_ordered(worker);
        return locks_.on_wait(worker, trace::u64_at(payload), payload[2] == kOrderedLock);
      case FORETASK_EVENT_LOCK_ACQUIRED:
        return locks_.on_acquired(worker, trace::u64_at(payload));
      case FORETASK_EVENT_LOCK_RELEASED:
        return locks_.on_released(worker, trace::u64_at(payload));
      case FORETASK_EVENT_LOOP_BEGIN:
        return loops_.on_begin(worker, payload);
      case FORETASK_EVENT_LOOP_CHUNKS:
        return loops_.on_chunks(worker, payload);
      case FORETASK_EVENT_LOOP_END:
        return loops_.on_end(worker);
      case FORETASK_EVENT_THREAD_BEGIN:
        teams_.on_thread_begin(worker);
        return code_samples_.begin_thread(payload[0], worker, state_.now_ns);
      case FORETASK_EVENT_INTEREST:
        return state_.writer.set_counting(payload[0] != 0, state_.now_ns);
      case FORETASK_EVENT_CODE_HIGH:
        at.code_high = payload[0];
        return;
      case FORETASK_EVENT_TASK_COUNTERS:
        return facts_.on_counters(worker, payload);
      case FORETASK_EVENT_TASK_KERNEL:
        return facts_.on_task_kernel(worker, payload);
      case FORETASK_EVENT_TASK_PARAMETER:
        return facts_.on_task_parameter(worker, payload);
      case FORETASK_EVENT_TOOL_TIME:
        // The stream of the samples is no worker's.
        if (census_.streams[worker].tasks == 0) return;
        state_.writer.take_out_until(worker, static_cast<double>(trace::u64_at(payload)) * ns_per_tick_, state_.now_ns);
        return;
      default:
        return;
    }
  }

  // What of the worker's time from this instant to its next event it is on a core.
  void follow_core_times(std::uint32_t worker, std::uint64_t ticks) {
    const std::vector<CoreTimes>& times = census_.streams[worker].core_times;
    std::size_t& next = next_core_times_[worker];
    while (next < times.size() && times[next].to_ticks <= ticks) ++next;
    const bool is_off = next < times.size() && times[next].from_ticks <= ticks;
    state_.workers[worker].core_wait = is_off ? times[next].waited : 0;
    if (is_off) state_.writer.set_core_times(worker, times[next].waited, times[next].blocked, state_.now_ns);
  }

  // The task that two words of a payload name.
  [[nodiscard]] std::uint32_t task_at(const std::uint32_t* payload) {
    return state_.tasks.index(payload[1], payload[0]);
  }
  [[nodiscard]] std::int64_t to_ns(std::uint64_t ticks) const {
    if (ticks <= start_ticks_) return 0;
    // A damaged stamp may be centuries away.
    return static_cast<std::int64_t>(std::min(static_cast<double>(ticks - start_ticks_) * ns_per_tick_, kLatestNs));
  }

  static constexpr double kLatestNs = 4e18;

  std::vector<trace::StreamReader>& streams_;
  const TraceCensus& census_;
  const trace::ProbeCosts costs_;
  const std::uint64_t start_ticks_;
  const double ns_per_tick_;
  const std::int64_t exit_ns_;
  std::vector<std::size_t> next_core_times_;  // by worker
  std::uint32_t program_worker_ = 0;          // the one that the program began on
  std::uint32_t program_task_ = kNone;        // its initial task there
  std::uint32_t own_tasks_ = 0;               // that run now
  NodeIndex own_fork_ = kNoNode;              // what they come after
  std::int64_t own_end_ns_ = 0;               // when the last one ended
  ReconstructionState state_;
  TaskOrder order_;
  FactEvents facts_;
  CancelledGroups groups_;
  TaskEvents tasks_;
  WaitEvents waits_;
  LockEvents locks_;
  LoopEvents loops_;
  TeamEvents teams_;
  MessageEvents messages_;
  CodeSamples code_samples_;
};

}  // namespace

RecordedGraph build_graph(std::vector<trace::StreamReader>& streams, const TraceCensus& census,
                          const BuildOptions& options) {
  for (trace::StreamReader& stream : streams) stream.rewind();
  Reconstruction reconstruction(streams, census, options);
  std::uint64_t events = 0;
  EventMerge(streams).run([&](std::uint32_t worker, const trace::Event& event) {
    reconstruction.handle(worker, event);
    if (++events % kProgressEvents == 0 && options.on_events) options.on_events(events);
  });
  return reconstruction.finish();
}

}  // namespace foretask::graph
