// SPDX-License-Identifier: Apache-2.0
#include "report/page/views.hpp"

#include "catch.hpp"

#include <string>

using namespace foretask;
using namespace foretask::report;
using analysis::kNoNode;

namespace {

// Two tasks of a kernel whose name is markup, the second one created by the first; the first one is the longest path.
struct HostileRun {
  analysis::TaskGraph graph;
  analysis::Report report;
  Timeline timeline{.graph = graph, .places = {}, .program = "p"};

  HostileRun() {
    graph.kernel_names = {"<script>alert(1)</script>"};
    graph.duration_ns = {3'000'000, 1'000'000};
    graph.kernel = {0, 0};
    graph.task_of_node = {0, 1};
    graph.parent_of_task = {kNoNode, 0};
    graph.first_successor = {0, 0, 0};
    report.work_ns = 4'000'000;
    report.span_ns = 3'000'000;
  }
  [[nodiscard]] PageContent content() const { return {.report = report, .timeline = timeline}; }
};

template <typename Add>
std::string text_of(const PageContent& content, Add add_view) {
  Text text;
  add_view(text, content);
  return fmt::to_string(text);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the folded graph says tasks, work and share of the critical path, and names are text") {
  const HostileRun run;
  PageContent content = run.content();
  content.span_part = [](analysis::NodeIndex node) { return node == 0 ? 3'000'000 : 0; };
  const std::string text = text_of(content, add_graph);
  CHECK(has(text,
            "&lt;script&gt;alert(1)&lt;/script&gt;, depth 0: 1 task, 3.00 ms (4.00 ms with those below it), "
            "<mark>100.0 % of the critical path</mark>"));
  CHECK(has(text, "&lt;script&gt;alert(1)&lt;/script&gt;, depth 1: 1 task, 1.00 ms</li>"));
  CHECK_FALSE(has(text, "<script>"));
}

TEST_CASE("a kernel's model is its formula, its points and its interval, and names are text") {
  const HostileRun run;
  PageContent content = run.content();
  FittedKernel kernel{.name = run.graph.kernel_names[0], .rows = 2, .low = 0.5, .high = 1.25};
  kernel.fit = {.target = "time", .rows = 2, .r2 = 0.75};
  kernel.fit.terms = {{.name = "n", .coefficient = 2.5, .low = 2, .high = 3}};
  kernel.drawn = {{.fitted_ns = 100, .measured_ns = 110}, {.fitted_ns = 5000, .measured_ns = 4900}};
  content.kernel_models.kernels.push_back(kernel);
  const std::string text = text_of(content, add_kernel_models);
  CHECK(has(text, "<code>time = 2.5 * n</code> (ns)"));
  CHECK(has(text, "It explains 75 % of the variation. 95 % of the tasks took between 0.5 and 1.25 times"));
  CHECK(has(text, "id=\"model-0\""));
  CHECK(has(text, "id=\"residuals-0\""));
  CHECK_FALSE(has(text, "<script>"));
}

TEST_CASE("predicted times are curves, a map whose extrapolated cells are hatched, and a table") {
  const HostileRun run;
  PageContent content = run.content();
  PredictedTimes& predicted = content.predicted;
  predicted.sizes = {10, 20};
  predicted.cores = {1, 2};
  predicted.cells = {{.n = 10, .p = 1, .time = 1000},
                     {.n = 10, .p = 2, .time = 600},
                     {.n = 20, .p = 1, .time = 2000},
                     {.n = 20, .p = 2, .time = 1200}};
  predicted.runs = {{.n = 10, .p = 1, .time = 990}, {.n = 10, .p = 2, .time = 610}, {.n = 10, .p = 1, .time = 1010}};
  predicted.from = "3 recorded runs";
  predicted.model = {.name = "growth", .holdout_error = 0.05};
  const std::string text = text_of(content, add_predicted_times);
  CHECK(has(text,
            "From 3 recorded runs, by the model &quot;growth&quot; of foretask predict. It predicted the largest runs "
            "from the others with an error of "
            "5.0 %."));
  std::size_t hatched = 0;
  for (std::size_t at = text.find("class=\"hatch\""); at != std::string::npos;
       at = text.find("class=\"hatch\"", at + 1))
    ++hatched;
  CHECK(hatched == 2);                           // both of n = 20
  CHECK(has(text, ">1.00 us</td><td>no</td>"));  // the median of 990 and 1010
}

TEST_CASE("views without anything to show are not there") {
  const HostileRun run;
  const PageContent content = run.content();
  for (const auto add_view : {add_graph, add_kernel_models, add_predicted_times})
    CHECK(text_of(content, add_view).empty());
}
