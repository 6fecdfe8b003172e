// SPDX-License-Identifier: Apache-2.0
// What one rank's recording says of its messages: which strand a message left at the end of, and which one began when
// it had come. Messages are in the order in which they were sent; receives are matched in the order of their posting.
#pragma once

#include <cstdint>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::graph {

struct Message {
  analysis::NodeIndex strand = analysis::kNoNode;
  std::uint32_t peer = 0;  // rank in MPI_COMM_WORLD
  std::uint32_t tag = 0;
  std::uint64_t communicator = 0;
  std::uint64_t bytes = 0;
  std::uint32_t posted = 0;  // of one received
};

// This rank's part in a collective call.
struct CollectivePart {
  analysis::NodeIndex enter = analysis::kNoNode;  // the strand before it
  analysis::NodeIndex leave = analysis::kNoNode;  // the strand that waited for its end; none where nothing did
  std::uint64_t communicator = 0;
  std::uint32_t number = 0;  // on the communicator
  std::uint32_t kind = 0;    // foretask_collective
  std::uint32_t own_rank = 0;
  std::uint32_t root = 0;
  std::uint32_t size = 1;
  std::uint64_t bytes = 0;
};

struct MessageFacts {
  std::vector<Message> sent;
  std::vector<Message> received;
  std::vector<CollectivePart> collectives;
};

}  // namespace foretask::graph
