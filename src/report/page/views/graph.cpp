// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/page/folded_graph.hpp"
#include "report/page/parts.hpp"
#include "report/page/views.hpp"
#include "report/run/reading.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr std::size_t kMostGroups = 300;
constexpr std::size_t kMostDependences = 100;
constexpr std::uint32_t kOpenDepths = 2;
constexpr double kBarWidth = 120;
constexpr double kOnPath = 0.001;  // of the critical path

class Outline {
 public:
  Outline(Text& text, const PageContent& content, const FoldedGraph& graph)
      : text_(text),
        content_(content),
        graph_(graph),
        outline_(graph, kMostGroups),
        names_(short_names_of(content.report)) {}

  void write() {
    write_list(outline_.roots);
    if (outline_.left_out != 0)
      add_paragraph(
          text_,
          fmt::format("Left out: {} with least work, {} that took {}.", format_count(outline_.left_out, "box", "boxes"),
                      format_count(outline_.left_out_tasks, "task", "tasks"), format_ns(outline_.left_out_work_ns)));
  }

  void write_table() {
    Table table(text_, "The boxes", {"box", "depth", "tasks", "work", "of work", "of crit.", "created by"},
                Shown::kOnDemand);
    write_rows(table, outline_.roots);
  }

  void write_dependences() {
    struct Row {
      const FoldedGroup* from;
      const FoldedGroup* to;
      std::uint64_t count;
    };
    std::vector<Row> rows;
    for (const FoldedGroup& group : graph_.groups)
      for (const FoldedGroup::Link& link : group.waited_for)
        rows.push_back({&graph_.groups[link.group], &group, link.count});
    if (rows.empty()) return;
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.count > b.count; });
    Table table(text_,
                rows.size() > kMostDependences ? fmt::format("Dependences between boxes, the {} of {} pairs with most",
                                                             kMostDependences, format_count(rows.size()))
                                               : "Dependences between boxes",
                {"tasks of", "wait for tasks of", "dependences"}, Shown::kAlways);
    for (std::size_t i = 0; i < std::min(rows.size(), kMostDependences); ++i)
      table.row({place(*rows[i].to), place(*rows[i].from), count_cell(rows[i].count)});
  }

 private:
  [[nodiscard]] std::string name(const FoldedGroup& group) const {
    return names_.of(content_.timeline.graph.kernel_names[group.kernel]);
  }
  [[nodiscard]] std::string place(const FoldedGroup& group) const { return name(group) + ", " + depth_words(group); }
  [[nodiscard]] double of_work(const FoldedGroup& group) const { return ratio(group.work_ns, content_.report.work_ns); }
  [[nodiscard]] double of_path(const FoldedGroup& group) const { return ratio(group.span_ns, content_.report.span_ns); }

  void write_row(std::size_t index) {
    const FoldedGroup& group = graph_.groups[index];
    const double on_path = of_path(group);
    const auto with_below = static_cast<double>(outline_.work_ns[index]);
    const auto bar = [this](const char* kind, double top, double height, double share) {
      add(text_, "<rect class=\"bar {}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/>", kind, top,
          kBarWidth * std::min(share, 1.0), height);
    };
    add(text_, "<svg class=\"share{}\" viewBox=\"0 0 {} 14\" aria-hidden=\"true\">",
        on_path >= kOnPath ? " on-path" : "", kBarWidth);
    bar("below", 0, 8, ratio(with_below, content_.report.work_ns));
    bar("work", 0, 8, of_work(group));
    if (on_path >= kOnPath) bar("path", 9, 5, on_path);
    add(text_, "</svg>{}, {}: {}, {}", markup_text(name(group)), depth_words(group),
        format_count(group.tasks, "task", "tasks"), format_ns(group.work_ns));
    if (outline_.work_ns[index] > group.work_ns) add(text_, " ({} with those below it)", format_ns(with_below));
    if (on_path >= kOnPath) add(text_, ", <mark>{} of the critical path</mark>", format_share(on_path));
  }

  // A group that created one other alone has that one behind it, not below: a recursion would lead far to the right.
  void write_list(const std::vector<std::size_t>& groups) {
    add(text_, "<ul class=\"outline\">\n");
    for (const std::size_t first : groups) {
      std::size_t one = first;
      while (outline_.children[one].size() == 1) {
        write_item(one, false);
        one = outline_.children[one].front();
      }
      write_item(one, !outline_.children[one].empty());
    }
    add(text_, "</ul>\n");
  }

  void write_item(std::size_t index, bool is_opened) {
    const FoldedGroup& group = graph_.groups[index];
    add(text_, "<li>");
    if (is_opened) add(text_, "<details{}><summary>", group.first_depth < kOpenDepths ? " open" : "");
    write_row(index);
    if (is_opened) {
      add(text_, "</summary>\n");
      write_list(outline_.children[index]);
      add(text_, "</details>");
    }
    add(text_, "</li>\n");
  }

  void write_rows(Table& table, const std::vector<std::size_t>& groups) {
    for (const std::size_t index : groups) {
      const FoldedGroup& group = graph_.groups[index];
      std::string makers;
      for (const FoldedGroup::Link& link : group.makers)
        makers += fmt::format("{}{} ({})", makers.empty() ? "" : "; ", place(graph_.groups[link.group]),
                              format_count(link.count));
      table.row({name(group),
                 {depth_words(group).substr(std::string_view("depth ").size()), static_cast<double>(group.first_depth)},
                 count_cell(group.tasks),
                 ns_cell(group.work_ns),
                 share_cell(of_work(group)),
                 share_cell(of_path(group)),
                 makers});
      write_rows(table, outline_.children[index]);
    }
  }

  Text& text_;
  const PageContent& content_;
  const FoldedGraph& graph_;
  const GraphOutline outline_;
  const ShortNames names_;
};

}  // namespace

void add_graph(Text& text, const PageContent& content) {
  if (!content.span_part) return;
  const FoldedGraph graph(content.timeline.graph, content.span_part);
  if (graph.groups.empty()) return;
  const View view(text, "graph", "The task graph, folded",
                  "Tasks of one kernel at one depth of the task tree are one box; tasks at depth 3 were created by "
                  "tasks at depth 2. A box opens to those that its tasks created. The upper bar is its part of the "
                  "work, pale with the boxes below it; the lower one its part of the critical path.");
  Outline outline(text, content, graph);
  outline.write();
  outline.write_table();
  outline.write_dependences();
}

}  // namespace foretask::report
