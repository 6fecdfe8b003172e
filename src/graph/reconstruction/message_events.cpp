// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/message_events.hpp"

namespace foretask::graph {
namespace {

using trace::u64_at;

Message message_of(const std::uint32_t* payload) {
  Message message;
  message.peer = payload[0];
  message.tag = payload[1];
  message.communicator = u64_at(payload + 2);
  message.bytes = u64_at(payload + 4);
  return message;
}

}  // namespace

MessageEvents::Call* MessageEvents::call_of(std::uint32_t worker) {
  if (!state_.workers[worker].is_in(FrameState::kBlocked)) {
    ++state_.out.anomalies;
    return nullptr;
  }
  calls_[worker].splits_strand = true;
  return &calls_[worker];
}

void MessageEvents::on_block_begin(std::uint32_t worker) {
  if (!state_.pause(worker, FrameState::kBlocked)) return;
  state_.spoil_phase(state_.workers[worker].stack.back());
  calls_[worker].splits_strand = false;
}

// Where nothing came or went the strand goes on after the call.
void MessageEvents::on_block_end(std::uint32_t worker) {
  const WorkerState& state = state_.workers[worker];
  if (!state.is_in(FrameState::kBlocked)) {
    if (!state.stack.empty()) ++state_.out.anomalies;
    return;
  }
  Call& call = calls_[worker];
  const NodeIndex strand = state_.end_pause(worker, call.splits_strand);
  for (const std::size_t message : call.arrivals) state_.out.messages.received[message].strand = strand;
  for (const std::size_t part : call.departures) state_.out.messages.collectives[part].leave = strand;
  call.arrivals.clear();
  call.departures.clear();
}

void MessageEvents::on_sent(std::uint32_t worker, const std::uint32_t* payload) {
  if (!call_of(worker)) return;
  Message message = message_of(payload);
  message.strand = state_.workers[worker].stack.back().paused_strand;
  state_.out.messages.sent.push_back(message);
}

void MessageEvents::on_received(std::uint32_t worker, const std::uint32_t* payload) {
  Call* call = call_of(worker);
  if (!call) return;
  Message message = message_of(payload);
  message.posted = payload[6];
  call->arrivals.push_back(state_.out.messages.received.size());
  state_.out.messages.received.push_back(message);
}

void MessageEvents::on_collective_enter(std::uint32_t worker, const std::uint32_t* payload) {
  if (!call_of(worker)) return;
  CollectivePart part;
  part.enter = state_.workers[worker].stack.back().paused_strand;
  part.communicator = u64_at(payload);
  part.number = payload[2];
  part.kind = payload[3];
  part.own_rank = payload[4];
  part.root = payload[5];
  part.size = payload[6];
  part.bytes = u64_at(payload + 7);
  open_collectives_[{part.communicator, part.number}] = state_.out.messages.collectives.size();
  state_.out.messages.collectives.push_back(part);
}

void MessageEvents::on_collective_leave(std::uint32_t worker, const std::uint32_t* payload) {
  const auto found = open_collectives_.find({u64_at(payload), payload[2]});
  if (found == open_collectives_.end()) {
    ++state_.out.anomalies;
    return;
  }
  Call* call = call_of(worker);
  if (!call) return;
  call->departures.push_back(found->second);
  open_collectives_.erase(found);
}

}  // namespace foretask::graph
