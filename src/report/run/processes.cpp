// SPDX-License-Identifier: Apache-2.0
#include "report/run/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "report/plain_text.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr std::size_t kCommandLetters = 44;

}  // namespace

std::vector<std::size_t> largest_processes(const analysis::ProcessShares& shares) {
  std::vector<std::size_t> rows(shares.processes.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&shares](std::size_t a, std::size_t b) {
    return shares.processes[a].cpu_ns.value_or(0) > shares.processes[b].cpu_ns.value_or(0);
  });
  if (rows.size() > kProcessesShown) rows.resize(kProcessesShown);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string processes_words(const analysis::ProcessShares& shares) {
  std::string words = format_count(shares.processes.size(), "process was", "processes were") + " recorded";
  if (shares.elapsed_ns) {
    words += fmt::format(". From the launch to the end of the last one it took {}", format_ns(*shares.elapsed_ns));
    const double idle = ratio(*shares.idle_ns, *shares.elapsed_ns);
    if (idle > 0) words += fmt::format("; none of them ran in {} of this time", format_share(idle));
  }
  words += ".";
  if (shares.left_out != 0)
    words += fmt::format(" {} recorded: {} is the most (--processes).",
                         format_count(shares.left_out, "later process was not", "later processes were not"),
                         format_count(shares.most_processes));
  const auto endless =
      std::count_if(shares.processes.begin(), shares.processes.end(), [](const auto& one) { return !one.has_ended; });
  if (endless != 0)
    words += fmt::format(" The end of {} was not seen: what it took is the time to its last event, or longer.",
                         format_count(static_cast<std::uint64_t>(endless), "process", "processes"));
  return words;
}

std::string command_words(const analysis::RecordedProcess& process, std::size_t most_letters) {
  std::vector<std::string> command = process.command;
  if (command.empty()) command.push_back(process.program);
  command.front().erase(0, command.front().rfind('/') + 1);
  const std::string words = one_line(fmt::format("{}", fmt::join(command, " ")));
  if (width_of(words) <= most_letters) return words;
  std::size_t end = most_letters - 3;
  while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xc0U) == 0x80U) --end;  // not within a letter
  return words.substr(0, end) + "...";
}

std::string time_words(const std::optional<std::int64_t>& ns) { return ns ? format_ns(*ns) : "-"; }

double cpu_share(const analysis::ProcessShares& shares, const analysis::RecordedProcess& process) {
  if (!process.cpu_ns || shares.cpu_ns == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(*process.cpu_ns) / static_cast<double>(shares.cpu_ns);
}

std::string shown_words(const analysis::ProcessShares& shares) {
  if (shares.processes.empty()) return "";
  const analysis::RecordedProcess& shown = shares.processes[shares.shown];
  return fmt::format("What follows is about process {} alone{}.{}", shown.name,
                     shown.folder.empty() ? "" : ", in " + shown.folder,
                     shares.processes.size() > 1 ? " Another one: --process N." : "");
}

std::string processes_text(const analysis::ProcessShares& shares) {
  Text text;
  if (shares.processes.empty()) return "";
  add(text, "{}\n\n  {:<9}  {:>10}  {:>10}  {:>10}  {:>8}   {}\n", processes_words(shares), "process", "start", "took",
      "CPU time", "of all", "command");
  const std::vector<std::size_t> rows = largest_processes(shares);
  std::int64_t others_ns = shares.cpu_ns;
  for (const std::size_t row : rows) {
    const analysis::RecordedProcess& process = shares.processes[row];
    others_ns -= process.cpu_ns.value_or(0);
    add(text, "  {:<9}  {:>10}  {:>10}  {:>10}  {:>8}   {}\n", process.name, time_words(process.start_ns),
        time_words(process.elapsed_ns), time_words(process.cpu_ns), format_share(cpu_share(shares, process)),
        command_words(process, kCommandLetters));
  }
  if (rows.size() < shares.processes.size())
    add(text, "  {:<9}  {:>10}  {:>10}  {:>10}  {:>8}   {}\n", "others", "", "", format_ns(others_ns),
        format_share(ratio(others_ns, shares.cpu_ns)),
        format_count(shares.processes.size() - rows.size(), "process", "processes") + " (--json lists all)");
  add(text, "\n{}\n\n", shown_words(shares));
  return fmt::to_string(text);
}

}  // namespace foretask::report
