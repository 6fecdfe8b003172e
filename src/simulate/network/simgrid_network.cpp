// SPDX-License-Identifier: Apache-2.0
// The replay runs inside one of SimGrid's actors, and each message is another: SimGrid's clock then is the replay's.
#include <simgrid/Exception.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "simulate/network/network.hpp"

namespace foretask::simulate {
namespace {

namespace s4u = ::simgrid::s4u;

constexpr double kNsPerSecond = 1e9;
constexpr int kMessageStackKb = 128;
constexpr double kSoon = 0.5e-9;  // what is nearer than half a nanosecond is now

class SimgridNetwork final : public Network {
 public:
  explicit SimgridNetwork(const std::vector<s4u::Host*>& hosts) : hosts_(hosts) {}

  void send(const Message& message) override {
    ++under_way_;
    s4u::Actor::init("message", hosts_[message.from])->start([this, message] {
      s4u::Comm::sendto(hosts_[message.from], hosts_[message.to], message.bytes);
      arrivals_.insert(message.edge);
      --under_way_;
      something_arrived_->release();
    });
  }

  // Those that arrive at the same instant have all done so before this actor goes on. The semaphore may hold more than
  // is there: what counts is `arrivals_`.
  std::int64_t advance(std::int64_t limit_ns) override {
    while (arrivals_.empty()) {
      if (limit_ns == kNever) {
        something_arrived_->acquire();
        continue;
      }
      const double left = static_cast<double>(limit_ns) / kNsPerSecond - s4u::Engine::get_clock();
      if (left < kSoon) break;
      something_arrived_->acquire_timeout(left);
    }
    const std::int64_t clock_ns = std::llround(s4u::Engine::get_clock() * kNsPerSecond);
    now_ns_ = arrivals_.empty() ? limit_ns : std::clamp(clock_ns, now_ns_, std::max(now_ns_, limit_ns));
    return now_ns_;
  }

  [[nodiscard]] bool is_quiet() const override { return under_way_ == 0 && arrivals_.empty(); }

 private:
  const std::vector<s4u::Host*>& hosts_;
  s4u::SemaphorePtr something_arrived_ = s4u::Semaphore::create(0);
  std::size_t under_way_ = 0;
  std::int64_t now_ns_ = 0;
};

// Contention Model 2002 here is latency + bytes / bandwidth with the bandwidth shared: acknowledgements, which SimGrid
// lets take a share of it by default, belong to LV08.
std::vector<std::string> arguments_of(const analysis::Platform& platform) {
  std::vector<std::string> arguments{"foretask", "--log=root.thres:error"};
  if (platform.simgrid_model == "CM02") {
    arguments.insert(arguments.end(), {"--cfg=network/model:CM02", "--cfg=network/crosstraffic:0"});
  } else {
    arguments.emplace_back("--cfg=network/model:LV08");
  }
  return arguments;
}

void replay_on(const analysis::Platform& platform, const std::function<void(Network&)>& replay, std::string& problem) {
  std::vector<std::string> arguments = arguments_of(platform);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(arguments.size());
  s4u::Engine engine(&count, pointers.data());
  std::vector<s4u::Host*> hosts;  // in the file's order, which the engine does not keep
  s4u::Host::on_creation_cb([&hosts](s4u::Host& host) { hosts.push_back(&host); });
  engine.load_platform(platform.simgrid_xml);
  if (hosts.size() < platform.nodes.size()) {
    problem = "has " + std::to_string(hosts.size()) + " hosts for the platform's " +
              std::to_string(platform.nodes.size()) + " nodes";
    return;
  }
  SimgridNetwork network(hosts);
  s4u::Actor::init("replay", hosts.front())->start([&] { replay(network); });
  // From here on: a message needs little room, and making an actor's stack is most of what the actor costs.
  s4u::Engine::set_config("contexts/stack-size", kMessageStackKb);
  engine.run();
}

}  // namespace
}  // namespace foretask::simulate

extern "C" __attribute__((visibility("default"))) void foretask_simgrid_replay(
    const foretask::analysis::Platform& platform, const std::function<void(foretask::simulate::Network&)>& replay,
    std::string& problem) {
  try {
    foretask::simulate::replay_on(platform, replay, problem);
  } catch (const std::exception& error) {
    problem = error.what();
  }
}
