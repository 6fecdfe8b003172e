// SPDX-License-Identifier: Apache-2.0
// Latency + bytes / bandwidth, with a limited number of links into and out of each node and of buses. A message's
// latency passes first; then it waits, first come first served, for a link out of its node, one into the other and a
// bus, and holds them while its bytes pass. O(log messages) a message; where it has to wait, and whenever links of its
// nodes become free, a look at the first message of each route from or to them that waits.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "foretask/analysis/platform.hpp"
#include "simulate/network/network.hpp"

namespace foretask::simulate {

class LinearNetwork final : public Network {
 public:
  explicit LinearNetwork(const analysis::Platform& platform);

  void send(const Message& message) override;
  [[nodiscard]] std::optional<std::uint64_t> arrived() override;
  std::int64_t advance(std::int64_t limit_ns) override;
  [[nodiscard]] bool is_quiet() const override { return under_way_.empty() && waiting_ == 0 && arrivals_.empty(); }

 private:
  enum class Step : std::uint8_t { kTransferred, kAtLinks };  // in the order in which those of one instant are handled
  struct Event {
    std::int64_t time_ns;
    Step step;
    Message message;
    bool operator>(const Event& other) const noexcept {
      if (time_ns != other.time_ns) return time_ns > other.time_ns;
      return step != other.step ? step > other.step : message.edge > other.message.edge;
    }
  };
  using Route = std::pair<std::uint32_t, std::uint32_t>;  // from, to
  struct Waiting {
    std::uint64_t turn;
    Message message;
  };

  // Of each route with waiting messages the first: its turn, and the node at the other end.
  using Heads = std::set<std::pair<std::uint64_t, std::uint32_t>>;
  struct Start {
    std::uint64_t turn = ~std::uint64_t{0};
    Route route;
  };

  [[nodiscard]] bool has_links(const Route& route) const noexcept;
  void handle_events();
  void transfer(const Message& message);
  void wait(const Message& message);
  void start_waiting();
  [[nodiscard]] Start next_start() const;
  void start(const Route& route);

  const analysis::LinearNetwork model_;
  std::vector<std::uint32_t> free_out_;  // links; kUnlimited
  std::vector<std::uint32_t> free_in_;
  std::uint32_t free_buses_;
  bool limited_ = false;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> under_way_;
  std::map<Route, std::deque<Waiting>> queues_;  // none is empty
  std::vector<Heads> heads_from_;                // one a node
  std::vector<Heads> heads_to_;
  // Nodes some of whose links were given back, or that new messages wait for.
  std::set<std::uint32_t> touched_from_;
  std::set<std::uint32_t> touched_to_;
  bool bus_given_back_ = false;
  std::size_t waiting_ = 0;
  std::uint64_t next_turn_ = 0;
  std::int64_t now_ns_ = 0;
};

// What `bytes` take over a link, rounded to the nearest ns; 0 for an infinite bandwidth.
[[nodiscard]] std::int64_t transfer_ns(const analysis::LinearNetwork& network, std::uint64_t bytes) noexcept;

}  // namespace foretask::simulate
