// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/clock.hpp"
#include "base/cores.hpp"
#include "foretask/hook.h"
#include "runtime/counters/counter_source.hpp"
#include "runtime/recording/probe_cost.hpp"
#include "runtime/recording/thread_times.hpp"
#include "runtime/recording/topology.hpp"
#include "runtime/sampling/perf_events.hpp"

namespace foretask::analysis {
namespace {

// Long enough for the counter's rate to some parts in a million.
constexpr auto kClockCheck = std::chrono::milliseconds(50);

std::uint32_t count_distinct(const std::vector<trace::ProcessorPlace>& places,
                             std::uint32_t trace::ProcessorPlace::*part) {
  std::vector<std::uint32_t> numbers;
  for (const trace::ProcessorPlace& place : places) numbers.push_back(place.*part);
  std::sort(numbers.begin(), numbers.end());
  return static_cast<std::uint32_t>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
}

// The least difference of two readings, where others are equal. A counter may advance less often than its rate says.
base::Ticks clock_step() {
  constexpr int kReadings = 20'000;
  base::Ticks last = base::ticks_now(), step = ~base::Ticks{0};
  bool has_equal = false;
  for (int i = 0; i < kReadings; ++i) {
    const base::Ticks now = base::ticks_now();
    if (now == last)
      has_equal = true;
    else
      step = std::min(step, now - last);
    last = now;
  }
  return has_equal ? step : 0;
}

// Of this thread, by another: as a recorder does it.
std::string sampling_obstacle() {
  std::string obstacle;
  std::thread([&obstacle] {
    constexpr std::uint32_t kPeriodNs = 1'000'000;
    const auto events = runtime::PerfEvents::open(kPeriodNs);
    if (events) return;
    obstacle = events.error().message();
    if (events.error().code == EACCES || events.error().code == EPERM)
      obstacle += ". To allow it: sysctl kernel.perf_event_paranoid=2";
  }).join();
  return obstacle;
}

}  // namespace

MachineFacts inspect_machine() {
  const trace::Machine machine = runtime::read_machine();
  MachineFacts facts;
  facts.host = machine.host;
  facts.processor_model = machine.processor_model;
  facts.packages = count_distinct(machine.places, &trace::ProcessorPlace::package);
  facts.numa_nodes = count_distinct(machine.places, &trace::ProcessorPlace::numa_node);
  facts.cores = machine.cores;
  facts.processors = machine.processors;
  facts.processors_usable = machine.processors_usable;
  facts.memory_bytes = machine.memory_bytes;
  facts.fingerprint = machine.fingerprint;

  std::uint64_t wait_ns = 0;
  facts.tells_core_wait = runtime::read_core_wait(::getpid(), wait_ns);

  facts.clock_is_invariant = base::tsc_is_invariant();
  const base::ClockPair from = base::read_clock_pair();
  std::this_thread::sleep_for(kClockCheck);
  facts.ticks_per_second = base::ticks_per_second(from, base::read_clock_pair());
  const std::uint32_t scale = base::counter_scale();
  facts.counter_ghz = std::ldexp(facts.ticks_per_second / 1e9, scale > 1 ? 1 - static_cast<int>(scale) : 0);
  facts.clock_step_ns = static_cast<double>(clock_step()) * 1e9 / facts.ticks_per_second;

  facts.sampling_obstacle = sampling_obstacle();
  const trace::ProbeCosts costs = runtime::measure_probe_costs(facts.ticks_per_second);
  facts.probe_ns = {{"task create", costs[FORETASK_EVENT_TASK_CREATE]},
                    {"task start", costs[FORETASK_EVENT_TASK_SWITCH_OWN]},
                    {"task end", costs[FORETASK_EVENT_TASK_END]},
                    {"wait begin", costs[FORETASK_EVENT_WAIT_BEGIN]},
                    {"wait end", costs[FORETASK_EVENT_WAIT_END]}};
  return facts;
}

std::vector<CounterFact> inspect_counters(const std::vector<std::string>& names) {
  std::vector<CounterFact> facts;
  for (const std::string& name : names) {
    const auto source = runtime::open_counter_source({name});
    for (const trace::Counter& counter : source->statuses()) facts.push_back({name, counter.status, counter.reason});
  }
  return facts;
}

CoreLimits core_limits() { return {base::allowed_cores(), base::core_quota()}; }

}  // namespace foretask::analysis
