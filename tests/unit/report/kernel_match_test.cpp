// SPDX-License-Identifier: Apache-2.0
#include "report/short_names.hpp"

#include "catch.hpp"

using foretask::report::match_kernels;
using Kernels = std::vector<std::uint32_t>;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a kernel is named by its full name or by its function") {
  const std::vector<std::string> names{"potrf", "update (lu.c:10)", "update (lu.c:20)", "main (lu.c:3)"};
  CHECK(match_kernels(names, "potrf").value() == Kernels{0});
  CHECK(match_kernels(names, "update (lu.c:20)").value() == Kernels{2});
  CHECK(match_kernels(names, "update").value() == Kernels{1, 2});
  CHECK(match_kernels(names, "main").value() == Kernels{3});
}

TEST_CASE("the full name wins over the function part of another") {
  CHECK(match_kernels({"f (a.c:1)", "f"}, "f").value() == Kernels{1});
}

TEST_CASE("a kernel may be called by its bare function, its line, or as tables show it") {
  const std::vector<std::string> names{
      "Generator<int, std::mersenne_twister_engine<unsigned long, 32ul> >::MakeRMatEL (generator.h:75) [parallel]",
      "Generator<int, std::mersenne_twister_engine<unsigned long, 32ul> >::MakeRMatEL (generator.h:80) loop",
      "main (un.cpp:4) [parallel]", "main (un.cpp:4) loop", "main (un.cpp:9) loop"};
  CHECK(match_kernels(names, "MakeRMatEL").value() == Kernels{0, 1});
  CHECK(match_kernels(names, "Generator::MakeRMatEL").value() == Kernels{0, 1});
  CHECK(match_kernels(names, "Generator<...>::MakeRMatEL").value() == Kernels{0, 1});
  CHECK(match_kernels(names, "Generator<...>::MakeRMatEL (generator.h:80) loop").value() == Kernels{1});
  CHECK(match_kernels(names, "generator.h:80").value() == Kernels{1});
  CHECK(match_kernels(names, "un.cpp:4").value() == Kernels{2, 3});
  CHECK(match_kernels(names, "main (un.cpp:4)").value() == Kernels{2, 3});
  CHECK_FALSE(match_kernels(names, "un.cpp").ok());
  const auto wrong = match_kernels(names, "MakeRMatEI");
  REQUIRE_FALSE(wrong.ok());
  CHECK_THAT(wrong.error().message(), ContainsSubstring("Generator<...>::MakeRMatEL (generator.h:75) [parallel]") &&
                                          !ContainsSubstring("mersenne"));
}

TEST_CASE("an unknown kernel's error names the near ones") {
  const std::vector<std::string> names{"potrf", "trsm", "syrk", "gemm", "getrf", "tstrf", "ssssm"};
  const auto result = match_kernels(names, "potfr");
  REQUIRE_FALSE(result.ok());
  CHECK_THAT(result.error().message(),
             ContainsSubstring("potfr") && ContainsSubstring("potrf") && !ContainsSubstring("ssssm"));
  CHECK_FALSE(match_kernels({}, "potrf").ok());
}
