// SPDX-License-Identifier: Apache-2.0
// A platform to replay a graph on: worker classes, and nodes with a network between them. Model and file:
// docs/machines.md. Plain data.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::analysis {

// Plain cores: a task takes its `duration` there, unless `on` names this class.
inline constexpr const char* kPlainCore = "cpu";

struct WorkerGroup {
  std::string worker_class = kPlainCore;
  std::uint32_t count = 1;
};

struct PlatformNode {
  std::vector<WorkerGroup> workers;
  // Messages that enter or leave the node at once; 0: any number.
  std::uint32_t in_links = 1;
  std::uint32_t out_links = 1;
};

// A message takes latency + bytes / bandwidth. While its bytes pass, it holds a link out of its node, one into the
// other, and a bus. It waits for these in order of arrival, as in Dimemas (Girona, Labarta and Badia, EuroPVM/MPI
// 2000).
struct LinearNetwork {
  std::int64_t latency_ns = 0;
  double bytes_per_second = std::numeric_limits<double>::infinity();
  std::uint32_t buses = 0;  // messages at once in the whole platform; 0: any number
};

struct Platform {
  std::vector<PlatformNode> nodes;
  LinearNetwork network;
  // False: each task runs on its own node (TaskGraph::node). True: on the node that suits it best; among several nodes
  // only the heft policy can choose.
  bool any_node = false;
  // Not empty: SimGrid times the messages, with this platform XML file. Its hosts, in the file's order, are the nodes.
  // Needs foretask built with SimGrid.
  std::string simgrid_xml;
  std::string simgrid_model;  // "LV08" (also where empty) or "CM02"
};

// Reads a platform file (JSON). Errors name the path and the place in it.
[[nodiscard]] Result<Platform> read_platform(const std::string& path);

// "cpu=8,gpu=2" as one node, where all tasks run wherever the graph places them. The error names the wrong part.
[[nodiscard]] Result<Platform> platform_of_workers(const std::string& text);

[[nodiscard]] std::uint64_t worker_count(const Platform& platform) noexcept;

}  // namespace foretask::analysis
