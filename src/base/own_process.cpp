// SPDX-License-Identifier: Apache-2.0
#include "base/own_process.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <new>
#include <sstream>

#include "base/clock.hpp"
#include "base/file.hpp"

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

std::string program_name() {
  const std::string path = link_target(own_proc_file("exe"));
  return path.substr(path.rfind('/') + 1);
}

void adopt_process() noexcept {
  if (mark != nullptr) mark->store(1, std::memory_order_relaxed);
}

std::int64_t process_start_ns() {
  const Result<std::string> content = read_file("/proc/self/stat", 4096);
  const long ticks_per_second = sysconf(_SC_CLK_TCK);
  const std::int64_t since_boot = clock_ns(CLOCK_BOOTTIME);
  if (!content || ticks_per_second <= 0 || since_boot == 0) return 0;
  const std::int64_t asleep_ns = since_boot - monotonic_ns();
  // proc(5): starttime is field 22; the name, field 2, stands in brackets and may hold anything.
  const std::size_t name_end = content->rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(content->substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  std::int64_t start_ticks = 0;
  if (!(fields >> start_ticks)) return 0;
  return start_ticks * (1'000'000'000 / ticks_per_second) - asleep_ns;
}

}  // namespace foretask::base
