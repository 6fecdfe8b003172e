// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_registry.hpp"

#include "catch.hpp"

using foretask::runtime::is_name;
using foretask::runtime::KernelRegistry;

namespace {

KernelRegistry::Defined define(const std::string& name, std::vector<std::string> parameters = {}) {
  return KernelRegistry::instance().define(
      {.name = name, .parameters = std::move(parameters), .terms = {}, .code_version = "v1"});
}

}  // namespace

TEST_CASE("a name is UTF-8 of 1 to 255 bytes without control characters") {
  for (const char* name :
       {"gemm", "a b", "..", "a/b", "\xc3\xa4\xc3\xb6", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "100%", "\"'\\"})
    CHECK(is_name(name));
  CHECK(is_name(std::string(255, 'x')));
  CHECK_FALSE(is_name(""));
  CHECK_FALSE(is_name(std::string(256, 'x')));
  for (const char* name : {"a\nb", "\t", "\x7f", "\x1b[31m"}) CHECK_FALSE(is_name(name));
  CHECK_FALSE(is_name(std::string_view("a\0b", 3)));
  // Cut, overlong, a surrogate, beyond the last character, a continuation without a beginning (RFC 3629).
  for (const char* name : {"\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf",
                           "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80", "a\xff"})
    CHECK_FALSE(is_name(name));
}

TEST_CASE("the same name and parameters are the same kernel, other parameters are refused") {
  const auto first = define("registry one", {"m", "n"});
  REQUIRE(first.kernel);
  CHECK(first.is_new);
  const auto again = define("registry one", {"m", "n"});
  CHECK(again.kernel == first.kernel);
  CHECK_FALSE(again.is_new);
  for (const auto& parameters : std::vector<std::vector<std::string>>{{"n", "m"}, {"m"}, {}, {"m", "n", "k"}}) {
    const auto other = define("registry one", parameters);
    CHECK(other.kernel == nullptr);
    CHECK(other.status == FORETASK_DUPLICATE);
  }
  CHECK(KernelRegistry::instance().find("registry one") == first.kernel);
  CHECK(KernelRegistry::instance().find("registry on") == nullptr);
}

TEST_CASE("what cannot be a kernel is refused, and leaves nothing") {
  CHECK(define("").status == FORETASK_BAD_NAME);
  CHECK(define("registry two", {""}).status == FORETASK_BAD_NAME);
  CHECK(define("registry two", {"a", "b", "a"}).status == FORETASK_DUPLICATE);
  CHECK(KernelRegistry::instance().find("registry two") == nullptr);
}

TEST_CASE("ten thousand kernels are found by their names") {
  const std::size_t before = KernelRegistry::instance().all().size();
  std::vector<foretask_kernel*> kernels;
  for (int i = 0; i < 10'000; ++i) kernels.push_back(define("many " + std::to_string(i), {"n"}).kernel);
  CHECK(KernelRegistry::instance().all().size() == before + 10'000);
  for (int i = 0; i < 10'000; ++i)
    REQUIRE(KernelRegistry::instance().find("many " + std::to_string(i)) == kernels[static_cast<std::size_t>(i)]);
}
