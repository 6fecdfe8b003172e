// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "report/figure/axis.hpp"
#include "report/figure/chart.hpp"
#include "report/model/models.hpp"
#include "report/page/parts.hpp"
#include "report/page/views.hpp"
#include "report/run/reading.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr double kDecade = 10;

bool spans_decades(const Extent& extent) { return !extent.has_others && extent.high >= kDecade * extent.low; }

Axis axis_of(const std::string& title, const Extent& extent, bool is_logarithmic) {
  return is_logarithmic ? log_time_axis(title, extent.low / 1.1, extent.high * 1.1)
                        : time_axis(title, extent.high * 1.05, 7);
}

void add_measured(Text& text, std::size_t number, const std::string& name, const FittedKernel& kernel) {
  Extent fitted, measured;
  std::vector<ChartPoint> points;
  for (const FittedRow& row : kernel.drawn) {
    fitted.take(row.fitted_ns);
    measured.take(row.measured_ns);
    points.push_back({row.fitted_ns, row.measured_ns});
  }
  const bool is_log = spans_decades(fitted) && !measured.has_others;
  const double first = is_log ? fitted.low : 0;
  const std::vector<ChartPoint> line{{first, first}, {fitted.high, fitted.high}};
  const auto times = [&line](double factor) {
    return std::vector<ChartPoint>{{line[0].x, line[0].y * factor}, {line[1].x, line[1].y * factor}};
  };
  Chart chart(text, fmt::format("model-{}", number), fmt::format("Measured against fitted times of {}", name),
              axis_of("fitted", fitted, is_log), axis_of("measured", measured, is_log));
  chart.band("replay", times(kernel.low), times(kernel.high));
  chart.dots("measured", points);
  chart.line("bound", line);
  chart.legend("measured", kernel.is_of_samples ? "a sample" : "a task");
  chart.legend("bound", "measured as fitted");
  chart.legend("replay", "95 % are in the band around it");
}

void add_residuals(Text& text, std::size_t number, const std::string& name, const FittedKernel& kernel) {
  Extent fitted;
  double least = 0, most = 0;
  std::vector<ChartPoint> points;
  for (const FittedRow& row : kernel.drawn) {
    fitted.take(row.fitted_ns);
    if (!(row.fitted_ns > 0)) continue;
    points.push_back({row.fitted_ns, row.measured_ns / row.fitted_ns - 1});
    least = std::min(least, points.back().y);
    most = std::max(most, points.back().y);
  }
  if (points.empty() || !(most > least)) return;
  // Single tasks that were held up would flatten the others.
  const double top = std::min(most, std::max(4 * (kernel.high - 1), 0.1));
  const double bottom = std::max(least, std::min(4 * (kernel.low - 1), -0.1));
  std::vector<Tick> ticks;
  for (const double at : {bottom, 0.0, top})
    if (at == 0 || std::abs(at) > 0.1 * (top - bottom))
      ticks.push_back({at, at == 0 ? "0" : fmt::format("{:+.0f} %", 100 * at)});
  const bool is_log = spans_decades(fitted);
  Chart chart(text, fmt::format("residuals-{}", number), fmt::format("Residuals of {}, against the fitted time", name),
              axis_of("fitted", fitted, is_log), {"measured / fitted - 1", bottom, top, ticks, false});
  chart.dots("measured", points);
  chart.line("bound", {{is_log ? fitted.low : 0, 0}, {fitted.high, 0}});
  chart.legend("measured", top < most || bottom > least ? "residual; those further off are at the edge" : "residual");
}

void add_tables(Text& text, const FittedKernel& kernel) {
  {
    Table table(text, "Terms of the formula, in ns", {"term", "coefficient", "95 % from", "to"}, Shown::kOnDemand);
    for (const analysis::FittedTerm& term : kernel.fit.terms)
      table.row({term.name,
                 {fmt::format("{:.4g}", term.coefficient), term.coefficient},
                 {fmt::format("{:.4g}", term.low), term.low},
                 {fmt::format("{:.4g}", term.high), term.high}});
  }
  Table table(text, "Residuals by fitted time", {"fitted", "rows", "mean residual", "standard deviation"},
              Shown::kOnDemand);
  for (const analysis::FitBin& bin : kernel.fit.diagnostics.residuals_by_fit)
    table.row({ns_cell(bin.fitted), count_cell(bin.rows), ns_cell(bin.residual), ns_cell(bin.spread)});
}

void add_words(Text& text, const FittedKernel& kernel) {
  const analysis::ModelFit& fit = kernel.fit;
  add(text, "<p><code>{}</code> (ns)</p>\n", markup_text(formula_text(fit)));
  std::string words = fmt::format(
      "It explains {:.4g} % of the variation. 95 % of the {} took between {:.3g} and {:.3g} "
      "times the fitted time, and half are within {:.3g} %.",
      100 * fit.r2, kernel.is_of_samples ? "samples" : "tasks", kernel.low, kernel.high,
      fit.diagnostics.median_error_pct);
  if (fit.rows < kernel.rows)
    words += fmt::format(" Fitted to an even choice of {} out of {}.", format_count(fit.rows),
                         format_count(kernel.rows, kernel.is_of_samples ? "sample" : "task",
                                      kernel.is_of_samples ? "samples" : "tasks"));
  add_paragraph(text, words);
}

}  // namespace

void add_kernel_models(Text& text, const PageContent& content) {
  const KernelModels& models = content.kernel_models;
  if (models.kernels.empty() && models.notes.empty()) return;
  const View view(
      text, "models", "Kernel models",
      "What a kernel's parameters say of its time: a formula that was fitted to its tasks, what was measured "
      "beside it, and how far both are apart.");
  const ShortNames names = short_names_of(content.report);
  for (std::size_t i = 0; i < models.kernels.size(); ++i) {
    const FittedKernel& kernel = models.kernels[i];
    const std::string name = names.of(kernel.name);
    add(text, "<h3>{}</h3>\n", markup_text(name));
    add_words(text, kernel);
    if (!kernel.drawn.empty()) {
      add_measured(text, i, name, kernel);
      add_residuals(text, i, name, kernel);
    }
    add_tables(text, kernel);
    for (const std::string& warning : kernel.fit.warnings) add_paragraph(text, "Note: " + warning + ".");
  }
  for (const std::string& note : models.notes) add_paragraph(text, note);
}

}  // namespace foretask::report
