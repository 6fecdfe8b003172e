// SPDX-License-Identifier: Apache-2.0
// Platforms from files and from the command line's words.
#include "foretask/analysis/platform.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json_text.hpp"

namespace foretask::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestFile = std::size_t{64} << 20;
constexpr std::uint64_t kMostNodes = 1'000'000;
constexpr std::uint64_t kMostWorkersOfAGroup = 16'000'000;
constexpr double kLongestLatencyUs = 1e12;  // eleven days
constexpr double kSlowest = 1e-3;           // bytes a second

// Throws Wrong with what is wrong where, caught by read_platform alone: the file is a tree of a few optional keys.
struct Wrong {
  std::string what;
};

void check_keys(const Json& object, const std::string& where, std::initializer_list<const char*> known) {
  if (!object.is_object()) throw Wrong{where + " is not an object"};
  for (const auto& [key, value] : object.items()) {
    if (std::none_of(known.begin(), known.end(), [&name = key](const char* other) { return name == other; }))
      throw Wrong{where + " has the unknown key '" + key + "'"};
  }
}

std::uint64_t count_at(const Json& object, const char* key, const std::string& where, std::uint64_t otherwise,
                       std::uint64_t most) {
  if (!object.contains(key)) return otherwise;
  const Json& value = object[key];
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
    throw Wrong{where + ": '" + key + "' is not a whole number from 0 to " + std::to_string(most)};
  return value.get<std::uint64_t>();
}

double number_at(const Json& object, const char* key, const std::string& where, double otherwise) {
  if (!object.contains(key)) return otherwise;
  if (!object[key].is_number()) throw Wrong{where + ": '" + key + "' is not a number"};
  return object[key].get<double>();
}

LinearNetwork network_of(const Json& json) {
  check_keys(json, "network", {"latency_us", "bandwidth_bytes_per_s", "buses"});
  LinearNetwork network;
  const double latency_us = number_at(json, "latency_us", "network", 0);
  if (!(latency_us >= 0 && latency_us <= kLongestLatencyUs)) throw Wrong{"network: 'latency_us' is not from 0 to 1e12"};
  network.latency_ns = std::llround(latency_us * 1000);
  network.bytes_per_second = number_at(json, "bandwidth_bytes_per_s", "network", network.bytes_per_second);
  if (!(network.bytes_per_second >= kSlowest))
    throw Wrong{"network: 'bandwidth_bytes_per_s' is not a number from 0.001 up"};
  network.buses = static_cast<std::uint32_t>(count_at(json, "buses", "network", 0, kMostNodes));
  return network;
}

std::string text_at(const Json& object, const char* key, const std::string& where) {
  if (!object.contains(key)) return {};
  if (!object[key].is_string() || object[key].get<std::string>().empty())
    throw Wrong{where + ": '" + key + "' is not a text"};
  return object[key].get<std::string>();
}

// "network": {"simgrid": "cluster.xml", "model": "CM02"}. A file is looked for beside `path`.
void read_simgrid(const Json& json, const std::string& path, Platform& platform) {
  check_keys(json, "network of SimGrid", {"simgrid", "model"});
  const std::filesystem::path file = text_at(json, "simgrid", "network");
  platform.simgrid_xml = (std::filesystem::path(path).parent_path() / file).string();
  platform.simgrid_model = text_at(json, "model", "network");
  if (platform.simgrid_model.empty()) platform.simgrid_model = "LV08";
  if (platform.simgrid_model != "LV08" && platform.simgrid_model != "CM02")
    throw Wrong{"network: 'model' is neither \"LV08\" nor \"CM02\""};
}

