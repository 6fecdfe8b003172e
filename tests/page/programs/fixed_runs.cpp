// SPDX-License-Identifier: Apache-2.0
// fixed_runs FOLDER: writes recordings with chosen times into folders of it: "wide", "chain" and "uneven". Their pages'
// figures are the same wherever they are drawn.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "unit/analysis/described_run.hpp"

namespace {

using foretask::test::Name;
using foretask::test::TraceBuilder;

struct Task {
  std::uint32_t code;
  std::int64_t time_ns;
  bool is_in_chain = false;
};

// The first worker creates all tasks, one a us. Whichever worker is free first runs the next one, 2 us later.
TraceBuilder team_of(std::uint32_t workers, const std::vector<Task>& tasks) {
  TraceBuilder trace(workers);
  trace.begin_team(workers);
  std::vector<Name> names;
  std::int64_t now = 100'000;  // a serial beginning
  for (const Task& task : tasks) {
    names.push_back(task.is_in_chain ? trace.create_after(0, now, {{0x77, 3}}) : trace.create(0, now, 0, task.code));
    now += 1'000;
  }
  for (std::uint32_t worker = 0; worker < workers; ++worker) trace.barrier(worker, now);
  std::vector<std::int64_t> free_ns(workers, now);
  std::int64_t before = now;  // the end of the task before
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto next = std::min_element(free_ns.begin(), free_ns.end());
    const auto worker = static_cast<std::uint32_t>(next - free_ns.begin());
    const std::int64_t begin = (tasks[i].is_in_chain ? std::max(before, *next) : *next) + 2'000;
    trace.run(worker, begin, names[i]);
    trace.end(worker, begin + tasks[i].time_ns);
    before = *next = begin + tasks[i].time_ns;
  }
  trace.end_team(*std::max_element(free_ns.begin(), free_ns.end()) + 5'000);
  return trace;
}

void write(const std::string& folder, std::uint32_t workers, const std::vector<Task>& tasks) {
  foretask::trace::RunFile run = foretask::test::described({}, workers);
  run.machine.processors_usable = workers;
  foretask::test::write_run(folder, team_of(workers, tasks), run);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  try {
    const std::string folder = words[1];
    std::vector<Task> wide, chain, uneven;
    for (int i = 0; i < 120; ++i) wide.push_back({0x1000U * (1 + i % 3), 20'000 + 5'000 * (i % 7)});
    for (int i = 0; i < 30; ++i) chain.push_back({0x1000, 30'000, true});
    for (int i = 0; i < 200; ++i) uneven.push_back({0x1000, i == 150 ? 3'000'000 : 1'000 << (i % 6)});
    write(folder + "/wide", 4, wide);
    write(folder + "/chain", 2, chain);
    write(folder + "/uneven", 2, uneven);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "fixed_runs: %s\n", problem.what());
    return 1;
  }
}
