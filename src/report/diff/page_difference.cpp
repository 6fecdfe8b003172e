// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "report/diff/difference.hpp"
#include "report/diff/difference_words.hpp"
#include "report/page/anonymous.hpp"
#include "report/page/frame.hpp"
#include "report/page/parts.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::Change;
using analysis::KernelChange;
using analysis::RunDifference;

constexpr double kWidth = 720;
constexpr double kValueWidth = 80;  // room for a time behind its bar
constexpr double kBarHeight = 14;
constexpr double kNameHeight = 22;
constexpr double kGap = 12;
constexpr std::size_t kKernelsDrawn = 12;

void add_answer(Text& text, const RunDifference& difference, bool is_anonymous) {
  const View view(text, "answer", "What changed",
                  "The answer in words, and what speaks for it. The figures that it rests on are below.");
  add_paragraph(text, facts_words(difference, is_anonymous));
  const std::vector<std::string> answer = difference_answer(difference);
  for (const std::string& words : answer) {
    if (&words == &answer.front())
      add(text, "<p class=\"lead\">{}</p>\n", markup_text(words));
    else
      add_paragraph(text, words);
  }
}

Cell time_cell(const std::string& name, double ns) {
  return {time_words(name, ns), name.empty() ? std::nullopt : std::optional(ns)};
}

// An interval counts as a number: by its lower end.
Cell interval_cell(const RunDifference& difference, const Change& change) {
  return {interval_words(difference, change), change.low};
}

void add_totals(Text& text, const RunDifference& difference) {
  const View view(text, "totals", "In all",
                  "The workers' time is workers x elapsed time: work, scheduler delay and no work add up to it.");
  const SideNames names = side_names(difference);
  Table table(text, "Totals",
              {"what", names.before, names.after, "difference", change_head(difference), "95 % interval"},
              Shown::kAlways);
  for (const TotalRow& row : total_rows(difference)) {
    const double by = row.change->after - row.change->before;
    table.row({row.name,
               ns_cell(row.change->before),
               ns_cell(row.change->after),
               {signed_ns(by), by},
               {change_words(difference, *row.change), row.change->ratio},
               interval_cell(difference, *row.change)});
  }
}

void add_bar(Text& text, double top, const char* kind, const std::string& side, double ns, double most_ns) {
  const double width = (kWidth - kValueWidth) * ratio(ns, most_ns);
  add(text,
      "<rect class=\"bar {}\" x=\"0\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"><title>{}: {}</title></rect><text "
      "x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
      kind, top, width, kBarHeight, markup_text(side), format_ns(ns), width + 6, top + kBarHeight - 3, format_ns(ns));
}

// Two bars a kernel, one above the other, all to one scale.
void add_figure(Text& text, const RunDifference& difference, const ShortNames& names) {
  const std::size_t drawn = std::min(difference.kernels.size(), kKernelsDrawn);
  const SideNames sides = side_names(difference);
  double most_ns = 0;
  for (std::size_t i = 0; i < drawn; ++i)
    most_ns = std::max({most_ns, difference.kernels[i].work_ns.before, difference.kernels[i].work_ns.after});
  const double row_height = kNameHeight + 2 * kBarHeight + kGap;
  add(text, "<figure id=\"kernels-figure\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth,
      static_cast<double>(drawn) * row_height,
      markup_text(fmt::format("Work of the {} whose work differs most, {} and {}",
                              format_count(drawn, "kernel", "kernels"), sides.before, sides.after)));
  for (std::size_t i = 0; i < drawn; ++i) {
    const KernelChange& kernel = difference.kernels[i];
    const double top = static_cast<double>(i) * row_height;
    const bool is_in_both = !kernel.before.empty() && !kernel.after.empty();
    add(text, "<text x=\"0\" y=\"{:.1f}\">{}</text>\n", top + kNameHeight - 6,
        markup_text(fmt::format("{}: {}{}", kernel_words(names, kernel),
                                is_in_both ? fmt::format("{} ", change_head(difference)) : "",
                                change_words(difference, kernel))));
    add_bar(text, top + kNameHeight, "nowork", sides.before, kernel.work_ns.before, most_ns);
    add_bar(text, top + kNameHeight + kBarHeight, "work", sides.after, kernel.work_ns.after, most_ns);
  }
  add(text, "</svg>\n<figcaption>");
  for (const auto& [kind, words] : {std::pair{"nowork", sides.before}, std::pair{"work", sides.after}})
    add_key(text, kind, words);
  if (drawn < difference.kernels.size())
    add(text, "The figure has {} of {} kernels, the table all.", drawn, difference.kernels.size());
  add(text, "</figcaption></figure>\n");
}

