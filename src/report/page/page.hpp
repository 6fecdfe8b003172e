// SPDX-License-Identifier: Apache-2.0
// A report as one HTML file that needs nothing else: no network, and no script for what it says in words, tables and
// figures. docs/page.md says what it shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foretask/analysis/cut_off_advice.hpp"
#include "foretask/analysis/efficiencies.hpp"
#include "foretask/analysis/makespan.hpp"
#include "foretask/analysis/model_fit.hpp"
#include "foretask/analysis/program_model.hpp"
#include "foretask/analysis/program_table.hpp"
#include "foretask/analysis/run.hpp"
#include "report/output.hpp"
#include "report/page/folded_graph.hpp"
#include "report/timeline/timeline.hpp"

namespace foretask::report {

// A replay on one number of cores.
struct SpeedUpPoint {
  std::uint32_t cores = 1;
  std::int64_t makespan_ns = 0;
  std::int64_t lowest_ns = 0;  // of several replays
  std::int64_t highest_ns = 0;
};

// Replays on several numbers of cores, as the run is and with faster kernels: the page's curves and its slider.
struct SpeedUps {
  std::vector<SpeedUpPoint> points;        // fewest cores first; empty: nothing was replayed
  std::string reason;                      // why nothing was, or no kernel is faster; a sentence
  std::string how;                         // the policy, and how often, in words
  std::string band;                        // what is between the lowest and the highest; empty: all of these replays
  std::vector<std::uint32_t> kernels;      // indices into the report's kernels, most work first
  std::vector<double> factors;             // ascending
  std::vector<std::int64_t> makespans_ns;  // by kernel, factor and number of cores
  [[nodiscard]] std::int64_t makespan_ns(std::size_t kernel, std::size_t factor, std::size_t point) const {
    return makespans_ns[(kernel * factors.size() + factor) * points.size() + point];
  }
};

// T(n, p) from several runs of the program.
struct PredictedTimes {
  std::string size_name = "n";
  std::vector<double> sizes;                       // ascending; empty: nothing was predicted
  std::vector<double> cores;                       // ascending
  std::vector<analysis::ProgramPrediction> cells;  // by size, then cores; times in ns
  std::vector<analysis::ProgramRun> runs;          // measured
  std::string from;                                // of what runs, in words
  analysis::ProgramModelScore model;               // that answers
  std::vector<std::string> warnings;
  std::string reason;  // why nothing was predicted, and what to do; a sentence

  [[nodiscard]] const analysis::ProgramPrediction& at(std::size_t size, std::size_t core) const {
    return cells[size * cores.size() + core];
  }
};

// Beyond the least or largest n of the runs, or their most cores.
[[nodiscard]] bool is_extrapolated(const PredictedTimes& predicted, double n, double p);

// Places in MakespanSample::quantiles_ns.
inline constexpr std::size_t kQ05 = 1, kQ25 = 3, kQ50 = 4, kQ75 = 5, kQ95 = 7;
static_assert(analysis::kMakespanQuantiles[kQ05] == 0.05 && analysis::kMakespanQuantiles[kQ25] == 0.25 &&
              analysis::kMakespanQuantiles[kQ50] == 0.5 && analysis::kMakespanQuantiles[kQ75] == 0.75 &&
              analysis::kMakespanQuantiles[kQ95] == 0.95);

// How far replays with drawn task times differ.
struct Makespans {
  std::vector<std::uint32_t> cores;               // fewest first; empty: nothing was sampled
  std::vector<analysis::MakespanSample> samples;  // one a number of cores
  std::uint32_t replays = 0;                      // on each
  std::uint64_t tasks = 0;                        // with times
  std::uint64_t kept = 0;                         // without similar tasks: they keep their own times
  std::string reason;                             // why nothing was sampled; a sentence
};

struct FittedRow {
  double fitted_ns = 0;
  double measured_ns = 0;
};

struct FittedKernel {
  std::string name;
  analysis::ModelFit fit;
  std::uint64_t rows = 0;        // of the run, that have all parameters
  bool is_of_samples = false;    // scopes, and times handed over; else tasks
  std::vector<FittedRow> drawn;  // an even choice of those fitted to
  // Measured / fitted: 95 % of those fitted to are between.
  double low = 0;
  double high = 0;
};

// Models of kernels' times that are fitted to a run, and what was measured beside them.
struct KernelModels {
  std::vector<FittedKernel> kernels;  // most rows first
  std::vector<std::string> notes;     // what was left out, and what to do; sentences
};

// Refers to what it is made of.
struct PageContent {
  const analysis::Report& report;
  const Timeline& timeline;
  std::optional<analysis::CutOffAdvice> cut_off;
  std::vector<analysis::Efficiencies> efficiencies;  // of its report
  SpeedUps speed_ups;
  KernelModels kernel_models;
  SpanPart span_part;  // empty: no folded graph
  PredictedTimes predicted;
  Makespans makespans;
  std::vector<std::pair<std::string, std::string>> origin;  // machine and versions: what, and its value
  // "https://host/file#L{line}" with {file} and {line}; empty: kernels' places are no links.
  std::string source_link;
  // The part of the recording that the timeline shows, in ns from its start, exactly where possible; empty: all of it.
  std::optional<std::pair<std::int64_t, std::int64_t>> stretch;
};

// O(strands), and some 50 MB beside what the content has. A failed write is told by output.finish().
void write_page(const PageContent& content, Output& output);

}  // namespace foretask::report
