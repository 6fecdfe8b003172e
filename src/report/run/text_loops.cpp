// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/run/loop_rows.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::LoopSummary;
using analysis::Report;

constexpr std::size_t kLoopsShown = 20;

double as_double(std::int64_t ns) { return static_cast<double>(ns); }

// "94 % costs, 6 % numbers"; the largest first, without what rounds to nothing.
std::string causes_words(const analysis::WaitCauses& waits) {
  constexpr double kLeast = 0.005;
  std::array<std::pair<std::int64_t, const char*>, 3> causes{
      {{waits.costs_ns, "costs"}, {waits.numbers_ns, "numbers"}, {waits.speeds_ns, "speeds"}}};
  std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const double sum = as_double(waits.costs_ns + waits.numbers_ns + waits.speeds_ns);
  std::string words;
  for (const auto& [ns, name] : causes) {
    if (ratio(as_double(ns), sum) < kLeast) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", format_share(ratio(as_double(ns), sum)), name);
  }
  return words;
}

void add_waits(Text& text, const Report& report, const ShortNames& names) {
  constexpr double kMuch = 0.01;  // of the workers' time
  constexpr std::size_t kShown = 3;
  const double least = kMuch * report.workers * as_double(report.elapsed_ns);
  std::vector<const LoopSummary*> waited;
  for (const LoopSummary& loop : report.loops)
    if (loop.waits && as_double(loop.waited_ns) >= least) waited.push_back(&loop);
  if (waited.empty()) return;
  std::stable_sort(waited.begin(), waited.end(),
                   [](const LoopSummary* a, const LoopSummary* b) { return a->waited_ns > b->waited_ns; });
  if (waited.size() > kShown) waited.resize(kShown);
  add(text, "Why threads waited for the slowest:\n");
  for (const LoopSummary* const loop : waited)
    add(text, "  {:<40}  {}\n", causes_words(*loop->waits), names.of(loop->name));
  add(text,
      "costs: some iterations cost more (of a static loop: or a core is always slower). numbers: iterations or chunks "
      "are too few to divide. speeds: threads were held up at times.\n");
}

void add_hand_outs(Text& text, const Report& report, const ShortNames& names) {
  constexpr double kMuch = 0.01;  // of the workers' time
  const double least = kMuch * report.workers * as_double(report.elapsed_ns);
  for (const LoopSummary& loop : report.loops)
    if (as_double(loop.hand_out_ns) >= least)
      add(text, "Beside the total, handing out {} took {}, {} each: {}\n",
          format_count(loop.hand_outs, "chunk", "chunks"), format_ns(as_double(loop.hand_out_ns)),
          format_ns(ratio(as_double(loop.hand_out_ns), static_cast<double>(loop.hand_outs))), names.of(loop.name));
}

}  // namespace

void add_loops(Text& text, const Report& report, const ShortNames& names) {
  if (report.loops.empty()) return;
  add(text, "\nParallel loops, most work first:\n  {:>9}  {:>12}  {:>10}  {:>9}  {:>10}  {:<12}  {}\n", "times",
      "iterations", "total", "imbalance", "waited", "schedule", "name");
  const std::size_t shown = std::min(report.loops.size(), kLoopsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const LoopSummary& loop = report.loops[i];
    add(text, "  {:>9}  {:>12}  {:>10}  {:>9}  {:>10}  {:<12}  {}\n", format_count(loop.instances),
        loop.iterations == 0 ? "-" : format_count(loop.iterations), format_ns(as_double(loop.work_ns)),
        loop.imbalance ? fmt::format("{:.2f}", *loop.imbalance) : "-",
        loop.imbalance ? format_ns(as_double(loop.waited_ns)) : "-", loop.schedule, names.of(loop.name));
  }
  if (shown < report.loops.size()) add(text, "  and {} more (--json lists all)\n", report.loops.size() - shown);
  add(text,
      "imbalance: the slowest thread's time / the threads' mean. waited: what the other threads' "
      "shares are shorter. -: one thread, or not known.\n");
  std::uint64_t cut = 0;
  bool is_guessed = false;
  for (const LoopSummary& loop : report.loops) {
    cut += loop.cut;
    is_guessed = is_guessed || loop.schedule.ends_with('?');
  }
  if (is_guessed) add(text, "?: guessed from the sizes of chunks.\n");
  if (cut != 0)
    add(text, "{} cut short: cancelled, or not done at the program's end. Iterations are those that were handed out.\n",
        format_count(cut, "loop was", "loops were"));
  add_hand_outs(text, report, names);
  add_waits(text, report, names);
}

}  // namespace foretask::report
