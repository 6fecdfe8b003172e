// SPDX-License-Identifier: Apache-2.0
// Calls whose time is not the task's own, and the messages that come and go in them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "graph/reconstruction/reconstruction_state.hpp"

namespace foretask::graph {

class MessageEvents {
 public:
  explicit MessageEvents(ReconstructionState& state) : state_(state), calls_(state.workers.size()) {}

  void on_block_begin(std::uint32_t worker);
  void on_block_end(std::uint32_t worker);
  void on_sent(std::uint32_t worker, const std::uint32_t* payload);
  void on_received(std::uint32_t worker, const std::uint32_t* payload);
  void on_collective_enter(std::uint32_t worker, const std::uint32_t* payload);
  void on_collective_leave(std::uint32_t worker, const std::uint32_t* payload);

 private:
  // What the strand after the call waited for, as places in the lists of messages.
  struct Call {
    bool splits_strand = false;
    std::vector<std::size_t> arrivals;
    std::vector<std::size_t> departures;
  };

  // The worker's call, in which something comes or goes. Null where it is in none.
  Call* call_of(std::uint32_t worker);

  ReconstructionState& state_;
  std::vector<Call> calls_;                                                          // by worker
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> open_collectives_;  // (communicator, number)
};

}  // namespace foretask::graph
