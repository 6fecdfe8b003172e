// SPDX-License-Identifier: Apache-2.0
// What hooks have in common, without a runtime.
#include <dlfcn.h>
#include <unistd.h>
#include "foretask/task_hook.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "catch.hpp"
#include "kit/code.hpp"
#include "kit/next_function.hpp"

namespace kit = foretask::kit;

// The second is a part of the C library that these tests are not linked with.
const char* const foretask::kit::runtime_files[] = {"libforetask_none.so", "libresolv.so.2", nullptr};

namespace {

int datum = 1;

// The kinds of events that were written, each with its first word.
struct MemoryStream {
  MemoryStream() : words(256) {
    stream.packet = stream.cursor = words.data();
    stream.limit = words.data() + 200;
    stream.content_bits = &content_bits;
    stream.clock_is_tsc = foretask::base::counter_scale();
    stream.last_ticks = foretask_stream_ticks(&stream);
  }
  // Of events that name dependences: how many each.
  std::vector<std::uint32_t> dependences() const {
    std::vector<std::uint32_t> counts;
    for (const std::uint32_t* at = words.data(); at < stream.cursor; at += 2 + 3 * at[1]) {
      CHECK((*at & 31U) == FORETASK_EVENT_DEPENDENCES);
      counts.push_back(at[1]);
    }
    return counts;
  }

  std::vector<std::uint32_t> words;
  std::uint64_t content_bits = 0;
  foretask_stream stream{};
};

}  // namespace

TEST_CASE("an address is in the module and the kind of memory that it was taken from") {
  const kit::Module own = kit::find_module(reinterpret_cast<const void*>(&kit::find_module));
  CHECK(own.is_code);
  CHECK(own.is_program);
  CHECK(own.holds(&datum));
  CHECK_FALSE(kit::find_module(&datum).is_code);
  const kit::Module library = kit::find_module(::dlsym(RTLD_NEXT, "getpid"));
  CHECK(library.is_code);
  CHECK_FALSE(library.is_program);
  CHECK_FALSE(library.holds(&datum));
  const auto memory = std::make_unique<int>(0);
  CHECK(kit::find_module(memory.get()).bytes == 0);
}

TEST_CASE("the runtime's function is in a library behind the hook, or in one that a module has for itself") {
  static constinit kit::NextFunction<pid_t (*)()> next("getpid");
  CHECK(next.get()() == ::getpid());
  CHECK(next.get() == next.get());
  CHECK(kit::find_function("foretask_no_such_function") == nullptr);
  CHECK(kit::find_function("ns_datetosecs") == nullptr);
  void* const library = ::dlopen("libresolv.so.2", RTLD_LAZY | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  CHECK(kit::find_function("ns_datetosecs") == ::dlsym(library, "ns_datetosecs"));
  CHECK(kit::find_anywhere<void*>("ns_datetosecs") == nullptr);
}

TEST_CASE("a function of modules that may have runtimes of their own is the common one where there is one") {
  static constinit kit::NextFunction<pid_t (*)(), kit::kMostModules> next("getpid");
  CHECK(next.get(reinterpret_cast<const void*>(&kit::find_module))() == ::getpid());
}

TEST_CASE("dependences are written in as few events as they need") {
  MemoryStream some;
  {
    foretask::hook::Dependences dependences(&some.stream);
    for (std::uint64_t address = 1; address <= 5; ++address) dependences.add(address, FORETASK_DEPENDENCE_IN);
    dependences.close();
  }
  CHECK(some.dependences() == std::vector<std::uint32_t>{4, 1});
  MemoryStream none;
  foretask::hook::Dependences(&none.stream).close();
  CHECK(none.dependences() == std::vector<std::uint32_t>{0});
  MemoryStream four;
  {
    const std::vector<std::uint64_t> tasks = {1, 2, 3, 4};
    foretask::hook::Dependences dependences(&four.stream);
    dependences.add(tasks, FORETASK_DEPENDENCE_AFTER);
    dependences.close();
  }
  CHECK(four.dependences() == std::vector<std::uint32_t>{4});
}
