// SPDX-License-Identifier: Apache-2.0
// Names of this test program's own code: its lines are known to the compiler that built it.
#include "symbols/symbols.hpp"

#include <link.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "catch.hpp"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using foretask::symbols::SymbolResolver;
using foretask::trace::Module;

namespace symbols_test {

__attribute__((noinline)) std::uint64_t return_address() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

struct Caller {
  __attribute__((noinline)) static std::uint64_t call() {
    const std::uint64_t address = return_address();  // this line is expected below
    asm volatile("" ::: "memory");                   // no tail call
    return address;
  }
  static constexpr int kLine = __LINE__ - 4;
};

// As what a loop's bounds call, and as a function that has the loop itself.
struct Inlined {
  __attribute__((always_inline)) static std::uint64_t one_line() { return return_address(); }
  __attribute__((always_inline)) static std::uint64_t several_lines() {
    const std::uint64_t address = return_address();
    asm volatile("" ::: "memory");
    return address;
  }
  static constexpr int kOneLine = __LINE__ - 6;
  static constexpr int kLine = __LINE__ - 5;
};

struct Outer {
  __attribute__((noinline)) static std::uint64_t call() {
    const std::uint64_t address = Inlined::one_line();
    asm volatile("" ::: "memory");
    return address;
  }
  static constexpr int kLine = __LINE__ - 4;
  __attribute__((noinline)) static std::uint64_t call_other() {
    const std::uint64_t address = Inlined::several_lines();
    asm volatile("" ::: "memory");
    return address;
  }
};

// As Clang calls the function that it makes of a task. Its first byte is what hooks say of it.
extern "C" void outlined() __asm__(".omp_task_entry..7");
__attribute__((noinline)) void outlined() { asm volatile("" ::: "memory"); }
constexpr int kOutlinedLine = __LINE__ - 1;

template <typename Number>
struct Maker {
  __attribute__((noinline)) static std::uint64_t make() {
    std::uint64_t address = reinterpret_cast<std::uint64_t>(&outlined);
    asm volatile("" : "+r"(address)::"memory");
    return return_address() != 0 ? address + 1 : 0;
  }
};

Module this_program() {
  std::array<char, 4096> path{};
  (void)!readlink("/proc/self/exe", path.data(), path.size() - 1);
  Module module{.path = path.data()};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto* const own = static_cast<Module*>(data);
        own->base = info->dlpi_addr;
        own->begin = UINT64_MAX;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
          own->begin = std::min(own->begin, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
          own->end = std::max(own->end, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
        }
        return 1;  // the program itself comes first
      },
      &module);
  return module;
}

}  // namespace symbols_test

using namespace symbols_test;

TEST_CASE("a call is named by its function, file and line") {
  SymbolResolver resolver({this_program()});
  const std::string expected = "symbols_test::Caller::call (symbols_test.cpp:" + std::to_string(Caller::kLine) + ")";
  CHECK(resolver.name(Caller::call()) == expected);
  CHECK(resolver.name(Caller::call()) == expected);
  CHECK(resolver.warnings().empty());
}

TEST_CASE("a loop is not named by an inlined function that can hold none") {
  const auto name = [](std::uint64_t address, bool is_loop) {
    return SymbolResolver({this_program()}).name(address, is_loop);
  };
  const auto place = [](int line) { return " (symbols_test.cpp:" + std::to_string(line) + ")"; };
  CHECK(name(Outer::call(), false) == "symbols_test::Inlined::one_line" + place(Inlined::kOneLine));
  CHECK(name(Outer::call(), true) == "symbols_test::Outer::call" + place(Outer::kLine));
  CHECK(name(Outer::call_other(), true) == "symbols_test::Inlined::several_lines" + place(Inlined::kLine));
}

TEST_CASE("outlined code is named by its own line and by the function that starts it") {
  SymbolResolver resolver({this_program()});
  CHECK(resolver.name(Maker<int>::make()) ==
        "symbols_test::Maker<int>::make (symbols_test.cpp:" + std::to_string(kOutlinedLine) + ")");
}

TEST_CASE("a sample is named by the innermost function, inlined ones included, and its file") {
  SymbolResolver resolver({this_program()});
  CHECK(resolver.function(Caller::call() - 1) == "symbols_test::Caller::call (symbols_test.cpp)");
  CHECK(resolver.function(Outer::call() - 1) == "symbols_test::Inlined::one_line (symbols_test.cpp)");
  CHECK(resolver.function(0x10) == "(no file)");
}

TEST_CASE("the system's own code has no file to read") {
  Module module = this_program();
  module.path = "linux-vdso.so.1";
  SymbolResolver resolver({module});
  CHECK(resolver.function(module.begin + 1) == "(linux-vdso.so.1)");
  CHECK(resolver.warnings().empty());
}

TEST_CASE("an address outside all modules is shown as it is") {
  CHECK(SymbolResolver({}).name(0x1234) == "0x1234");
  CHECK(SymbolResolver({this_program()}).name(0x10) == "0x10");
}

TEST_CASE("a module that is gone gives its name and the offset") {
  Module module = this_program();
  module.path = "/nonexistent/libgone.so";
  SymbolResolver resolver({module});
  CHECK(resolver.name(module.base + 0x1234) == "libgone.so+0x1234");
  REQUIRE(resolver.warnings().size() == 1);
  CHECK_THAT(resolver.warnings().front(), StartsWith("/nonexistent/libgone.so"));
}

TEST_CASE("a file with another build id than the recorded one names nothing") {
  Module module = this_program();
  module.build_id = "00112233445566778899";
  SymbolResolver resolver({module});
  CHECK_THAT(resolver.name(Caller::call()), StartsWith(std::filesystem::path(module.path).filename().string() + "+0x"));
  REQUIRE(resolver.warnings().size() == 1);
  CHECK_THAT(resolver.warnings().front(), ContainsSubstring("not the file that was recorded"));
}
