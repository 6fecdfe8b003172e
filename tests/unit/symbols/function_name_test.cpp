// SPDX-License-Identifier: Apache-2.0
#include "symbols/function_name.hpp"

#include "catch.hpp"

using namespace foretask::symbols;

// Linker names as nm printed them for programs compiled by GCC 12 and Clang 14.
TEST_CASE("linker names are shown as the user wrote the function") {
  CHECK(readable_function_name("_ZN3lin8choleskyERSt6vectorI4TileSaIS1_EE") == "lin::cholesky");
  CHECK(readable_function_name("_Z6kernelI4TileEvRT_i") == "kernel<Tile>");
  CHECK(readable_function_name("_ZL6helperR4Tile") == "helper");
  CHECK(readable_function_name("_ZZ4mainENKUlvE_clEv") == "main::{lambda()#1}::operator()");
  CHECK(readable_function_name("_ZN12_GLOBAL__N_13fibEi") == "fib");
  CHECK(readable_function_name("_ZN1XcvbEv") == "X::operator bool");
  CHECK(readable_function_name("_ZN1XltERKS_") == "X::operator<");
  CHECK(readable_function_name("_Z1fPFviE") == "f");
  CHECK(readable_function_name("_ZNK1X3getEv") == "X::get");
  CHECK(readable_function_name("_Z3fibi.constprop.0") == "fib");
}

TEST_CASE("C names stay as they are") {
  CHECK(readable_function_name("main") == "main");
  CHECK(readable_function_name("strassen_main_par") == "strassen_main_par");
  CHECK(readable_function_name("") == "");
}

TEST_CASE("outlined functions lead back to the function that holds the pragma") {
  CHECK(parse_outlined_name("main._omp_fn.0").parent == "main");
  CHECK(parse_outlined_name("_ZL6helperR4Tile._omp_fn.0").parent == "_ZL6helperR4Tile");
  CHECK(parse_outlined_name("fib._omp_fn.1.isra.0").parent == "fib");
  CHECK(parse_outlined_name("main.omp_outlined").parent == "main");
  CHECK(parse_outlined_name(".omp_task_entry..2").is_outlined);
  CHECK(parse_outlined_name(".omp_task_entry..2").parent.empty());
  CHECK(parse_outlined_name(".omp_outlined._debug__.9").parent.empty());
  CHECK_FALSE(parse_outlined_name("main").is_outlined);
}

// As nm printed them for a program compiled by Clang 14, with reductions, copyprivate and taskloop.
TEST_CASE("helpers that Clang makes for OpenMP are no function of the user's") {
  for (const char* const name :
       {".omp.reduction.reduction_func", ".omp.reduction.reduction_func.2", ".omp.copyprivate.copy_func",
        ".omp_task_dup.", ".omp_task_destructor.", ".omp_combiner.", ".red_init.", ".red_comb."}) {
    INFO(name);
    CHECK(parse_outlined_name(name).is_outlined);
    CHECK(parse_outlined_name(name).parent.empty());
  }
  CHECK(parse_outlined_name("dot.omp_outlined.omp.reduction.reduction_func").parent == "dot");
}
