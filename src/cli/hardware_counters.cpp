// SPDX-License-Identifier: Apache-2.0
#include "cli/hardware_counters.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

namespace foretask::cli {
namespace {

struct Counter {
  const char* name;
  std::uint64_t config;
};
constexpr std::array kCounters{Counter{"instructions", PERF_COUNT_HW_INSTRUCTIONS},
                               Counter{"cycles", PERF_COUNT_HW_CPU_CYCLES},
                               Counter{"cache misses", PERF_COUNT_HW_CACHE_MISSES}};

std::string reason(int error) {
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
    return "the processor, as this (virtual?) machine shows it, has none";
  if (error == EACCES || error == EPERM) {
    std::string level = "?";
    std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
    return "not permitted: kernel.perf_event_paranoid is " + level + ", 2 or less is needed, or a container forbids it";
  }
  if (error == ENOSYS) return "the kernel has no perf_event_open";
  return std::strerror(error);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> probe_hardware_counters() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const Counter& counter : kCounters) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = counter.config;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    const long fd = ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    found.emplace_back(counter.name, fd < 0 ? reason(errno) : std::string());
    if (fd >= 0) ::close(static_cast<int>(fd));
  }
  return found;
}

}  // namespace foretask::cli
