// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/strand_writer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/huge_pages.hpp"

namespace foretask::graph {
namespace {

// What a worker's strands are too short for when the runtime is charged. More than noise leaves is not taken from
// others: the runtime was faster than charged.
constexpr double kMostDebtNs = 2000;

}  // namespace

StrandWriter::StrandWriter(RecordedGraph& out, std::size_t workers, std::uint64_t strands_at_most, Occupancy& occupancy)
    : strands_(out.strands), occupancy_(occupancy), state_(workers), core_wait_ns_(workers), gives_way_(workers) {
  // Reserved at once: pages that are never touched cost nothing, growing would hold everything twice.
  base::reserve_on_huge_pages(strands_.begin_ns, strands_at_most);
  base::reserve_on_huge_pages(strands_.end_ns, strands_at_most);
  base::reserve_on_huge_pages(strands_.duration_ns, strands_at_most);
  base::reserve_on_huge_pages(strands_.task, strands_at_most);
  base::reserve_on_huge_pages(strands_.worker, strands_at_most);
  base::reserve_on_huge_pages(strands_.cores, strands_at_most);
}

NodeIndex StrandWriter::open(std::uint32_t worker, std::uint32_t task, std::int64_t now_ns) {
  const auto strand = static_cast<NodeIndex>(strands_.size());
  strands_.begin_ns.push_back(now_ns);
  strands_.end_ns.push_back(now_ns);
  strands_.duration_ns.push_back(0);
  strands_.task.push_back(task);
  strands_.worker.push_back(static_cast<std::uint16_t>(worker));
  strands_.cores.push_back(1);
  end_gap(state_[worker], now_ns);
  state_[worker] = {.strand = strand,
                    .debt_ns = state_[worker].debt_ns,
                    .hand_out_debt_ns = state_[worker].hand_out_debt_ns,
                    .idle_since_ns = -1,
                    .surplus_ns = occupancy_.oversubscribed_ns(),
                    .not_counted_ns = occupancy_.not_counted_ns(),
                    .gives_way = gives_way_[worker]};
  occupancy_.add_running(1);
  return strand;
}

bool StrandWriter::discard(std::uint32_t worker, std::int64_t now_ns) {
  const State& state = state_[worker];
  if (state.strand == kNoNode || state.strand + 1 != strands_.size()) return false;
  discard_in_place(worker, strands_.task.back(), now_ns);
  strands_.begin_ns.pop_back();
  strands_.end_ns.pop_back();
  strands_.duration_ns.pop_back();
  strands_.task.pop_back();
  strands_.worker.pop_back();
  strands_.cores.pop_back();
  return true;
}

void StrandWriter::discard_in_place(std::uint32_t worker, std::uint32_t task, std::int64_t now_ns) {
  State& state = state_[worker];
  set_core_times(worker, 0, 0, now_ns);
  take_out_not_counted(state);
  const std::int64_t began_ns = strands_.begin_ns[state.strand];
  strands_.end_ns[state.strand] = began_ns;
  strands_.cores[state.strand] = 0;
  strands_.task[state.strand] = task;
  const double raw = static_cast<double>(now_ns - began_ns);
  leave_out_surplus(state, raw);
  give_back_excess(state, raw);
  occupancy_.add_running(-1);
  occupancy_.move_to_delay(raw - state.taken_out_ns);
  state = {.gap_probe_ns = state.taken_out_ns, .debt_ns = state.debt_ns, .idle_since_ns = began_ns};
}

std::int64_t StrandWriter::gap_ns(std::uint32_t worker, std::int64_t since_ns, std::int64_t now_ns) const noexcept {
  const State& state = state_[worker];
  const std::int64_t net_ns = now_ns - state.idle_since_ns - std::llround(state.gap_probe_ns);
  return std::min(net_ns, now_ns - since_ns);
}

double StrandWriter::net_ns(std::uint32_t worker, std::int64_t now_ns) const noexcept {
  const State& state = state_[worker];
  if (state.strand == kNoNode) return 0;
  const double raw = static_cast<double>(now_ns - strands_.begin_ns[state.strand]);
  return std::max(0.0, raw - state.taken_out_ns - state.debt_ns);
}

void StrandWriter::take_gaps(std::uint32_t worker, double ns, std::int64_t now_ns) {
  ns = std::min(ns, net_ns(worker, now_ns));
  state_[worker].taken_out_ns += ns;
  occupancy_.move_to_delay(ns);
  gaps_ns_ += ns;
}

StrandWriter::Closed StrandWriter::close(std::uint32_t worker, std::int64_t now_ns) {
  State& state = state_[worker];
  const NodeIndex strand = state.strand;
  if (strand == kNoNode) return {};
  set_core_times(worker, 0, 0, now_ns);
  take_out_not_counted(state);
  const double raw = static_cast<double>(now_ns - strands_.begin_ns[strand]);
  leave_out_surplus(state, raw);
  give_back_excess(state, raw);
  occupancy_.add_running(-1);
  strands_.end_ns[strand] = now_ns;
  const double net = raw - state.taken_out_ns;
  const double runtime = std::min(state.debt_ns, net);
  const double handed_out = std::min(state.hand_out_debt_ns, net - runtime);
  occupancy_.move_to_delay(runtime + handed_out);
  runtime_ns_ += runtime;
  handed_out_ns_ += handed_out;
  state.taken_out_ns += runtime + handed_out;
  if (handed_out > 0) hand_outs_.push_back({strand, handed_out});
  const double debt = std::min(state.debt_ns - runtime, kMostDebtNs);
  // What rounding adds or drops goes to the next strand: equal probes would else all be rounded the same way.
  const double exact = raw - state.taken_out_ns + rounding_ns_;
  const std::int64_t duration = std::max<std::int64_t>(0, std::llround(exact));
  rounding_ns_ = exact - static_cast<double>(duration);
  strands_.duration_ns[strand] = duration;
  const double blocked_ns = std::min(state.blocked_ns, static_cast<double>(duration));
  state = {.debt_ns = debt, .hand_out_debt_ns = state.hand_out_debt_ns - handed_out, .idle_since_ns = now_ns};
  return {strand, duration, blocked_ns, net};
}

void StrandWriter::reopen(std::uint32_t worker, NodeIndex strand, std::int64_t closed_ns, std::int64_t now_ns) {
  const double raw = static_cast<double>(closed_ns - strands_.begin_ns[strand]);
  const double taken_out = raw - static_cast<double>(strands_.duration_ns[strand]);
  end_gap(state_[worker], now_ns);
  state_[worker] = {.strand = strand,
                    .taken_out_ns = taken_out + static_cast<double>(now_ns - closed_ns),
                    .debt_ns = state_[worker].debt_ns,
                    .hand_out_debt_ns = state_[worker].hand_out_debt_ns,
                    .idle_since_ns = -1,
                    .surplus_ns = occupancy_.oversubscribed_ns(),
                    .not_counted_ns = occupancy_.not_counted_ns(),
                    .gives_way = gives_way_[worker]};
  strands_.duration_ns[strand] = 0;
  occupancy_.add_running(1);
}

void StrandWriter::take_out_not_counted(State& state) noexcept {
  state.taken_out_ns += static_cast<double>(occupancy_.not_counted_ns() - state.not_counted_ns);
  state.not_counted_ns = occupancy_.not_counted_ns();
}

void StrandWriter::set_counting(bool counts, std::int64_t now_ns) {
  // What strands are blocked or wait for is known up to here.
  for (std::uint32_t worker = 0; worker < state_.size(); ++worker)
    set_core_times(worker, state_[worker].waited, state_[worker].blocked, now_ns);
  occupancy_.set_counting(counts);
}

void StrandWriter::leave_out_surplus(State& state, double raw_ns) {
  const double surplus_ns = occupancy_.oversubscribed_ns() - state.surplus_ns;
  if (!state.gives_way || surplus_ns <= 0) return;
  // Probes on either side of the strand may have cost more than it has.
  const double own_ns = std::clamp(raw_ns - state.taken_out_ns, 0.0, surplus_ns);
  occupancy_.leave_out_surplus(own_ns, surplus_ns - own_ns);
  state.taken_out_ns += own_ns;
}

void StrandWriter::set_core_times(std::uint32_t worker, double waited, double blocked, std::int64_t now_ns) {
  State& state = state_[worker];
  if (state.strand == kNoNode) return;
  // Its waits hold nobody up: where they are long all workers are busy.
  if (state.gives_way) waited = 0;
  if ((state.waited > 0 || state.blocked > 0) && occupancy_.is_counting()) {
    const double since_ns = static_cast<double>(now_ns - state.core_times_since_ns);
    state.taken_out_ns += state.waited * since_ns;
    core_wait_ns_[worker] += state.waited * since_ns;
    state.blocked_ns += state.blocked * since_ns;
  }
  if (waited != state.waited) occupancy_.add_waiting(waited - state.waited);
  state.waited = waited;
  state.blocked = blocked;
  state.core_times_since_ns = now_ns;
}

double StrandWriter::core_wait_ns() const noexcept {
  return std::accumulate(core_wait_ns_.begin(), core_wait_ns_.end(), 0.0);
}

// A strand shorter than its probes' median cost: what it cannot have cost is given back.
void StrandWriter::give_back_excess(State& state, double raw_ns) {
  if (state.taken_out_ns <= raw_ns) return;
  const double excess = state.taken_out_ns - raw_ns;
  occupancy_.take_out_of_strand(-excess);
  probe_ns_ -= excess;
  state.taken_out_ns = raw_ns;
}

// As with a strand, what the probes in a gap cannot have cost is given back.
void StrandWriter::end_gap(State& state, std::int64_t now_ns) {
  const double taken_out = state.gap.sum_ns();
  const double raw = static_cast<double>(now_ns - state.idle_since_ns);
  if (state.idle_since_ns < 0 || taken_out <= raw) return;
  const double part = (taken_out - raw) / taken_out;
  occupancy_.give_back({state.gap.delay_ns * part, state.gap.no_work_ns * part});
  probe_ns_ -= taken_out - raw;
}

NodeIndex StrandWriter::add_node_of_no_worker(std::uint32_t task, std::int64_t begin_ns, std::int64_t end_ns) {
  const auto node = static_cast<NodeIndex>(strands_.size());
  strands_.begin_ns.push_back(begin_ns);
  strands_.end_ns.push_back(end_ns);
  strands_.duration_ns.push_back(end_ns - begin_ns);
  strands_.task.push_back(task);
  strands_.worker.push_back(0);
  strands_.cores.push_back(0);
  return node;
}

void StrandWriter::take_out(std::uint32_t worker, double cost_ns) {
  if (!occupancy_.is_counting()) return;
  State& state = state_[worker];
  probe_ns_ += cost_ns;
  if (state.strand == kNoNode) {
    state.gap_probe_ns += cost_ns;
    occupancy_.take_out_of_gap(cost_ns, state.gap);
    return;
  }
  state.taken_out_ns += cost_ns;
  occupancy_.take_out_of_strand(cost_ns);
}

void StrandWriter::take_out_until(std::uint32_t worker, double cost_ns, std::int64_t now_ns) {
  const State& state = state_[worker];
  const bool idle = state.strand == kNoNode;
  const std::int64_t since_ns = idle ? state.idle_since_ns : strands_.begin_ns[state.strand];
  const double left = static_cast<double>(now_ns - since_ns) - (idle ? state.gap.sum_ns() : state.taken_out_ns);
  if (left > 0) take_out(worker, std::min(cost_ns, left));
}

}  // namespace foretask::graph
