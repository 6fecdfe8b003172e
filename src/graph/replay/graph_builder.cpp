// SPDX-License-Identifier: Apache-2.0
#include "graph/replay/graph_builder.hpp"

#include <cmath>

#include "base/huge_pages.hpp"
#include "graph/replay/event_merge.hpp"
#include "graph/replay/trace_replay.hpp"

namespace foretask::graph {
namespace {

// The stream that is opened first. Its thread is mostly the one that comes to OpenMP first.
constexpr std::uint32_t kInitialStream = 0;
constexpr std::uint64_t kProgressEvents = 1 << 20;

// What a runtime's own threads are told when nobody needs them any more.
bool is_late_news(std::uint32_t kind) {
  return kind == FORETASK_EVENT_BARRIER_END || kind == FORETASK_EVENT_IMPLICIT_END ||
         kind == FORETASK_EVENT_THREAD_BEGIN || kind == FORETASK_EVENT_THREAD_END ||
         kind == FORETASK_EVENT_KERNEL_SAMPLE;
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

}  // namespace

TraceReplay::TraceReplay(std::vector<trace::StreamReader>& streams, const TraceCensus& census,
                         const BuildOptions& options)
    : streams_(streams),
      costs_(options.probe_costs),
      counter_bias_(options.counter_bias),
      start_ticks_(options.start_ticks),
      ns_per_tick_(1e9 / options.ticks_per_second),
      exit_ns_(options.exit_ns),
      main_worker_(find_main_worker(census, options.main_thread)),
      occupancy_(census.workers, to_ns(census.last_ticks)),
      writer_(out_, streams.size(), census.strands_at_most, occupancy_),
      tasks_(census),
      teams_(census),
      kernels_(out_),
      ranges_(options.rename_buffers),
      says_who_cancels_(census.events_by_kind[FORETASK_EVENT_CANCEL] != 0),
      workers_(streams.size()) {
  out_.workers = census.workers;
  out_.counters = CounterTable(static_cast<std::uint32_t>(counter_bias_.size()));
  // Each strand has a predecessor or two; more grow as they come.
  const std::size_t edges = census.strands_at_most + census.strands_at_most / 2;
  base::reserve_on_huge_pages(out_.edges.from, edges);
  base::reserve_on_huge_pages(out_.edges.to, edges);
  base::reserve_on_huge_pages(out_.edges.kind, edges);
  // Tasks outside any parallel region wait in this scope.
  scopes_.emplace_back();
  occupancy_.start(0);
  // The program ran before the tool saw its first event.
  const std::uint32_t initial = find_initial_worker(census);
  if (!streams.empty() && census.streams[initial].tasks != 0) begin_initial(initial, tasks_.index(initial, 0), 0);
}

void TraceReplay::resume_numbering(std::uint32_t worker) {
  Worker& state = workers_[worker];
  const trace::PacketHead& head = streams_[worker].head();
  state.packets = streams_[worker].packets_read();
  state.next_task = head.first_task;
  state.next_region = head.first_region;
  state.code_high = head.code_high;
}

void TraceReplay::handle(std::uint32_t worker, const trace::Event& event) {
  // The program's own measurements count whenever they come, and are no use of OpenMP.
  if (event.kind == FORETASK_EVENT_KERNEL_SAMPLE) on_kernel_sample(event.payload);
  // What other threads still do is the runtime's shutting down, or nothing that the program's end waits for.
  if (program_over_) return;
  if (workers_[worker].packets != streams_[worker].packets_read()) resume_numbering(worker);
  now_ns_ = std::max(now_ns_, to_ns(event.ticks));
  occupancy_.advance(now_ns_);
  if (outside_ != kNone && !is_late_news(event.kind)) return_from_outside();
  dispatch(worker, event);
  if (program_over_) return;
  if (event.kind == FORETASK_EVENT_TOOL_TIME) {
    const std::uint64_t ticks = event.payload[0] | static_cast<std::uint64_t>(event.payload[1]) << 32;
    writer_.take_out_until(worker, static_cast<double>(ticks) * ns_per_tick_, now_ns_);
  }
  // A thread that OpenMP does not know is none of the p workers.
  if (event.kind == FORETASK_EVENT_KERNEL_SAMPLE && workers_[worker].stack.empty()) return;
  if (costs_[event.kind] > 0) writer_.take_out(worker, costs_[event.kind]);
}

void TraceReplay::dispatch(std::uint32_t worker, const trace::Event& event) {
  const std::uint32_t* payload = event.payload;
  Worker& state = workers_[worker];
  switch (event.kind) {
    case FORETASK_EVENT_TASK_CREATE:
      on_create(worker, code_of(worker, payload[0]), 0);
      return;
    case FORETASK_EVENT_TASK_CREATE_FLAGGED:
      on_create(worker, code_of(worker, payload[0]), payload[1]);
      return;
    case FORETASK_EVENT_TASK_CREATE_FAR:
      state.code_high = payload[1];
      on_create(worker, code_of(worker, payload[0]), 0);
      return;
    case FORETASK_EVENT_TASK_CANCEL:
      on_cancel(worker, tasks_.index(payload[1], payload[0]));
      return;
    case FORETASK_EVENT_CANCEL:
      on_cancel_request(worker, payload[0]);
      return;
    case FORETASK_EVENT_TASK_SWITCH_OWN:
      on_switch(worker, tasks_.index(worker, payload[0]));
      return;
    case FORETASK_EVENT_TASK_SWITCH:
      on_switch(worker, tasks_.index(payload[1], payload[0]));
      return;
    case FORETASK_EVENT_TASK_END:
      on_end(worker, false);
      return;
    case FORETASK_EVENT_TASK_DETACH:
      on_end(worker, true);
      return;
    case FORETASK_EVENT_TASK_FULFILL:
      on_fulfill(worker, tasks_.index(payload[1], payload[0]));
      return;
    case FORETASK_EVENT_WAIT_BEGIN:
      begin_wait(worker, FrameState::kTaskwait);
      return;
    case FORETASK_EVENT_WAIT_END:
      on_wait_end(worker);
      return;
    case FORETASK_EVENT_DEPEND_WAIT_END:
      on_depend_wait_end(worker, tasks_.index(payload[1], payload[0]));
      return;
    case FORETASK_EVENT_GROUP_BEGIN:
      on_group_begin(worker);
      return;
    case FORETASK_EVENT_GROUP_WAIT:
      begin_wait(worker, FrameState::kGroup);
      return;
    case FORETASK_EVENT_GROUP_END:
      on_group_end(worker);
      return;
    case FORETASK_EVENT_BARRIER_BEGIN:
      on_barrier_begin(worker);
      return;
    case FORETASK_EVENT_BARRIER_END:
      on_barrier_end(worker);
      return;
    case FORETASK_EVENT_REGION_BEGIN:
      on_region_begin(worker, code_of(worker, payload[0]));
      return;
    case FORETASK_EVENT_REGION_END:
      on_region_end(worker, teams_.index(payload[1], payload[0]));
      return;
    case FORETASK_EVENT_IMPLICIT_BEGIN:
      on_implicit_begin(worker, payload);
      return;
    case FORETASK_EVENT_IMPLICIT_END:
      on_implicit_end(worker, tasks_.index(payload[1], payload[0]));
      return;
    case FORETASK_EVENT_DEPENDENCES:
      on_dependences(worker, payload);
      return;
    case FORETASK_EVENT_ACCESSES:
      on_accesses(worker, payload);
      return;
    case FORETASK_EVENT_BLOCK_BEGIN:
      on_block_begin(worker);
      return;
    case FORETASK_EVENT_BLOCK_END:
      on_block_end(worker);
      return;
    case FORETASK_EVENT_MESSAGE_SENT:
      on_message(worker, payload, true);
      return;
    case FORETASK_EVENT_MESSAGE_RECEIVED:
      on_message(worker, payload, false);
      return;
    case FORETASK_EVENT_COLLECTIVE_ENTER:
      on_collective_enter(worker, payload);
      return;
    case FORETASK_EVENT_COLLECTIVE_LEAVE:
      on_collective_leave(worker, payload);
      return;
    case FORETASK_EVENT_LOCK_WAIT:
      on_lock_wait(worker);
      return;
    case FORETASK_EVENT_LOCK_ACQUIRED:
      on_lock_acquired(worker);
      return;
    case FORETASK_EVENT_CODE_HIGH:
      state.code_high = payload[0];
      return;
    case FORETASK_EVENT_TASK_COUNTERS:
      on_counters(worker, payload);
      return;
    case FORETASK_EVENT_TASK_KERNEL:
      on_task_kernel(worker, payload);
      return;
    case FORETASK_EVENT_TASK_PARAMETER:
      on_task_parameter(worker, payload);
      return;
    default:
      return;
  }
}

TraceReplay::Frame* TraceReplay::running_frame(std::uint32_t worker) {
  std::vector<Frame>& stack = workers_[worker].stack;
  if (stack.empty()) {
    ++out_.anomalies;
    return nullptr;
  }
  Frame& frame = stack.back();
  if (writer_.current(worker) == kNoNode) {
    if (frame.state != FrameState::kLock && frame.state != FrameState::kBlocked) ++out_.anomalies;
    uncount_ready(frame.task);
    open_after(worker, frame.task, EdgeKind::kContinuation);
    frame.state = FrameState::kRunning;
  }
  return &frame;
}

NodeIndex TraceReplay::open_after(std::uint32_t worker, std::uint32_t task, EdgeKind kind) {
  TaskRecord& record = tasks_[task];
  const NodeIndex before = record.strand;
  const NodeIndex strand = writer_.open(worker, task, now_ns_);
  note_integrals(worker);
  if (before != kNoNode) out_.edges.add(before, strand, kind);
  record.strand = strand;
  return strand;
}

NodeIndex TraceReplay::close_strand(std::uint32_t worker) {
  const StrandWriter::Closed closed = writer_.close(worker, now_ns_);
  if (closed.strand == kNoNode) return kNoNode;
  Worker& state = workers_[worker];
  if (!state.stack.empty()) {
    state.stack.back().running_ns += occupancy_.running_ns() - state.running_ns;
    state.stack.back().elapsed_ns += occupancy_.elapsed_ns() - state.elapsed_ns;
  }
  TaskRecord& record = tasks_[out_.strands.task[closed.strand]];
  record.work_ns += closed.duration_ns;
  // A thread that is told late that its region is over: the region's end has completed its implicit task.
  if (record.state == TaskState::kComplete) kernels_.add_work(record.kernel, closed.duration_ns);
  return closed.strand;
}

void TraceReplay::count_ready(std::uint32_t task) {
  TaskRecord& record = tasks_[task];
  if (record.has(kCountedReady)) return;
  record.set(kCountedReady);
  occupancy_.add_ready(1);
}

void TraceReplay::uncount_ready(std::uint32_t task) {
  TaskRecord& record = tasks_[task];
  if (!record.has(kCountedReady)) return;
  record.clear(kCountedReady);
  occupancy_.add_ready(-1);
}

RecordedGraph TraceReplay::finish() {
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) close_strand(worker);
  if (last_task_ != kNone && exit_ns_ > now_ns_) add_time_after_end();
  out_.recorded_elapsed_ns = now_ns_;
  for (std::size_t i = 0; i < out_.strands.size(); ++i)
    (out_.strands.cores[i] != 0 ? out_.work_ns : out_.outside_ns) += out_.strands.duration_ns[i];
  const Occupancy::WholeTotals totals = occupancy_.whole_totals(out_.work_ns);
  out_.elapsed_ns = totals.elapsed_ns;
  out_.delay_ns = totals.delay_ns;
  out_.no_work_ns = totals.no_work_ns;
  out_.oversubscribed_ns = std::llround(occupancy_.oversubscribed_ns());
  out_.probe_ns = std::llround(writer_.probe_ns());
  out_.profile = occupancy_.profile(out_.recorded_elapsed_ns);
  const std::size_t count = tasks_.size();
  out_.kernel_of_task.reserve(count);
  out_.parent_of_task.reserve(count);
  out_.task_is_untied.reserve(count);
  for (std::uint32_t task = 0; task < count; ++task) {
    TaskRecord& record = tasks_[task];
    if (record.state == TaskState::kUnknown) record.kernel = kernels_.number(KernelSite::Kind::kUnknown, 0);
    if (record.state != TaskState::kComplete && record.ran()) {
      kernels_.add_task(record.kernel, record.work_ns);
      if (!record.has(kImplicit)) ++out_.unfinished_tasks;
    }
    out_.kernel_of_task.push_back(record.kernel);
    out_.parent_of_task.push_back(record.has(kImplicit) ? kNoNode : record.parent);
    out_.task_is_untied.push_back(record.has(kUntied) ? 1 : 0);
  }
  drop_kernels_without_tasks(out_);
  mark_cut_tasks();
  add_speculative_groups();
  return std::move(out_);
}

RecordedGraph build_graph(std::vector<trace::StreamReader>& streams, const TraceCensus& census,
                          const BuildOptions& options) {
  TraceReplay replay(streams, census, options);
  std::uint64_t events = 0;
  EventMerge(streams).run([&](std::uint32_t worker, const trace::Event& event) {
    replay.handle(worker, event);
    if (++events % kProgressEvents == 0 && options.on_events) options.on_events(events);
  });
  return replay.finish();
}

}  // namespace foretask::graph
