// SPDX-License-Identifier: Apache-2.0
#include "report/figure/profile_export.hpp"

#include "catch.hpp"
#include "scratch.hpp"

using namespace foretask;
using namespace foretask::report;
using analysis::StrandPlace;
using analysis::TaskGraph;

namespace {

// A graph of as many nodes as places; only its `cores` matter here.
struct Shown {
  explicit Shown(std::vector<StrandPlace> where) : places(std::move(where)) {
    graph.duration_ns.resize(places.size());
    graph.kernel.resize(places.size());
  }
  [[nodiscard]] BusyProfile profile() const {
    return BusyProfile(Timeline{.graph = graph, .places = [this](analysis::NodeIndex node) { return places[node]; }});
  }

  TaskGraph graph;
  std::vector<StrandPlace> places;
};

template <typename Write>
std::string text_of(const Write& write) {
  const foretask_test::Scratch scratch;
  auto output = Output::open(scratch / "file");
  REQUIRE(output.ok());
  write(*output);
  REQUIRE(output->finish().ok());
  return foretask_test::contents(scratch / "file");
}

std::string csv_of(const BusyProfile& profile) {
  return text_of([&](Output& output) { write_profile_csv({{"", profile}}, output); });
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

}  // namespace

TEST_CASE("a profile has a step where the number of busy cores changes, and no other") {
  // Counted by hand: one core from 0, two from 12 (10 is a change of tasks alone), one from 30, none from 47.
  const Shown shown({{0, 10, 0}, {10, 30, 0}, {12, 42, 1}, {42, 47, 1}});
  const BusyProfile profile = shown.profile();
  CHECK(csv_of(profile) == "time_ns,busy\n0,1\n12,2\n30,1\n47,0\n");
  CHECK(profile.end_ns() == 47);
  CHECK(profile.busy_ns() == 65);
}

TEST_CASE("a profile begins at 0 and shows when nothing runs") {
  CHECK(csv_of(Shown({{5, 8, 0}, {20, 21, 3}}).profile()) == "time_ns,busy\n0,0\n5,1\n8,0\n20,1\n21,0\n");
  CHECK(csv_of(Shown({}).profile()) == "time_ns,busy\n0,0\n");
}

TEST_CASE("what has no core, or takes no time, makes nobody busy") {
  Shown shown({{0, 10, 0}, {2, 8, analysis::kNoWorker}, {10, 10, 0}});
  shown.graph.cores = {1, 0, 1};
  CHECK(csv_of(shown.profile()) == "time_ns,busy\n0,1\n10,0\n");
}

TEST_CASE("two profiles stand side by side, a row where either changes") {
  const Shown before({{0, 10, 0}, {0, 6, 1}});
  const Shown after({{0, 6, 0}, {1, 3, 1}});
  CHECK(text_of([&](Output& output) {
          write_profile_csv({{"", before.profile()}, {"", after.profile()}}, output);
        }) == "time_ns,busy_before,busy_after\n0,2,1\n1,2,2\n3,2,1\n6,1,0\n10,0,0\n");
}

TEST_CASE("a figure of two panels says how long each took and what was gained") {
  const Shown before({{0, 3000, 0}, {0, 1000, 1}});
  const Shown after({{0, 2000, 0}});
  const BusyProfile left = before.profile();
  const BusyProfile right = after.profile();
  const std::string svg = text_of([&](Output& output) {
    write_profile_svg("a <program> & more", {{"before", left, 2}, {"\"after\"", right, 2}}, output);
  });
  CHECK(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0) == 0);
  CHECK(count(svg, "a &lt;program&gt; &amp; more: 1.50 times as fast") == 2);   // title, and its text
  CHECK(count(svg, "before: 3.00 us, 1.333 of 2 cores busy on average") == 1);  // 4000 / 3000
  CHECK(count(svg, "&quot;after&quot;: 2.00 us, 1 of 2 cores busy on average") == 1);
  CHECK(count(svg, ">time (us)<") == 2);
  CHECK(count(svg, ">busy cores<") == 2);
  CHECK(count(svg, "script") == 0);
}

TEST_CASE("a profile of very many steps is thinned to the width of the figure, and keeps its area") {
  std::vector<StrandPlace> places;
  for (std::int64_t i = 0; i < 100'000; ++i) places.push_back({10 * i, 10 * i + 5, 0});
  const Shown shown(std::move(places));
  const BusyProfile profile = shown.profile();
  const std::string svg = text_of([&](Output& output) { write_profile_svg("p", {{"p", profile, 1}}, output); });
  CHECK(svg.size() < 200'000);
  CHECK(count(svg, "0.5 of 1 cores busy on average") == 1);
  CHECK(count(svg, "dark: mean") == 1);
}
