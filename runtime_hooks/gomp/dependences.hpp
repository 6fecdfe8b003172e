// SPDX-License-Identifier: Apache-2.0
// HOT: the array in which GCC's programs name the dependences of a task.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foretask::gomp {

// Out and inout are one kind to GCC. kAllMemory has no address.
enum class Access { kIn, kInout, kExclusive, kInoutset, kAllMemory };

inline Access access_of_out(const void* address) { return address == nullptr ? Access::kAllMemory : Access::kInout; }

// A depend object's: an address and a kind.
inline Access access_of_object(void* const* object) {
  switch (reinterpret_cast<std::uintptr_t>(object[1])) {
    case 1:
      return Access::kIn;
    case 4:
      return Access::kExclusive;
    case 5:
      return Access::kInoutset;
    default:
      return access_of_out(object[0]);
  }
}

// Calls `see(address, access)` for each of them.
template <typename See>
void for_each_dependence(void** depend, See&& see) {
  const auto number = [depend](int at) { return reinterpret_cast<std::uintptr_t>(depend[at]); };
  // Up to GCC 8, and where it suffices: their number, how many of them write, and the addresses, writers first.
  if (const std::size_t count = number(0); count != 0) {
    const std::size_t outs = number(1);
    for (std::size_t i = 0; i < count; ++i) see(depend[2 + i], i < outs ? access_of_out(depend[2 + i]) : Access::kIn);
    return;
  }
  const std::size_t count = number(1);
  const std::size_t outs = number(2);
  const std::size_t exclusive = outs + number(3);
  const std::size_t ins = exclusive + number(4);
  void** const list = depend + 5;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < outs) {
      see(list[i], access_of_out(list[i]));
    } else if (i < exclusive) {
      see(list[i], Access::kExclusive);
    } else if (i < ins) {
      see(list[i], Access::kIn);
    } else {
      auto* const object = static_cast<void* const*>(list[i]);
      see(object[0], access_of_object(object));
    }
  }
}

}  // namespace foretask::gomp
