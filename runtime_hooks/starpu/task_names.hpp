// SPDX-License-Identifier: Apache-2.0
// The ids that the recording gave StarPU's tasks, from their creation until their memory is another task's. Any thread;
// some 50 ns a call.
#pragma once

#include <starpu.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace foretask::starpu {

class TaskNames {
 public:
  void set(const starpu_task* task, std::uint64_t name) {
    Part& part = part_of(task);
    const std::lock_guard lock(part.mutex);
    part.names[task] = {name, false};
  }
  // 0: it has none.
  [[nodiscard]] std::uint64_t find(const starpu_task* task) {
    Part& part = part_of(task);
    const std::lock_guard lock(part.mutex);
    const auto found = part.names.find(task);
    return found == part.names.end() ? 0 : found->second.name;
  }
  // It begins, perhaps for the second time under this id.
  struct Begun {
    std::uint64_t name = 0;
    bool is_again = false;
  };
  [[nodiscard]] Begun begin(const starpu_task* task) {
    Part& part = part_of(task);
    const std::lock_guard lock(part.mutex);
    const auto found = part.names.find(task);
    if (found == part.names.end()) return {};
    return {found->second.name, std::exchange(found->second.has_begun, true)};
  }
  void erase(const starpu_task* task) {
    Part& part = part_of(task);
    const std::lock_guard lock(part.mutex);
    part.names.erase(task);
  }

 private:
  static constexpr std::size_t kParts = 64;
  struct Known {
    std::uint64_t name = 0;
    bool has_begun = false;
  };
  struct alignas(64) Part {
    std::mutex mutex;
    std::unordered_map<const starpu_task*, Known> names;
  };
  Part& part_of(const starpu_task* task) {
    constexpr std::uintptr_t kTaskBytes = 64;
    return parts_[reinterpret_cast<std::uintptr_t>(task) / kTaskBytes % kParts];
  }

  std::array<Part, kParts> parts_;
};

}  // namespace foretask::starpu
