// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.hpp"

#include <string>
#include <utility>

#include "catch.hpp"
#include "scratch.hpp"

using foretask::analysis::Report;
using foretask::analysis::StrandPlace;
using foretask::analysis::TaskGraph;

namespace {

Report some_report(const std::string& kernel) {
  Report report;
  report.program = "app";
  report.workers = 2;
  report.elapsed_ns = 1'000;
  report.work_ns = 1'500;
  report.delay_ns = 400;
  report.no_work_ns = 100;
  report.span_ns = 500;
  report.tasks = 1;
  report.kernels.resize(1);
  report.kernels[0].name = kernel;
  report.kernels[0].count = 1;
  report.kernels[0].work_ns = 1'500;
  report.longest_work = {.work_ns = 500, .delay_ns = 0, .kernels = {{0, 500}}};
  report.profile = {{0, 2, 0}, {500, 1, 3}, {1'000, 0, 0}};
  report.warnings = {"something with " + kernel};
  return report;
}

std::string page_of(const Report& report, foretask::report::SpeedUps ups) {
  TaskGraph graph;
  graph.kernel_names = {report.kernels[0].name};
  graph.duration_ns = {1'500};
  graph.kernel = {0};
  const foretask::report::Timeline timeline{.graph = graph,
                                            .places = [](std::uint32_t) { return StrandPlace{}; },
                                            .program = report.program,
                                            .workers = report.workers};
  const foretask_test::Scratch scratch;
  auto output = foretask::report::Output::open(scratch / "page.html");
  REQUIRE(output.ok());
  write_page({.report = report,
              .timeline = timeline,
              .cut_off = {},
              .speed_ups = std::move(ups),
              .origin = {{"host", report.kernels[0].name}},
              .source_link = "https://example.org/{file}#L{line}",
              .stretch = {}},
             *output);
  REQUIRE(output->finish().ok());
  return foretask_test::contents(scratch / "page.html");
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a page has its views, each with a heading that the contents lead to") {
  foretask::report::SpeedUps ups;
  ups.reason = "Nothing was replayed.";
  const std::string page = page_of(some_report("f (a.cpp:3)"), ups);
  for (const char* const id :
       {"answer", "workers", "speed-up", "what-if", "strands", "kernels", "critical-path", "origin"}) {
    CAPTURE(id);
    CHECK(has(page, std::string("<section id=\"") + id + "\""));
    CHECK(has(page, std::string("<a href=\"#") + id + "-title\">"));
  }
  CHECK(has(page, "Nothing was replayed."));
  CHECK(has(page, "href=\"https://example.org/a.cpp#L3\""));
  // 1500 of 2000 ns.
  CHECK(has(page, "75.0 %"));
}

TEST_CASE("names are text in whatever place") {
  const std::string page = page_of(some_report("<script>alert(1)</script> \"&'"), {});
  CHECK_FALSE(has(page, "<script>alert"));
  CHECK(has(page, "&lt;script&gt;alert(1)&lt;/script&gt; &quot;&amp;"));
}

TEST_CASE("a page may load nothing") {
  const std::string page = page_of(some_report("f"), {});
  CHECK(has(page, "default-src 'none'"));
  CHECK_FALSE(has(page, "'unsafe-inline'"));
  for (const char* const loading : {"src=\"", "@import", "<link", "<iframe"}) {
    CAPTURE(loading);
    CHECK_FALSE(has(page, loading));
  }
  // But for what is in the page itself.
  for (std::size_t at = page.find("url("); at != std::string::npos; at = page.find("url(", at + 1))
    CHECK(page.substr(at, 5) == "url(#");
}

TEST_CASE("replays are a curve and a table") {
  foretask::report::SpeedUps ups;
  ups.points = {{1, 1'500, 1'500, 1'500}, {2, 1'000, 900, 1'100}};
  ups.kernels = {0};
  ups.factors = {2};
  ups.makespans_ns = {750, 500};
  const std::string page = page_of(some_report("f"), ups);
  CHECK(has(page, ">1.50<"));      // 1500 / 1000
  CHECK(has(page, ">1.36<"));      // 1500 / 1100
  CHECK(has(page, ">1.67<"));      // 1500 / 900
  CHECK(has(page, ">+100.0 %<"));  // 1000 / 500
}
