// SPDX-License-Identifier: Apache-2.0
// The array in which GCC's programs name the dependences of a task.
#include <cstddef>
#include <cstdint>

#include "task_run.hpp"

namespace foretask::gomp {
namespace {

constexpr std::size_t kAtOnce = 16;
constexpr auto kAllMemory = static_cast<ompt_dependence_type_t>(35);  // OpenMP 5.2's in-out omp_all_memory
constexpr auto kInoutset = static_cast<ompt_dependence_type_t>(7);

class Batch {
 public:
  explicit Batch(ompt_data_t& task) : task_(task) {}
  ~Batch() { send(); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void add(void* address, ompt_dependence_type_t kind) {
    list_[used_].variable.ptr = address;
    list_[used_++].dependence_type = kind;
    if (used_ == kAtOnce) send();
  }

 private:
  void send() {
    if (used_ != 0) tell<ompt_callback_dependences>(&task_, list_, static_cast<int>(used_));
    used_ = 0;
  }

  ompt_data_t& task_;
  ompt_dependence_t list_[kAtOnce];
  std::size_t used_ = 0;
};

// Out and inout are one kind to GCC.
ompt_dependence_type_t kind_of_out(const void* address) {
  return address == nullptr ? kAllMemory : ompt_dependence_type_inout;
}

// A depend object: an address and a kind.
void add_object(Batch& batch, void* const* object) {
  switch (reinterpret_cast<std::uintptr_t>(object[1])) {
    case 1:
      return batch.add(object[0], ompt_dependence_type_in);
    case 4:
      return batch.add(object[0], ompt_dependence_type_mutexinoutset);
    case 5:
      return batch.add(object[0], kInoutset);
    default:
      return batch.add(object[0], kind_of_out(object[0]));
  }
}

std::size_t number(const void* word) { return reinterpret_cast<std::uintptr_t>(word); }

}  // namespace

void tell_dependences(ompt_data_t& task, void** depend) {
  Batch batch(task);
  // Up to GCC 8, and where it suffices: their number, how many of them write, and the addresses, writers first.
  if (const std::size_t count = number(depend[0]); count != 0) {
    const std::size_t outs = number(depend[1]);
    for (std::size_t i = 0; i < count; ++i)
      batch.add(depend[2 + i], i < outs ? kind_of_out(depend[2 + i]) : ompt_dependence_type_in);
    return;
  }
  const std::size_t count = number(depend[1]);
  const std::size_t outs = number(depend[2]);
  const std::size_t exclusive = outs + number(depend[3]);
  const std::size_t ins = exclusive + number(depend[4]);
  void** const list = depend + 5;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < outs) {
      batch.add(list[i], kind_of_out(list[i]));
    } else if (i < exclusive) {
      batch.add(list[i], ompt_dependence_type_mutexinoutset);
    } else if (i < ins) {
      batch.add(list[i], ompt_dependence_type_in);
    } else {
      add_object(batch, static_cast<void* const*>(list[i]));
    }
  }
}

}  // namespace foretask::gomp
