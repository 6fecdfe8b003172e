// SPDX-License-Identifier: Apache-2.0
#include "dependences.hpp"

#include <array>

#include "task_run.hpp"

namespace foretask::gomp {
namespace {

constexpr std::size_t kAtOnce = 16;

// By Access; OpenMP 5.2's all-memory and inoutset have no names in older headers.
constexpr std::array kKinds{ompt_dependence_type_in, ompt_dependence_type_inout, ompt_dependence_type_mutexinoutset,
                            static_cast<ompt_dependence_type_t>(7), static_cast<ompt_dependence_type_t>(35)};

}  // namespace

void tell_dependences(ompt_data_t& task, void** depend) {
  std::array<ompt_dependence_t, kAtOnce> list;
  std::size_t used = 0;
  const auto send = [&] {
    if (used != 0) tell<ompt_callback_dependences>(&task, list.data(), static_cast<int>(used));
    used = 0;
  };
  for_each_dependence(depend, [&](void* address, Access access) {
    list[used].variable.ptr = address;
    list[used++].dependence_type = kKinds[static_cast<std::size_t>(access)];
    if (used == kAtOnce) send();
  });
  send();
}

}  // namespace foretask::gomp
