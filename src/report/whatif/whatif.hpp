// SPDX-License-Identifier: Apache-2.0
// What `foretask whatif` found, as data for its writers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "report/short_names.hpp"
#include "report/simulate/simulation.hpp"

namespace foretask::report {

struct WhatIfKernel {
  std::string name;
  std::uint64_t tasks = 0;
  std::int64_t work_ns = 0;
  double share = 0;  // of all work, in [0, 1]
};

// Of the gains of replays with drawn task times, before and after on the same draws.
struct SampledGain {
  double p05 = 0;
  double p50 = 0;
  double p95 = 0;
};

// One replay beside that of the program as it is, on the same cores.
struct WhatIfRow {
  std::size_t kernel = 0;  // index into WhatIf::kernels
  double factor = 1;       // infinite: its tasks take no time
  std::uint32_t cores = 1;
  std::int64_t base_ns = 0;
  std::int64_t makespan_ns = 0;
  // The gain is less than what scheduling costs in this run, or than the replays differ from each other by chance;
  // where it was sampled, zero lies between the 5 % and the 95 % quantile.
  bool below_overhead = false;
  std::optional<SampledGain> sampled;

  [[nodiscard]] double speedup() const noexcept;  // base / makespan
  // 0.25: a quarter faster. The median, where it was sampled.
  [[nodiscard]] double gain() const noexcept { return sampled ? sampled->p50 : speedup() - 1; }
};

// " ± 2.0": half of the way from its 5 % to its 95 % quantile, in points; empty where it was not sampled.
[[nodiscard]] std::string gain_spread(const WhatIfRow& row);

// The program's replays on one number of cores: as it is, and changed.
struct ReplayGain {
  std::uint32_t cores = 1;
  std::int64_t base_ns = 0;
  std::int64_t makespan_ns = 0;

  [[nodiscard]] double speedup() const noexcept;  // base / makespan
  [[nodiscard]] double gain() const noexcept { return speedup() - 1; }
};

// The same program on more cores.
struct MoreCores : ReplayGain {
  std::uint32_t more = 2;
};

// What each of whatif's answers says of its input and its replays.
struct ReplayedInput {
  std::string input;
  std::string contents;  // of a recording: its tasks and loops in words
  analysis::Policy policy = analysis::Policy::kCriticalPath;
  std::uint64_t tasks = 0;
  std::int64_t work_ns = 0;
  std::int64_t span_ns = 0;
  std::uint32_t replays = 1;  // of each, of which the median counts
  std::vector<std::uint32_t> cores;
  double assumed_even = 0;  // of a recording's work: analysis::Report::assumed_even_ns

  // Of the numbers of cores, the fewest first.
  [[nodiscard]] std::vector<std::size_t> places_by_cores() const;
};

struct WhatIf : ReplayedInput {
  std::string machine;                // in words; empty: identical cores
  std::vector<WhatIfKernel> kernels;  // those of `rows`, then those of `removed`
  std::vector<double> factors;
  std::vector<WhatIfRow> rows;     // kernel by kernel, factor by factor, cores by cores, in the order given
  std::vector<WhatIfRow> removed;  // kernel by kernel, cores by cores
  // Functions within kernels, where threads were sampled: as `kernels`, without tasks, and as `rows`.
  std::vector<WhatIfKernel> functions;
  std::vector<WhatIfRow> function_rows;
  std::vector<MoreCores> more_cores;
  std::optional<SampleCount> sampled;

  // How a sentence names a kernel: "function (file:line)" by its function, where no other kernel has that one.
  [[nodiscard]] std::string label(std::size_t kernel) const;
  [[nodiscard]] std::size_t kernels_in_rows() const noexcept { return rows.size() / (factors.size() * cores.size()); }
  [[nodiscard]] const WhatIfRow& row(std::size_t kernel, std::size_t factor, std::size_t place_of_cores) const {
    return rows[index(kernel, factor, place_of_cores)];
  }
  // Into `rows` and `function_rows`.
  [[nodiscard]] std::size_t index(std::size_t kernel, std::size_t factor, std::size_t place_of_cores) const {
    return (kernel * factors.size() + factor) * cores.size() + place_of_cores;
  }
};

// A sentence a line. "On 64 cores make fact faster: ..." for the largest numbers of cores first, then what would help
// more, cores or code, and what removing a kernel would give.
[[nodiscard]] std::string whatif_answer(const WhatIf& whatif);

// "2 times as fast", "30 % as fast" below 1.
[[nodiscard]] std::string factor_words(double factor);

// "1 core", "2 and 4 cores", "2 to 64 cores".
[[nodiscard]] std::string core_words(const std::vector<std::uint32_t>& cores);

// Leads with the answer: which kernel to make faster on which cores; then a table of the gains.
[[nodiscard]] std::string whatif_text(const WhatIf& whatif);

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string whatif_json(const WhatIf& whatif);

// kernel,factor,cores,base_ns,makespan_ns,speedup,below_overhead; a removed kernel has the factor inf.
[[nodiscard]] std::string whatif_csv(const WhatIf& whatif);

}  // namespace foretask::report