void add_kernels(Text& text, const RunDifference& difference) {
  if (difference.kernels.empty()) return;
  const View view(text, "kernels", "By kernel",
                  "The work of each kernel, over all workers; the largest difference first. A kernel is the code of a "
                  "task, a region or a loop.");
  const ShortNames names = short_names_of(difference);
  const SideNames sides = side_names(difference);
  const char* const change = change_head(difference);
  add_figure(text, difference, names);
  {
    Table table(text, "Work by kernel", {"kernel", sides.before, sides.after, "difference", change, "95 % interval"},
                Shown::kAlways);
    for (const KernelChange& kernel : difference.kernels) {
      const double by = kernel.work_ns.after - kernel.work_ns.before;
      const bool is_in_both = !kernel.before.empty() && !kernel.after.empty();
      table.row({kernel_words(names, kernel), time_cell(kernel.before, kernel.work_ns.before),
                 time_cell(kernel.after, kernel.work_ns.after), Cell(signed_ns(by), by),
                 Cell(change_words(difference, kernel), kernel.work_ns.ratio),
                 is_in_both ? interval_cell(difference, kernel.work_ns) : Cell("-")});
    }
  }
  Table table(text, "How often kernels ran, and how long one took (mean)",
              {"kernel", "count " + sides.before, "count " + sides.after, "mean " + sides.before, "mean " + sides.after,
               change, "95 % interval"},
              Shown::kAlways);
  for (const KernelChange& kernel : difference.kernels) {
    const bool is_in_both = !kernel.before.empty() && !kernel.after.empty();
    table.row({kernel_words(names, kernel),
               {count_words(kernel.before, kernel.count.before), kernel.count.before},
               {count_words(kernel.after, kernel.count.after), kernel.count.after},
               time_cell(kernel.before, kernel.mean_ns.before),
               time_cell(kernel.after, kernel.mean_ns.after),
               is_in_both ? Cell(change_words(difference, kernel.mean_ns), kernel.mean_ns.ratio) : Cell("-"),
               is_in_both ? interval_cell(difference, kernel.mean_ns) : Cell("-")});
  }
}

void add_reading(Text& text, const RunDifference& difference, bool is_anonymous) {
  const View view(text, "reading", "How to read the figures",
                  "What the columns mean, and how far they can be trusted.");
  for (const std::string& note : difference_notes(difference)) add_paragraph(text, note);
  if (difference.before.warnings.empty() && difference.after.warnings.empty()) return;
  add(text, "<h3>Warnings</h3>\n<ul class=\"warnings\">\n");
  for (const auto* side : {&difference.before, &difference.after})
    for (const analysis::RunWarning& one : side->warnings)
      add(text, "<li>{}</li>\n", markup_text(is_anonymous ? without_paths(one.text) : one.folder + ": " + one.text));
  add(text, "</ul>\n");
}

void add_origin(Text& text, const RunDifference& difference, bool is_anonymous) {
  const View view(text, "origin", "Where this came from", "The recordings, and what is known of how they were made.");
  const SideNames sides = side_names(difference);
  Table table(text, "The recordings", {"what", sides.before, sides.after}, Shown::kAlways);
  const auto runs = [is_anonymous](const analysis::DifferenceSide& side) {
    return is_anonymous ? format_count(side.folders.size(), "run", "runs")
                        : fmt::format("{}", fmt::join(side.folders, ", "));
  };
  table.row({"recorded in", runs(difference.before), runs(difference.after)});
  table.row({"workers", format_count(difference.before.workers), format_count(difference.after.workers)});
  for (const analysis::FactPair& fact : difference.facts) {
    if (is_anonymous && is_private(fact.what)) continue;
    const auto value = [is_anonymous](const std::string& words) {
      return words.empty() ? std::string("-") : is_anonymous ? without_paths(words) : words;
    };
    table.row({fact.what, value(fact.before), value(fact.after)});
  }
}

}  // namespace

void write_difference_page(const RunDifference& difference, bool is_anonymous, Output& output) {
  Text views;
  add_answer(views, difference, is_anonymous);
  add_totals(views, difference);
  add_kernels(views, difference);
  add_reading(views, difference, is_anonymous);
  add_origin(views, difference, is_anonymous);
  write_framed(difference_title(difference), views, output);
}

}  // namespace foretask::report
