// SPDX-License-Identifier: Apache-2.0
#include "simgrid_reference.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <queue>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plain_replay.hpp"

namespace foretask::benchmarks {
namespace {

namespace s4u = simgrid::s4u;

// A simulated second stands for a nanosecond, and a host does one flop in it: whole numbers, exact in a double.
constexpr double kFlopsPerNs = 1;

// What the actors share. Actors are run one at a time: no lock is needed.
class Scheduler {
 public:
  Scheduler(const analysis::TaskGraph& graph, SimgridWork work)
      : graph_(graph), work_(work), left_(graph.size()), state_(graph) {
    for (std::size_t task = 0; task < graph.size(); ++task) {
      if (state_.pending[task] == 0) push(static_cast<std::int64_t>(task));
    }
  }

  void add_worker(s4u::Host* host) {
    const std::size_t worker = awake_.size();
    awake_.push_back(s4u::Semaphore::create(0));
    s4u::Actor::init("worker", host)->start([this, worker] { work(worker); });
  }

 private:
  void push(std::int64_t task) { ready_.push({state_.level[static_cast<std::size_t>(task)], -task}); }

  void work(std::size_t worker) {
    for (;;) {
      while (ready_.empty()) {
        if (left_ == 0) return;
        idle_.push_back(worker);
        awake_[worker]->acquire();
      }
      const auto task = static_cast<std::size_t>(-ready_.top().second);
      ready_.pop();
      const auto duration = static_cast<double>(graph_.duration_ns[task]);
      if (work_ == SimgridWork::kExecute) {
        s4u::this_actor::execute(duration * kFlopsPerNs);
      } else {
        s4u::this_actor::sleep_for(duration);
      }
      finish(task);
    }
  }

  void finish(std::size_t task) {
    --left_;
    for (auto edge = graph_.first_successor[task]; edge < graph_.first_successor[task + 1]; ++edge) {
      const analysis::NodeIndex next = graph_.successors[edge];
      if (--state_.pending[next] == 0) push(next);
    }
    // Others run while a semaphore is released: what is idle is asked for each time.
    for (std::size_t wanted = ready_.size(); !idle_.empty() && (left_ == 0 || wanted > 0); --wanted) {
      const std::size_t worker = idle_.back();
      idle_.pop_back();
      awake_[worker]->release();
    }
  }

  const analysis::TaskGraph& graph_;
  SimgridWork work_;
  std::size_t left_;
  PlainState state_;
  std::priority_queue<std::pair<std::int64_t, std::int64_t>> ready_;  // level, -index
  std::vector<std::size_t> idle_;
  std::vector<s4u::SemaphorePtr> awake_;
};

SimgridReplay replay(const analysis::TaskGraph& graph, std::uint32_t cores, SimgridWork work) {
  std::string name = "replay";
  char* arguments[] = {name.data(), nullptr};
  int count = 1;
  s4u::Engine engine(&count, arguments);
  auto* const zone = s4u::create_full_zone("machine");
  std::vector<s4u::Host*> hosts;
  for (std::uint32_t core = 0; core < cores; ++core)
    hosts.push_back(zone->create_host("core" + std::to_string(core), kFlopsPerNs));
  zone->seal();

  const auto begin = std::chrono::steady_clock::now();
  Scheduler scheduler(graph, work);
  for (s4u::Host* const host : hosts) scheduler.add_worker(host);
  engine.run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {std::llround(s4u::Engine::get_clock()), took.count()};
}

}  // namespace

bool has_simgrid() noexcept { return true; }

std::optional<SimgridReplay> simgrid_replay(const analysis::TaskGraph& graph, std::uint32_t cores, SimgridWork work) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    const SimgridReplay result = replay(graph, cores, work);
    const bool is_written = ::write(ends[1], &result, sizeof result) == sizeof result;
    ::_exit(is_written ? 0 : 1);
  }
  ::close(ends[1]);
  SimgridReplay result;
  const bool is_read = child > 0 && ::read(ends[0], &result, sizeof result) == sizeof result;
  ::close(ends[0]);
  int status = 0;
  if (child > 0) ::waitpid(child, &status, 0);
  if (!is_read || status != 0) return {};
  return result;
}

}  // namespace foretask::benchmarks
