// SPDX-License-Identifier: Apache-2.0
// Functions of newer C libraries that foretask and GCC's libraries call, for systems whose C library lacks them
// (docs/dependencies.md).
// Hidden, in each library that is loaded into a program and in the command (foretask_own_libraries).
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#define HIDDEN __attribute__((visibility("hidden")))  // the headers declare them otherwise

extern "C" {

// glibc 2.32. Never set: counters of shared objects are atomic in a process with one thread, too.
HIDDEN char __libc_single_threaded = 0;

// glibc 2.35 has a version of it that sets no errno.
HIDDEN double own_hypot(double a, double b) noexcept __asm__("hypot");
double own_hypot(double a, double b) noexcept {
  if (std::isunordered(a, b)) return a + b;
  const double larger = std::max(std::abs(a), std::abs(b));
  const double ratio = std::min(std::abs(a), std::abs(b)) / larger;
  return ratio > 0 ? larger * std::sqrt(1 + ratio * ratio) : larger;  // no ratio: both are 0, or infinite
}

// glibc 2.36. std::random_device's.
HIDDEN std::uint32_t arc4random() noexcept {
  std::uint32_t random = 0;
  while (getrandom(&random, sizeof random, 0) != sizeof random) continue;  // a signal interrupted it
  return random;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
// glibc 2.35. Where the tables for unwinding an object's code are: found as GCC 11 does it.
HIDDEN int _dl_find_object(void* address, dl_find_object* found) noexcept {
  struct Search {
    std::uintptr_t address;
    dl_find_object* found;
  } search{reinterpret_cast<std::uintptr_t>(address), found};
  const auto look_into = [](dl_phdr_info* object, std::size_t /*bytes*/, void* argument) {
    const auto& wanted = *static_cast<Search*>(argument);
    const ElfW(Phdr)* const end = object->dlpi_phdr + object->dlpi_phnum;
    const bool has_it = std::any_of(object->dlpi_phdr, end, [&](const ElfW(Phdr) & part) {
      return part.p_type == PT_LOAD && wanted.address - object->dlpi_addr - part.p_vaddr < part.p_memsz;
    });
    const ElfW(Phdr)* const tables =
        std::find_if(object->dlpi_phdr, end, [](const ElfW(Phdr) & part) { return part.p_type == PT_GNU_EH_FRAME; });
    if (!has_it || tables == end) return has_it ? -1 : 0;
    *wanted.found = {};
    wanted.found->dlfo_eh_frame = reinterpret_cast<void*>(object->dlpi_addr + tables->p_vaddr);
    return 1;
  };
  return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}
#endif
}
