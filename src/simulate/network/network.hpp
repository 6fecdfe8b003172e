// SPDX-License-Identifier: Apache-2.0
// What carries messages between nodes in a replay, and keeps its time while they are under way.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "foretask/analysis/platform.hpp"

namespace foretask::simulate {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Message {
  std::uint64_t edge = 0;  // of the graph: what it is known by
  std::uint32_t from = 0;  // nodes
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;
};

class Network {
 public:
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  // At the present instant.
  virtual void send(const Message& message) = 0;

  // The edge of a message that has arrived by now and not been asked for; the lowest first.
  [[nodiscard]] virtual std::optional<std::uint64_t> arrived() {
    if (arrivals_.empty()) return std::nullopt;
    return arrivals_.extract(arrivals_.begin()).value();
  }

  // Lets time pass until a message arrives, or until `limit_ns` (kNever: there is no limit, and messages are under
  // way). The instant at which it stopped, which is the present one from then on.
  virtual std::int64_t advance(std::int64_t limit_ns) = 0;

  [[nodiscard]] virtual bool is_quiet() const = 0;  // nothing is under way

 protected:
  std::set<std::uint64_t> arrivals_;  // edges
};

inline constexpr const char* kSimgridLibrary = "libforetask_simgrid.so";
inline constexpr const char* kSimgridEntry = "foretask_simgrid_replay";

// What libforetask_simgrid.so offers, found by its name. It is loaded in the process of one replay: SimGrid's engine is
// one a process, and its library needs many others, which nobody else should have to load.
// Calls `replay` once, with a network that carries messages between the hosts of the platform's XML file. `problem` is
// what kept it from being called, else as it was. Once a process.
using SimgridEntry = void(const analysis::Platform& platform, const std::function<void(Network&)>& replay,
                          std::string& problem);

}  // namespace foretask::simulate
