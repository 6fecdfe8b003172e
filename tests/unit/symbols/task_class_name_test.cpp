// SPDX-License-Identifier: Apache-2.0
#include "symbols/task_class_name.hpp"

#include "catch.hpp"

using foretask::symbols::is_execute_of_task_class;
using foretask::symbols::readable_task_class;

// Linker names as g++ 12 has given them to classes of oneTBB 2021.8.
TEST_CASE("a task class is called after the function object that it was made of") {
  struct Case {
    const char* linker_name;
    const char* expected;
  };
  const Case given = GENERATE(
      Case{"_ZN3tbb6detail2d113function_taskIZN12_GLOBAL__N_19fib_tasksEiEUlvE0_E7executeERNS1_14execution_dataE",
           "fib_tasks::{lambda#2}"},
      Case{"_ZN3tbb6detail2d113function_taskIZZN12_GLOBAL__N_17foreignEvENKUlvE_clEvEUlvE_E7executeERNS1_14execution_"
           "dataE",
           "foreign::{lambda#1}::{lambda#1}"},
      Case{
          "_ZN3tbb6detail2d19start_forINS1_13blocked_rangeIiEEZ4mainEUlRKS4_E_KNS1_18simple_partitionerEE7executeERNS1_"
          "14execution_dataE",
          "main::{lambda#1}"},
      Case{"_ZN3tbb6detail2d19start_forINS1_13blocked_rangeIiEE4BodyKNS1_16auto_partitionerEE7executeERNS1_14execution_"
           "dataE",
           "Body"},
      // The body, and neither a range of the user's nor a value.
      Case{"_ZN3tbb6detail2d19start_forI9LeafRange4BodyKNS1_16auto_partitionerEE7executeERNS1_14execution_dataE",
           "Body"},
      Case{"_ZN3tbb6detail2d112start_reduceI9LeafRangeNS1_18lambda_reduce_bodyIS3_3BoxZ4mainEUlRKS3_RKS5_E_"
           "Z4mainEUlS9_S9_E0_EEKNS1_16auto_partitionerEE7executeERNS1_14execution_dataE",
           "main::{lambda#1}"},
      // Clang 14's.
      Case{"_ZN3tbb6detail2d113function_taskIZZN12_GLOBAL__N_17foreignEvENK4$_21clEvEUlvE_E7executeERNS1_14execution_"
           "dataE",
           "foreign::{lambda}::{lambda#1}"},
      Case{"_ZN3tbb6detail2d115concrete_filterIviZ4mainEUlRNS1_12flow_controlEE14_EclEPv", "main::{lambda#16}"},
      Case{"_ZN3tbb6detail2d118function_body_leafINS1_12continue_msgES3_Z4mainEUlS3_E26_EclERKS3_",
           "main::{lambda#28}"},
      // A pointer to a function says nothing of the user's.
      Case{"_ZN3tbb6detail2d113function_taskIPFvvEE7executeERNS1_14execution_dataE", "tbb::detail::d1::function_task"});
  CAPTURE(given.linker_name);
  CHECK(is_execute_of_task_class(given.linker_name));
  CHECK(readable_task_class(given.linker_name) == given.expected);
}

TEST_CASE("the function around a lambda is what its name begins with") {
  CHECK(foretask::symbols::function_around("foreign::{lambda}::{lambda#1}") == "foreign");
  CHECK(foretask::symbols::function_around("Body") == "Body");
}

TEST_CASE("other functions are none of a task class") {
  CHECK_FALSE(is_execute_of_task_class("main"));
  CHECK_FALSE(is_execute_of_task_class(
      "_ZN3tbb6detail2d118function_body_leafINS1_12continue_msgES3_Z4mainEUlS3_E26_E5cloneEv"));
  CHECK_FALSE(is_execute_of_task_class("_ZN3tbb6detail2r17executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE"));
}
