// SPDX-License-Identifier: Apache-2.0
#include "base/own_process.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <new>

namespace foretask::base {
namespace {

// 1 in the process that made it, 0 in its children. Null: it cannot be told.
std::atomic<int>* mark = nullptr;

// When the library is loaded.
__attribute__((constructor)) void make_mark() {
  const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const page = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (::madvise(page, bytes, MADV_WIPEONFORK) != 0) {
    ::munmap(page, bytes);
    return;
  }
  mark = new (page) std::atomic<int>(1);
}

}  // namespace

bool is_own_process() noexcept { return mark == nullptr || mark->load(std::memory_order_relaxed) != 0; }

std::string own_proc_file(const char* name) {
  return (::access("/proc/self/exe", F_OK) == 0 ? "/proc/self/" : "/proc/thread-self/") + std::string(name);
}

void adopt_process() noexcept {
  if (mark != nullptr) mark->store(1, std::memory_order_relaxed);
}

}  // namespace foretask::base
