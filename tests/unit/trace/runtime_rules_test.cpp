// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/runtime_rules.hpp"

#include "catch.hpp"
#include "trace/run_costs.hpp"

using foretask::analysis::runtime_rules;
using foretask::analysis::RuntimeRules;

TEST_CASE("a recording's runtime and its version name the rules") {
  const RuntimeRules llvm = runtime_rules("openmp", "LLVM OMP version: 5.0.20140926");
  CHECK(llvm.is_openmp);
  CHECK(llvm.queue == RuntimeRules::Queue::kDeques);
  CHECK(llvm.deque_capacity == 256);
  const RuntimeRules gnu = runtime_rules("openmp", "GNU libgomp (GCC 12)");
  CHECK(gnu.is_openmp);
  CHECK(gnu.queue == RuntimeRules::Queue::kTeam);
  CHECK(runtime_rules("tbb", "").waiting == RuntimeRules::Waiting::kAnything);
  for (const char* const name : {"starpu", "mpi", "sequential"})
    CHECK(runtime_rules(name, "").queue == RuntimeRules::Queue::kNone);
  // A recording that was cut before it said so.
  CHECK(runtime_rules("", "").deque_capacity == 256);
}

TEST_CASE("a recording's costs are those of its own runtime's library") {
  const std::vector<foretask::trace::Module> programs{{.path = "/bin/libomp_calibration", .build_id = "e"},
                                                      {.path = "/bin/libgomp", .build_id = "f"}};
  const std::vector<foretask::trace::Module> modules{{.path = "/lib/libgomp.so.1", .build_id = "a"},
                                                     {.path = "/lib/libtbb.so.12", .build_id = "b"},
                                                     {.path = "/lib/libtbbmalloc.so.2", .build_id = "c"},
                                                     {.path = "/lib/libomp.so.5", .build_id = "d"}};
  using foretask::trace::runtime_module;
  CHECK(runtime_module(modules, runtime_rules("tbb", ""))->build_id == "b");
  CHECK(runtime_module(modules, runtime_rules("openmp", "GNU libgomp (GCC 12)"))->build_id == "a");
  CHECK(runtime_module(modules, runtime_rules("openmp", "LLVM OMP version"))->build_id == "d");
  // LLVM's in libgomp's place.
  CHECK(runtime_module({modules.front()}, runtime_rules("openmp", "LLVM OMP version"))->build_id == "a");
  CHECK(runtime_module(programs, runtime_rules("openmp", "LLVM OMP version")) == nullptr);
  CHECK(runtime_module({modules[2]}, runtime_rules("openmp", "LLVM OMP version")) == nullptr);
}
