// SPDX-License-Identifier: Apache-2.0

#include "catch.hpp"
#include "foretask/hook.h"
#include "runtime/counters/counter_source.hpp"
#include "skip.hpp"

namespace runtime = foretask::runtime;
namespace trace = foretask::trace;
using Groups = std::vector<std::vector<std::string>>;

TEST_CASE("groups of counters are parted by semicolons, names by commas, and PAPI's colons are part of them") {
  CHECK(runtime::parse_counter_groups("PAPI_TOT_INS") == Groups{{"PAPI_TOT_INS"}});
  CHECK(runtime::parse_counter_groups(" perf::TASK-CLOCK:u=1 ,perf::FAULTS; PAPI_L3_TCM") ==
        Groups{{"perf::TASK-CLOCK:u=1", "perf::FAULTS"}, {"PAPI_L3_TCM"}});
  CHECK(runtime::parse_counter_groups("").empty());
  CHECK(runtime::parse_counter_groups(" ;,; ,").empty());
  CHECK(runtime::parse_counter_groups("a,a;a") == Groups{{"a"}, {"a"}});
  CHECK(runtime::parse_counter_groups("a,,b;;c") == Groups{{"a", "b"}, {"c"}});
}

TEST_CASE("no name, no counter") {
  const auto source = runtime::open_counter_source({});
  CHECK(source->statuses().empty());
  CHECK(source->count() == 0);
  CHECK(source->open_thread() == nullptr);
}

TEST_CASE("a counter that nobody has says why") {
  const auto source = runtime::open_counter_source({"no such counter", "perf::TASK-CLOCK", "PAPI_NO_SUCH"});
  const auto& statuses = source->statuses();
  REQUIRE(statuses.size() == 3);
  CHECK(statuses[0].name == "no such counter");
  for (const std::size_t i : {0, 2}) {
    CHECK(statuses[i].status != trace::kCounterOk);
    CHECK_FALSE(statuses[i].reason.empty());
  }
}

TEST_CASE("where nobody has a counter, the others are read all the same") {
  const auto source = runtime::open_counter_source({"no such counter", "perf::TASK-CLOCK", "PAPI_NO_SUCH"});
  const auto& statuses = source->statuses();
  REQUIRE(statuses.size() == 3);
  if (statuses[1].status != trace::kCounterOk)
    FORETASK_SKIP("perf::TASK-CLOCK is not to be had here: " + statuses[1].reason);
  CHECK(statuses[1].reason.empty());
  CHECK(source->count() == 1);
}

TEST_CASE("a group of too many counters reads the first ones, and says so of the others") {
  const std::vector<std::string> names{"perf::TASK-CLOCK",      "perf::PAGE-FAULTS",     "perf::CONTEXT-SWITCHES",
                                       "perf::CPU-MIGRATIONS",  "perf::MINOR-FAULTS",    "perf::MAJOR-FAULTS",
                                       "perf::CPU-CLOCK",       "perf::CGROUP-SWITCHES", "perf::ALIGNMENT-FAULTS",
                                       "perf::EMULATION-FAULTS"};
  const auto source = runtime::open_counter_source(names);
  REQUIRE(source->statuses().size() == names.size());
  CHECK(source->count() <= FORETASK_MAX_COUNTERS);
  if (source->count() != FORETASK_MAX_COUNTERS) {
    std::string reasons;
    for (const auto& status : source->statuses()) reasons += "\n  " + status.name + ": " + status.reason;
    FORETASK_SKIP("eight counters at once are not to be had here:" + reasons);
  }
  CHECK(source->statuses()[8].status == trace::kCounterUnsupported);
}

TEST_CASE("a counter is the same one with and without its table's name, its modifiers and its capitals") {
  CHECK(runtime::bare_counter_name("perf::TASK-CLOCK") == "TASK-CLOCK");
  CHECK(runtime::bare_counter_name("perf::task-clock:u=1:k=1") == "TASK-CLOCK");
  CHECK(runtime::bare_counter_name("task-clock:u") == "TASK-CLOCK");
  CHECK(runtime::bare_counter_name("PAPI_TOT_INS") == "PAPI_TOT_INS");
  CHECK(runtime::bare_counter_name("skl::INST_RETIRED:ANY") == "SKL::INST_RETIRED");
  CHECK(runtime::bare_counter_name("").empty());
}
