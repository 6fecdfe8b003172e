// SPDX-License-Identifier: Apache-2.0
#include "tuning.hpp"

#include <pthread.h>

#include <cstdlib>

const char* const foretask::kit::runtime_files[] = {"libgomp.so.1", "libomp.so.5", "libomp.so", nullptr};

namespace foretask::tune {

constinit __attribute__((tls_model("initial-exec"))) thread_local Thread this_thread{};
std::atomic<State> state{State::kUnknown};
std::atomic<bool> has_others{false};

// A recorder gives the program the environment back that its user gave: what is asked for is read before.
__attribute__((constructor)) static void read_mode() { static_cast<void>(foretask_hook_tunes()); }

bool tunes_slow() noexcept {
  // A program that may cancel discards tasks without a word: their subtrees would never end.
  const auto cancels = kit::find_function<int (*)()>("omp_get_cancellation");
  const bool on = foretask_hook_tunes() != 0 && (cancels == nullptr || cancels() == 0);
  state.store(on ? State::kOn : State::kOff, std::memory_order_relaxed);
  return on;
}

bool drops_priorities() noexcept {
  static const auto most = kit::find_function<int (*)()>("omp_get_max_task_priority");
  return tunes() && most != nullptr && most() == FORETASK_TUNED_PRIORITIES;
}

foretask_tuned_code* code_slow(const void* code, Thread::Known& place) noexcept {
  foretask_tuned_code* const what = foretask_tuned_code_at(kit::code_of(code));
  if (what) place = {code, what};
  return what;
}

void find_stack_slow() noexcept {
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) == 0) {
    static_cast<void>(::pthread_attr_getstack(&attributes, &lowest, &bytes));
    static_cast<void>(::pthread_attr_destroy(&attributes));
  }
  // Not known: nothing is run at once.
  this_thread.half_of_stack =
      bytes != 0 ? static_cast<const char*>(lowest) + bytes / 2 : reinterpret_cast<const char*>(UINTPTR_MAX);
  this_thread.end_of_stack = static_cast<const char*>(lowest) + bytes;
}

}  // namespace foretask::tune
