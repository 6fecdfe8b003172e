// SPDX-License-Identifier: Apache-2.0
// Preloaded beside a hook under the thread sanitizer: libtbb suspends a task by a switch to another stack
// (swapcontext), which the sanitizer has to be told of. scripts/hook_races builds it.
#include <dlfcn.h>
#include <sched.h>
#include <ucontext.h>

#include <atomic>
#include <cstdarg>
#include <unordered_map>

extern "C" void* __tsan_get_current_fiber();
extern "C" void* __tsan_create_fiber(unsigned flags);
extern "C" void __tsan_switch_to_fiber(void* fiber, unsigned flags);

namespace {

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// The sanitizer's name of each stack that is not in use, by where its registers are kept. A lock that the sanitizer
// does not see: a mutex would order the threads for it.
std::atomic_flag is_taken = ATOMIC_FLAG_INIT;
std::unordered_map<const ucontext_t*, void*>& fibers() {
  static auto* const all = new std::unordered_map<const ucontext_t*, void*>;  // threads may outlive the program's end
  return *all;
}

class Lock {
 public:
  Lock() {
    while (is_taken.test_and_set(std::memory_order_acquire)) ::sched_yield();
  }
  ~Lock() { is_taken.clear(std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

void leave_for(const ucontext_t* from, const ucontext_t* to) {
  void* fiber = nullptr;
  {
    const Lock lock;
    fibers()[from] = ::__tsan_get_current_fiber();
    void*& wanted = fibers()[to];
    if (wanted == nullptr) wanted = ::__tsan_create_fiber(0);
    fiber = wanted;
  }
  ::__tsan_switch_to_fiber(fiber, 0);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int swapcontext(ucontext_t* from, const ucontext_t* to) noexcept {
  static const auto real = next<decltype(&swapcontext)>("swapcontext");
  leave_for(from, to);
  return real(from, to);
}

// A new stack, perhaps where another one's registers were. x86-64: arguments are words, and six at most.
extern "C" __attribute__((visibility("default"))) void makecontext(ucontext_t* made, void (*function)(), int count,
                                                                   ...) noexcept {
  static const auto real = next<decltype(&makecontext)>("makecontext");
  {
    const Lock lock;
    fibers().erase(made);
  }
  long arguments[6] = {};
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count && i < 6; ++i) arguments[i] = va_arg(list, long);
  va_end(list);
  real(made, function, count, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
