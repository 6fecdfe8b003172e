// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.hpp"

#include "catch.hpp"
#include "scratch.hpp"

using namespace foretask;
using namespace foretask::report;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string page_of(const std::string& kernel) {
  analysis::TaskGraph graph;
  graph.duration_ns = {1'000, 2'000};
  graph.kernel = {0, 0};
  graph.kernel_names = {kernel};
  analysis::Report report;
  report.program = kernel;
  report.workers = 1;
  report.elapsed_ns = report.work_ns = report.span_ns = 3'000;
  report.kernels = {{kernel, "", 2, 3'000, 1'500, 0.5, 3'000}};
  report.longest_work = {3'000, 0, {{0, 3'000}}};
  const Timeline timeline{
      .graph = graph, .places = [](analysis::NodeIndex node) {
        return node == 0 ? analysis::StrandPlace{0, 1'000, 0} : analysis::StrandPlace{1'000, 3'000, 0};
      }};
  SpeedUps ups;
  ups.points = {{1, 3'000, 3'000, 3'000}, {2, 3'000, 3'000, 3'000}};
  ups.kernels = {0};
  ups.factors = {2};
  ups.makespans_ns = {1'500, 1'500};
  const foretask_test::Scratch scratch;
  auto output = Output::open(scratch / "page.html");
  REQUIRE(output.ok());
  write_page({.report = report,
              .timeline = timeline,
              .cut_off = std::nullopt,
              .speed_ups = ups,
              .origin = {},
              .source_link = "",
              .stretch = std::nullopt},
             *output);
  REQUIRE(output->finish().ok());
  return foretask_test::contents(scratch / "page.html");
}

}  // namespace

TEST_CASE("a kernel's name is text in a page, whatever it is") {
  const std::string page = page_of("<script>alert(1)</script>");
  CHECK_THAT(page, !ContainsSubstring("<script>alert"));
  CHECK_THAT(page, ContainsSubstring("&lt;script&gt;alert(1)&lt;/script&gt;"));
  CHECK_THAT(page_of("a\" onclick=\"alert(1)"), !ContainsSubstring("\" onclick=\""));
}

TEST_CASE("a page's timeline lists the longest strands without a script") {
  const std::string page = page_of("work");
  const std::size_t table = page.find("The longest strands");
  REQUIRE(table != std::string::npos);
  const std::size_t first = page.find("data-v=\"2000\"", table);
  const std::size_t second = page.find("data-v=\"1000\"", first);
  CHECK(first != std::string::npos);
  CHECK(second != std::string::npos);
  CHECK_THAT(page, ContainsSubstring("Exact: all 2 strands."));
}
