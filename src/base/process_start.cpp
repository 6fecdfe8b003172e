// SPDX-License-Identifier: Apache-2.0
#include "base/process_start.hpp"

#include <unistd.h>

#include <ctime>
#include <sstream>
#include <string>

#include "base/clock.hpp"
#include "base/file.hpp"

namespace foretask::base {

std::int64_t process_start_ns() {
  const Result<std::string> content = read_file("/proc/self/stat", 4096);
  const long ticks_per_second = sysconf(_SC_CLK_TCK);
  timespec since_boot{};
  if (!content || ticks_per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) return 0;
  const std::int64_t now = monotonic_ns();
  // proc(5): starttime is field 22; the name, field 2, stands in brackets and may hold anything.
  const std::size_t name_end = content->rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(content->substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  std::int64_t start_ticks = 0;
  if (!(fields >> start_ticks)) return 0;
  const std::int64_t boot_ns = std::int64_t{since_boot.tv_sec} * 1'000'000'000 + since_boot.tv_nsec - now;
  return start_ticks * (1'000'000'000 / ticks_per_second) - boot_ns;
}

}  // namespace foretask::base
