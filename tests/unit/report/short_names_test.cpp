// SPDX-License-Identifier: Apache-2.0
#include "report/short_names.hpp"

#include <set>

#include "catch.hpp"
#include "report/plain_text.hpp"

using namespace foretask::report;

TEST_CASE("a kernel's name has a function, a place and what follows") {
  const NameParts loop = parts_of("f<void (*)(int)> (a.cpp:3) loop #2");
  CHECK(loop.function == "f<void (*)(int)>");
  CHECK(loop.place == "a.cpp:3");
  CHECK(loop.behind == " loop #2");
  const NameParts region = parts_of("X::operator() (libm.so+0x12) [parallel]");
  CHECK(region.function == "X::operator()");
  CHECK(region.place == "libm.so+0x12");
  CHECK(parts_of("sort (small)").function == "sort (small)");
  CHECK(parts_of("(serial part)").place.empty());
  CHECK(parts_of("").function.empty());
}

TEST_CASE("template arguments are dropped, operators are not") {
  CHECK(without_template_arguments("A<int, B<int> >::f<4, 5, 6>", "<...>") == "A<...>::f<...>");
  CHECK(without_template_arguments("pvector<int>::fill", "<...>") == "pvector<int>::fill");
  CHECK(without_template_arguments("pvector<int>::fill", "") == "pvector::fill");
  CHECK(without_template_arguments("X::operator<", "<...>") == "X::operator<");
  CHECK(without_template_arguments("X<long, long>::operator<<", "<...>") == "X<...>::operator<<");
  CHECK(without_template_arguments("X<long, long>::operator->", "<...>") == "X<...>::operator->");
  CHECK(without_template_arguments("a<b", "<...>") == "a<b");
  CHECK(without_qualifiers("lin::A<x::y>::f") == "f");
  CHECK(without_qualifiers("main") == "main");
  CHECK(without_qualifiers("mgb::Builder::build::{lambda#2}") == "build::{lambda#2}");
  CHECK(without_qualifiers("A::f::{lambda#1}::{lambda#2}") == "f::{lambda#1}::{lambda#2}");
}

TEST_CASE("a name loses template arguments first, then its qualifiers, its file and its end") {
  const auto of = [](const std::string& name, std::size_t columns) { return ShortNames({name}, columns).of(name); };
  const std::string name = "lin::A<double, int>::multiply (multiply.cpp:61) [parallel]";
  CHECK(of(name, 58) == name);
  CHECK(of(name, 57) == "lin::A<...>::multiply (multiply.cpp:61) [parallel]");
  CHECK(of(name, 49) == "multiply (multiply.cpp:61) [parallel]");
  CHECK(of(name, 36) == "multiply (...:61) [parallel]");
  CHECK(of("a_function (libmodule.so+0x1234)", 24) == "a_function (...+0x1234)");
  CHECK(of("a_function_with_a_long_name (x.c:1) loop", 30) == "a_function_wit... (...:1) loop");
  CHECK(of("tile_of_a_long_matrix_7", 15) == "tile_o...trix_7");
  CHECK(of("a\nb", 10) == "a b");
  CHECK(of("ääääääääää", 10) == "ääääääääää");
}

TEST_CASE("kernels whose short names would be equal are numbered, and no name is wider than it may be") {
  const std::vector<std::string> names{"A<double, double>::f (a.cpp:3)", "A<float, float>::f (a.cpp:3)",
                                       "A<double, double>::g (a.cpp:9)", "h (a.cpp:1)"};
  const ShortNames shown(names, 22);
  CHECK(shown.of(names[0]) == "A<...>::f (a.cpp:3)");
  CHECK(shown.of(names[1]) == "A<...>::f (a.cpp:3) #2");
  CHECK(shown.of(names[2]) == "A<...>::g (a.cpp:9)");
  CHECK(shown.of(names[3]) == names[3]);
  CHECK(shown.are_cut());
  std::vector<std::string> deep;
  for (const char* const type : {"int", "long", "char"}) {
    std::string name = type;
    for (int i = 0; i < 500; ++i) name.insert(0, "lib::Pair<").append(", int>");
    deep.push_back(name + "::a_function_with_a_name_of_its_own (source_of_all.cpp:123) [parallel]");
  }
  const ShortNames cut(deep, 44);
  std::set<std::string> different;
  for (const std::string& name : deep) {
    different.insert(cut.of(name));
    CHECK(width_of(cut.of(name)) <= 44);
    CHECK(cut.of(name).starts_with("a_function_with"));
  }
  CHECK(different.size() == 3);
  CHECK_FALSE(ShortNames({"h (a.cpp:1)", "h (a.cpp:1)"}).are_cut());
  CHECK(shown.of("not given") == "not given");
}
