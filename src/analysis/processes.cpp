// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/processes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "graph/reconstruction/trace_census.hpp"
#include "trace/process_folders.hpp"
#include "trace/stamp_range.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::analysis {
namespace {

namespace fs = std::filesystem;

// Rank + 1, 0 for none, and number of the process: the order of a launch's processes.
using Place = std::pair<std::uint64_t, std::uint32_t>;

struct Found {
  std::string name;
  std::string folder;
  trace::RunFile run;
};
using Family = std::map<Place, Found>;

template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || (text.front() == '0' && rest != text.data() + 1)) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return true;
}

// The place of a process by its name, which is "2", "rank0", "rank0.2" or the like. Empty: it is no such name.
std::optional<Place> place_of(std::string_view name) {
  constexpr std::string_view kRank = "rank";
  Place place{0, 1};
  if (name.starts_with(kRank)) {
    name.remove_prefix(kRank.size());
    std::uint32_t rank = 0;
    if (name.empty() || !take_number(name, rank)) return std::nullopt;
    place.first = std::uint64_t{rank} + 1;
    if (name.empty()) return place;
    if (name.front() != '.') return std::nullopt;
    name.remove_prefix(1);
  }
  if (name.empty() || !take_number(name, place.second) || !name.empty() || place.second < 2) return std::nullopt;
  return place;
}

// The path that the names beside it begin with.
std::string base_of(const std::string& folder) {
  const std::string path = folder.substr(0, folder.find_last_not_of('/') + 1);
  const std::string name = fs::path(path).filename().string();
  std::error_code error;
  if (!name.empty() && name != "." && name != ".." && !fs::is_symlink(path, error)) return path;
  const fs::path real = fs::canonical(folder, error);
  return error ? path : real.string();
}

// The recordings that are called as further processes of the one in `base` are.
Family recordings_beside(const std::string& base) {
  Family family;
  const fs::path parent = fs::path(base).parent_path();
  const std::string start = fs::path(base).filename().string() + ".";
  std::error_code error;
  for (fs::directory_iterator at(parent.empty() ? "." : parent, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(start)) continue;
    const auto place = place_of(std::string_view(name).substr(start.size()));
    if (!place) continue;
    std::string folder = base + name.substr(start.size() - 1);
    if (auto run = trace::read_run_file(folder + "/run.json"))
      family.emplace(*place, Found{name.substr(start.size()), std::move(folder), std::move(*run)});
  }
  return family;
}

// On CLOCK_MONOTONIC; 0 where it is not known.
std::int64_t end_of(const Found& one) {
  const trace::RunFile& run = one.run;
  if (run.exit_ns != 0) return run.exit_ns;
  if (run.end.monotonic_ns != 0) return run.end.monotonic_ns + run.tool_end_ns;
  auto opened = trace::open_trace_folder(one.folder);
  if (!opened) return 0;
  const graph::TraceCensus census = graph::take_census(opened->streams, [](std::uint64_t) {});
  if (census.last_ticks < run.start.ticks) return 0;
  return run.start.monotonic_ns +
         std::llround(static_cast<double>(census.last_ticks - run.start.ticks) / run.ticks_per_second * 1e9);
}

RecordedProcess describe(Found& one, const trace::RunFile& first) {
  trace::RunFile& run = one.run;
  RecordedProcess process;
  process.name = std::move(one.name);
  process.folder = one.folder;
  process.has_ended = run.state == "complete";
  process.program = std::move(run.program);
  process.command = std::move(run.command);
  if (run.is_changed || !run.wrong_fields.empty() || trace::clock_contradicts_itself(run)) return process;
  const std::int64_t begin = run.launch_ns != 0 ? run.launch_ns : run.start.monotonic_ns;
  if (run.machine.host == first.machine.host)
    process.start_ns = std::max<std::int64_t>(0, begin - first.launch.start_ns);
  if (const std::int64_t end = end_of(one); end >= begin) process.elapsed_ns = end - begin;
  if (run.cpu_ns != 0) process.cpu_ns = run.cpu_ns;
  return process;
}

// How long none ran; the processes by their start.
void find_idle_time(ProcessShares& shares) {
  std::vector<std::pair<std::int64_t, std::int64_t>> stretches;
  for (const RecordedProcess& one : shares.processes) {
    if (!one.start_ns || !one.elapsed_ns) return;
    stretches.emplace_back(*one.start_ns, *one.start_ns + *one.elapsed_ns);
  }
  std::sort(stretches.begin(), stretches.end());
  std::int64_t end = 0;
  std::int64_t idle = 0;
  for (const auto& [from, to] : stretches) {
    idle += std::max<std::int64_t>(0, from - end);
    end = std::max(end, to);
  }
  shares.elapsed_ns = end;
  shares.idle_ns = idle;
}

// A process whose CPU time is not known may be the largest.
std::int64_t size_of(const RecordedProcess& one) { return one.cpu_ns.value_or(one.elapsed_ns.value_or(0)); }

}  // namespace

ProcessShares read_process_shares(const std::string& folder) {
  ProcessShares shares;
  const std::string base = base_of(folder);
  Family family = recordings_beside(base);
  if (auto run = trace::read_run_file(base + "/run.json"))
    family.emplace(Place{0, 1}, Found{"1", base, std::move(*run)});
  if (family.empty()) return shares;
  const trace::RunFile first = family.begin()->second.run;
  if (first.launch.start_ns == 0) return shares;
  std::erase_if(family, [&first](const auto& one) {
    const trace::Launch& launch = one.second.run.launch;
    return launch.start_ns != first.launch.start_ns || launch.process != one.first.second;
  });
  for (auto& [place, one] : family) {
    if (place.second == 1) shares.left_out += trace::count_processes(one.folder).left_out;
    shares.processes.push_back(describe(one, first));
    shares.cpu_ns += shares.processes.back().cpu_ns.value_or(0);
  }
  if (shares.processes.size() < 2 && shares.left_out == 0) return {};
  shares.most_processes = first.launch.most_processes;
  const auto largest = std::ranges::max_element(shares.processes, {}, size_of);
  shares.shown = static_cast<std::size_t>(largest - shares.processes.begin());
  find_idle_time(shares);
  return shares;
}

std::string left_over_process(const std::string& folder) {
  for (const auto& [place, one] : recordings_beside(base_of(folder)))
    if (one.run.launch.start_ns != 0 && one.run.launch.process == place.second && place.second > 1 && place.first == 0)
      return one.folder;
  return {};
}

}  // namespace foretask::analysis