PlatformNode node_of(const Json& json, const std::string& where) {
  PlatformNode node;
  node.in_links = static_cast<std::uint32_t>(count_at(json, "in_links", where, 1, kMostNodes));
  node.out_links = static_cast<std::uint32_t>(count_at(json, "out_links", where, 1, kMostNodes));
  if (!json.contains("workers"))
    return {.workers = {WorkerGroup{}}, .in_links = node.in_links, .out_links = node.out_links};
  const Json& workers = json["workers"];
  if (!workers.is_object()) throw Wrong{where + ": 'workers' is not an object of worker classes and their numbers"};
  for (const auto& [name, count] : workers.items()) {
    if (name.empty()) throw Wrong{where + ": a worker class has no name"};
    node.workers.push_back({name, static_cast<std::uint32_t>(
                                      count_at(workers, name.c_str(), where + ": workers", 0, kMostWorkersOfAGroup))});
  }
  return node;
}

Platform platform_of(const Json& json, const std::string& path) {
  check_keys(json, "the file", {"foretask_platform", "nodes", "network", "placement"});
  if (!json.contains("foretask_platform") || json["foretask_platform"] != 1)
    throw Wrong{"it is not a platform file of version 1 (\"foretask_platform\": 1)"};
  if (!json.contains("nodes") || !json["nodes"].is_array() || json["nodes"].empty())
    throw Wrong{"'nodes' is missing or has no node"};
  Platform platform;
  std::size_t entry = 0;
  for (const Json& json_node : json["nodes"]) {
    const std::string where = "nodes[" + std::to_string(entry++) + "]";
    check_keys(json_node, where, {"count", "workers", "in_links", "out_links"});
    const std::uint64_t count = count_at(json_node, "count", where, 1, kMostNodes);
    if (count == 0 || platform.nodes.size() + count > kMostNodes)
      throw Wrong{where + ": 'count' is not from 1 to " + std::to_string(kMostNodes) + " nodes in all"};
    platform.nodes.insert(platform.nodes.end(), count, node_of(json_node, where));
  }
  if (json.contains("network") && json["network"].is_object() && json["network"].contains("simgrid")) {
    read_simgrid(json["network"], path, platform);
  } else if (json.contains("network")) {
    platform.network = network_of(json["network"]);
  }
  if (json.contains("placement")) {
    const Json& placement = json["placement"];
    if (placement != "own" && placement != "any")
      throw Wrong{"'placement' is neither \"own\" (each task on its node) nor \"any\""};
    platform.any_node = placement == "any";
  }
  return platform;
}

}  // namespace

Result<Platform> read_platform(const std::string& path) {
  const Result<Json> json = base::read_json<Json>(path, {.size_bytes = kLargestFile, .unique_keys = true});
  if (!json) return json.error();
  try {
    return platform_of(*json, path);
  } catch (const Wrong& wrong) {
    return Error{.what = wrong.what, .path = path};
  } catch (const Json::exception&) {
    return Error{.what = "it is not a platform file", .path = path};
  }
}

Result<Platform> platform_of_workers(const std::string& text) {
  Platform platform{.nodes = {{.workers = {}}}, .any_node = true};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, comma - begin);
    begin = comma + 1;
    const std::size_t equals = part.rfind('=');
    std::uint32_t count = 0;
    const char* const end = part.data() + part.size();
    const bool has_count = equals != std::string::npos && equals != 0 &&
                           std::from_chars(part.data() + equals + 1, end, count).ptr == end && equals + 1 < part.size();
    if (!has_count) return Error{"'" + part + "' is not CLASS=NUMBER: write cpu=8,gpu=2"};
    if (count == 0 || count > kMostWorkersOfAGroup)
      return Error{"'" + part + "': the number has to be from 1 to " + std::to_string(kMostWorkersOfAGroup)};
    const std::string name = part.substr(0, equals);
    for (const WorkerGroup& group : platform.nodes[0].workers)
      if (group.worker_class == name) return Error{"the worker class '" + name + "' is there twice"};
    platform.nodes[0].workers.push_back({name, count});
  }
  return platform;
}

std::uint64_t worker_count(const Platform& platform) noexcept {
  std::uint64_t workers = 0;
  for (const PlatformNode& node : platform.nodes)
    for (const WorkerGroup& group : node.workers) workers += group.count;
  return workers;
}

}  // namespace foretask::analysis
