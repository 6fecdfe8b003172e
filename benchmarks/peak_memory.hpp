// SPDX-License-Identifier: Apache-2.0
// How much memory a piece of work took at most, as Linux counts this process's pages.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

namespace foretask::benchmarks {

// Bytes of a line of a file below /proc that says "NAME: 123 kB"; 0 where it does not.
inline std::int64_t proc_bytes(const char* path, const std::string& name) {
  std::ifstream in(path);
  for (std::string word; in >> word; in.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    std::int64_t kilobytes = 0;
    if (word == name + ":" && in >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// What a program may still take without another's pages being written out.
inline std::int64_t available_bytes() { return proc_bytes("/proc/meminfo", "MemAvailable"); }

class PeakMemory {
 public:
  // From here on. Memory that the heap kept for later goes back first.
  PeakMemory() {
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";  // forgets the highest resident size, VmHWM
    before_ = proc_bytes("/proc/self/status", "VmRSS");
  }

  // The most so far, in bytes above the start.
  [[nodiscard]] std::int64_t bytes() const {
    return std::max<std::int64_t>(0, proc_bytes("/proc/self/status", "VmHWM") - before_);
  }

 private:
  std::int64_t before_ = 0;
};

}  // namespace foretask::benchmarks
