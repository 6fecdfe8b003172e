// SPDX-License-Identifier: Apache-2.0
// The machine that a graph is replayed on, where it is more than some identical cores: workers of several classes, and
// nodes with a network between them. docs/machines.md has the model and the file. Plain data.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::analysis {

// The class of plain cores: a task takes its `duration` there, unless `on` names the class.
inline constexpr const char* kPlainCore = "cpu";

struct WorkerGroup {
  std::string worker_class = kPlainCore;
  std::uint32_t count = 1;
};

struct PlatformNode {
  std::vector<WorkerGroup> workers;
  // Messages that may enter or leave the node at once; 0: any number.
  std::uint32_t in_links = 1;
  std::uint32_t out_links = 1;
};

// A message takes latency + bytes / bandwidth. While its bytes pass it holds a link out of its node, one into the other
// and a bus; it waits for them in order of arrival there, as in Dimemas (Girona, Labarta and Badia, EuroPVM/MPI 2000).
struct LinearNetwork {
  std::int64_t latency_ns = 0;
  double bytes_per_second = std::numeric_limits<double>::infinity();
  std::uint32_t buses = 0;  // messages under way at once in the whole machine; 0: any number
};

struct Platform {
  std::vector<PlatformNode> nodes;
  LinearNetwork network;
  // False: a task runs on the node that it is placed on (TaskGraph::node). True: on the one that suits it best, which
  // of several the heft policy alone can say.
  bool any_node = false;
  // Where set, messages take what SimGrid says for this platform's XML file instead; its hosts, in their order there,
  // are the nodes. Only where foretask was built with SimGrid.
  std::string simgrid_xml;
  std::string simgrid_model;  // "LV08" (empty: the same) or "CM02"
};

// Reads a platform file (JSON). Errors: path, and what is wrong where.
[[nodiscard]] Result<Platform> read_platform(const std::string& path);

// "cpu=8,gpu=2" as one node, on which all tasks run wherever the graph places them. The error says which part is wrong.
[[nodiscard]] Result<Platform> platform_of_workers(const std::string& text);

[[nodiscard]] std::uint64_t worker_count(const Platform& platform) noexcept;

}  // namespace foretask::analysis
