// SPDX-License-Identifier: Apache-2.0
// Calls whose time is not the task's own, and the messages that come and go in them.
#include "graph/replay/trace_replay.hpp"

namespace foretask::graph {
namespace {

std::uint64_t word64(const std::uint32_t* words) { return words[0] | static_cast<std::uint64_t>(words[1]) << 32; }

}  // namespace

void TraceReplay::on_block_begin(std::uint32_t worker) {
  Frame* frame = running_frame(worker);
  if (!frame) return;
  Worker& state = workers_[worker];
  state.block_since_ns = now_ns_;
  state.block_strand = close_strand(worker);
  state.block_is_cut = false;
  frame->state = FrameState::kBlocked;
}

// Where nothing came or went the strand goes on after the call.
void TraceReplay::on_block_end(std::uint32_t worker) {
  Worker& state = workers_[worker];
  if (state.stack.empty() || state.stack.back().state != FrameState::kBlocked) {
    if (!state.stack.empty()) ++out_.anomalies;
    return;
  }
  Frame& frame = state.stack.back();
  frame.state = FrameState::kRunning;
  out_.blocked_ns += now_ns_ - state.block_since_ns;
  if (!state.block_is_cut && state.block_strand != kNoNode && tasks_[frame.task].strand == state.block_strand) {
    tasks_[frame.task].work_ns -= out_.strands.duration_ns[state.block_strand];
    writer_.reopen(worker, state.block_strand, state.block_since_ns, now_ns_);
    note_integrals(worker);
  } else {
    const NodeIndex strand = open_after(worker, frame.task, EdgeKind::kContinuation);
    for (const std::size_t message : state.arrivals) out_.messages.received[message].strand = strand;
    for (const std::size_t part : state.departures) out_.messages.collectives[part].leave = strand;
  }
  state.arrivals.clear();
  state.departures.clear();
  state.block_strand = kNoNode;
}

void TraceReplay::on_message(std::uint32_t worker, const std::uint32_t* payload, bool is_sent) {
  Worker& state = workers_[worker];
  if (state.stack.empty() || state.stack.back().state != FrameState::kBlocked) {
    ++out_.anomalies;
    return;
  }
  state.block_is_cut = true;
  Message message;
  message.peer = payload[0];
  message.tag = payload[1];
  message.communicator = word64(payload + 2);
  message.bytes = word64(payload + 4);
  if (is_sent) {
    message.strand = state.block_strand;
    out_.messages.sent.push_back(message);
    return;
  }
  message.posted = payload[6];
  state.arrivals.push_back(out_.messages.received.size());
  out_.messages.received.push_back(message);
}

void TraceReplay::on_collective_enter(std::uint32_t worker, const std::uint32_t* payload) {
  Worker& state = workers_[worker];
  if (state.stack.empty() || state.stack.back().state != FrameState::kBlocked) {
    ++out_.anomalies;
    return;
  }
  state.block_is_cut = true;
  CollectivePart part;
  part.enter = state.block_strand;
  part.communicator = word64(payload);
  part.number = payload[2];
  part.kind = payload[3];
  part.own_rank = payload[4];
  part.root = payload[5];
  part.size = payload[6];
  part.bytes = word64(payload + 7);
  open_collectives_[{part.communicator, part.number}] = out_.messages.collectives.size();
  out_.messages.collectives.push_back(part);
}

void TraceReplay::on_collective_leave(std::uint32_t worker, const std::uint32_t* payload) {
  Worker& state = workers_[worker];
  const auto found = open_collectives_.find({word64(payload), payload[2]});
  if (found == open_collectives_.end() || state.stack.empty() || state.stack.back().state != FrameState::kBlocked) {
    ++out_.anomalies;
    return;
  }
  state.block_is_cut = true;
  state.departures.push_back(found->second);
  open_collectives_.erase(found);
}

}  // namespace foretask::graph
