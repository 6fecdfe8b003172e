// SPDX-License-Identifier: Apache-2.0
// The ids that the recording gave StarPU's tasks, from their creation to their end. Any thread; some 50 ns a call.
#pragma once

#include <starpu.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace foretask::starpu {

class TaskNames {
 public:
  void set(const starpu_task* task, std::uint64_t name) {
    Part& part = part_of(task);
    const std::lock_guard lock(part.mutex);
    part.names[task] = name;
  }
  // 0: it has none.
  [[nodiscard]] std::uint64_t find(const starpu_task* task) {
    Part& part = part_of(task);
    const std::lock_guard lock(part.mutex);
    const auto found = part.names.find(task);
    return found == part.names.end() ? 0 : found->second;
  }
  void erase(const starpu_task* task) {
    Part& part = part_of(task);
    const std::lock_guard lock(part.mutex);
    part.names.erase(task);
  }

 private:
  static constexpr std::size_t kParts = 64;
  struct alignas(64) Part {
    std::mutex mutex;
    std::unordered_map<const starpu_task*, std::uint64_t> names;
  };
  Part& part_of(const starpu_task* task) {
    constexpr std::uintptr_t kTaskBytes = 64;
    return parts_[reinterpret_cast<std::uintptr_t>(task) / kTaskBytes % kParts];
  }

  std::array<Part, kParts> parts_;
};

}  // namespace foretask::starpu
