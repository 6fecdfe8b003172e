// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/region_name.hpp"
#include "report/plain_text.hpp"
#include "report/units.hpp"
#include "report/whatif/whatif.hpp"

namespace foretask::report {
namespace {

constexpr std::size_t kMostKernels = 25;
constexpr std::size_t kMostColumns = 10;  // of numbers of cores

// Named so where a recording's code addresses get their names.
bool has_serial_part(const WhatIf& whatif) {
  return std::any_of(whatif.kernels.begin(), whatif.kernels.end(),
                     [](const WhatIfKernel& kernel) { return kernel.name == "(serial part)"; });
}

bool has_regions(const WhatIf& whatif) {
  return std::any_of(whatif.kernels.begin(), whatif.kernels.end(), [](const WhatIfKernel& kernel) {
    return kernel.name.find(base::kRegionSuffix) != std::string::npos;
  });
}

class Table {
 public:
  // `kernels`: whatif's or its functions, with their rows.
  Table(const WhatIf& whatif, const std::vector<WhatIfKernel>& kernels, const std::vector<WhatIfRow>& rows,
        const char* what)
      : whatif_(whatif),
        kernels_(kernels),
        rows_(rows),
        what_(what),
        names_(kernels),
        columns_(even_choice(whatif.cores.size(), kMostColumns)),
        name_width_(width_of(what)) {
    for (const WhatIfKernel& kernel : kernels) name_width_ = std::max(name_width_, width_of(names_.of(kernel.name)));
  }

  [[nodiscard]] std::string of_factor(std::size_t factor) {
    Text text;
    add(text, "\nGain when {}\n{:<{}}  {:>7}", factor_words(whatif_.factors[factor]), what_, name_width_, "work");
    for (const std::size_t place : columns_) add(text, "  {:>{}}", core_words({whatif_.cores[place]}), cell_width());
    add(text, "\n");
    const std::vector<std::size_t> order = kernels_by_gain(factor);
    for (const std::size_t kernel : order) {
      const std::string name = names_.of(kernels_[kernel].name);
      add(text, "{}{:{}}  {:>7}", name, "", name_width_ - width_of(name), format_share(kernels_[kernel].share));
      for (const std::size_t place : columns_) {
        const WhatIfRow& row = rows_[whatif_.index(kernel, factor, place)];
        marked_ |= row.below_overhead;
        loses_ |= row.factor > 1 && in_percent(row.gain()) < 0;
        const std::string gain =
            fmt::format("{}{:.1f} %{}", row.below_overhead ? "~" : "", in_percent(row.gain()), gain_spread(row));
        add(text, "  {:{}}{}", "", std::max(cell_width(), width_of(gain)) - width_of(gain), gain);
      }
      add(text, "\n");
    }
    if (order.size() < count())
      add(text, "({} more {}s gain less. --json lists them.)\n", count() - order.size(), what_);
    return fmt::to_string(text);
  }

  [[nodiscard]] bool marked() const noexcept { return marked_; }
  [[nodiscard]] bool loses() const noexcept { return loses_; }
  [[nodiscard]] bool cut_columns() const noexcept { return columns_.size() < whatif_.cores.size(); }

 private:
  [[nodiscard]] std::size_t count() const noexcept {
    return rows_.size() / (whatif_.factors.size() * whatif_.cores.size());
  }
  [[nodiscard]] std::size_t cell_width() const noexcept { return whatif_.sampled ? 16 : 10; }

  // By what they give on the most cores.
  [[nodiscard]] std::vector<std::size_t> kernels_by_gain(std::size_t factor) const {
    const auto widest =
        static_cast<std::size_t>(std::max_element(whatif_.cores.begin(), whatif_.cores.end()) - whatif_.cores.begin());
    std::vector<std::size_t> order(count());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return rows_[whatif_.index(a, factor, widest)].gain() > rows_[whatif_.index(b, factor, widest)].gain();
    });
    if (order.size() > kMostKernels) order.resize(kMostKernels);
    return order;
  }

  const WhatIf& whatif_;
  const std::vector<WhatIfKernel>& kernels_;
  const std::vector<WhatIfRow>& rows_;
  const char* const what_;
  ShortNames names_;
  std::vector<std::size_t> columns_;
  std::size_t name_width_;
  bool marked_ = false;
  bool loses_ = false;  // somewhere faster tasks make the program slower
};

}  // namespace

std::string whatif_text(const WhatIf& whatif) {
  std::string text = whatif_answer(whatif);
  text += fmt::format("\n{}: {}, work {}, critical path {}, policy {}{}{}\n", whatif.input,
                      whatif.contents.empty() ? format_count(whatif.tasks, "task", "tasks") : whatif.contents,
                      format_ns(whatif.work_ns), format_ns(whatif.span_ns), analysis::policy_name(whatif.policy),
                      whatif.machine.empty() ? "" : ", on ", whatif.machine);
  Table table(whatif, whatif.kernels, whatif.rows, "kernel");
  Table functions(whatif, whatif.functions, whatif.function_rows, "function");
  for (std::size_t factor = 0; factor < whatif.factors.size(); ++factor) {
    if (!whatif.rows.empty()) text += table.of_factor(factor);
    if (!whatif.function_rows.empty()) text += functions.of_factor(factor);
  }
  text += "\nA gain of 25 % means: 1.25 times as fast as before, on the same cores.\n";
  if (has_serial_part(whatif))
    text += fmt::format("(serial part): the program's own code outside of tasks{}, such as starting and reading.\n",
                        has_regions(whatif) ? " and parallel regions" : "");
  if (whatif.sampled) {
    text += fmt::format(
        "±: half of the way from the 5 % to the 95 % quantile of the gains of {} pairs of replays with the same drawn "
        "task "
        "times. Task times and stealing cause this spread on a machine that never varies.\n{}",
        whatif.sampled->samples, sampling_words(*whatif.sampled));
    if (table.marked() || functions.marked())
      text += "~: less than scheduling costs, or some of these gains are below 0. A real run may not show this gain.\n";
  } else if (table.marked() || functions.marked()) {
    text += "~: less than scheduling costs, or than replays differ by chance. A real run may not show this gain.\n";
  }
  if (table.loses() || functions.loses())
    text +=
        "Below 0: faster tasks become ready in another order. A scheduler that keeps every core busy may then take "
        "longer (Graham 1969). Other gains may be off by as much.\n";
  if (whatif.replays > 1 && !whatif.sampled)
    text += fmt::format("Each figure compares two medians of {} replays.\n", whatif.replays);
  text += assumed_even_words(whatif.assumed_even);
  if (table.cut_columns()) text += "The table leaves out some numbers of cores. --json and --csv list them all.\n";
  return text;
}

}  // namespace foretask::report
