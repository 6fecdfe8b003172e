// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/page_kernel_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "foretask/analysis/kernel_table.hpp"
#include "report/units.hpp"
#include "statistics/quantile.hpp"

namespace foretask::cli {
namespace {

using analysis::DataTable;
using analysis::TableKernel;
using report::FittedKernel;

constexpr std::size_t kMostKernels = 8;
constexpr std::size_t kMostRows = 20'000;          // that are fitted to, of all kernels
constexpr std::size_t kMostDrawn = 1'000;          // of a kernel
constexpr std::uint64_t kMostVisits = 40'000'000;  // strands, once a kernel
constexpr double kOutside = 0.025;                 // of the rows, on either side of the interval

// In their order; the same ones each time.
std::vector<std::size_t> choice(std::size_t rows, std::size_t most) {
  std::vector<std::size_t> all(rows);
  std::iota(all.begin(), all.end(), 0);
  if (rows <= most) return all;
  std::vector<std::size_t> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), most, std::mt19937(1));
  return chosen;
}

DataTable rows_of(const DataTable& table, const std::vector<std::size_t>& rows) {
  DataTable part{.names = table.names, .columns = {}};
  for (const std::vector<double>& column : table.columns) {
    std::vector<double>& values = part.columns.emplace_back();
    for (const std::size_t row : rows) values.push_back(column[row]);
  }
  return part;
}

void add_rows(const DataTable& table, FittedKernel& kernel) {
  const auto fitted = analysis::fitted_values(kernel.fit, table);
  if (!fitted) return;
  const std::vector<double>& measured = *table.column(analysis::kTimeColumn);
  std::vector<double> ratios;
  for (std::size_t row = 0; row < measured.size(); ++row)
    if ((*fitted)[row] > 0) ratios.push_back(measured[row] / (*fitted)[row]);
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  kernel.low = statistics::sorted_quantile(ratios, kOutside);
  kernel.high = statistics::sorted_quantile(ratios, 1 - kOutside);
  for (const std::size_t row : choice(measured.size(), kMostDrawn))
    kernel.drawn.push_back({(*fitted)[row], measured[row]});
}

Result<FittedKernel> fitted_kernel(const analysis::Run& run, const std::string& name, std::size_t most_rows) {
  auto table = analysis::kernel_table(run, name);
  if (!table) return table.error();
  if (table->parameters.empty()) return Error{.what = "none of its tasks was given its parameters"};
  FittedKernel kernel{.name = name, .rows = table->table.rows(), .is_of_samples = table->of_samples};
  const DataTable part = rows_of(table->table, choice(table->table.rows(), most_rows));
  auto fit = analysis::fit_model(part, {.target = analysis::kTimeColumn, .parameters = table->parameters});
  if (!fit) return fit.error();
  kernel.fit = *std::move(fit);
  add_rows(part, kernel);
  return kernel;
}

}  // namespace

report::KernelModels page_kernel_models(const analysis::Run& run) {
  report::KernelModels models;
  std::vector<TableKernel> kernels = analysis::table_kernels(run);
  if (kernels.empty()) return models;
  std::erase_if(kernels, [](const TableKernel& kernel) { return kernel.parameters.empty(); });
  if (kernels.empty()) {
    models.notes.emplace_back(
        "No kernel of this run has parameters. Where the program names them (foretask_openmp_next() of "
        "foretask/openmp.h, foretask_scope_begin() of foretask/foretask.h; docs/learning.md), their effect on the time "
        "is shown here.");
    return models;
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const TableKernel& a, const TableKernel& b) { return a.rows > b.rows; });
  const std::size_t affordable = kMostVisits / std::max<std::size_t>(run.graph().size(), 1);
  const std::size_t shown = std::min({kernels.size(), kMostKernels, affordable});
  for (std::size_t i = 0; i < shown; ++i) {
    auto kernel = fitted_kernel(run, kernels[i].name, kMostRows / shown);
    if (kernel) {
      models.kernels.push_back(*std::move(kernel));
    } else {
      models.notes.push_back(fmt::format("No model of {}: {}.", kernels[i].name, kernel.error().what));
    }
  }
  if (shown < kernels.size())
    models.notes.push_back(fmt::format("Left out: {}. foretask model fit RUN --kernel NAME shows one.",
                                       report::format_count(kernels.size() - shown, "kernel with parameters",
                                                            "kernels with parameters and fewer tasks")));
  return models;
}

}  // namespace foretask::cli
