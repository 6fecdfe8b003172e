// SPDX-License-Identifier: Apache-2.0
// Preloaded beside a hook under the thread sanitizer: libtbb suspends a task by a switch to another stack
// (swapcontext), which the sanitizer has to be told of. scripts/hook_races builds it.
#include <dlfcn.h>
#include <ucontext.h>

#include <cstdarg>
#include <mutex>
#include <unordered_map>

extern "C" void* __tsan_get_current_fiber();
extern "C" void* __tsan_create_fiber(unsigned flags);
extern "C" void __tsan_switch_to_fiber(void* fiber, unsigned flags);

namespace {

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// The sanitizer's name of each stack that is not in use, by where its registers are kept.
struct Stacks {
  std::mutex mutex;
  std::unordered_map<const ucontext_t*, void*> fibers;
};
Stacks& stacks() {
  static auto* const all = new Stacks;  // threads may outlive the program's end
  return *all;
}

void leave_for(const ucontext_t* from, const ucontext_t* to) {
  Stacks& all = stacks();
  void* fiber = nullptr;
  {
    const std::lock_guard lock(all.mutex);
    all.fibers[from] = ::__tsan_get_current_fiber();
    void*& wanted = all.fibers[to];
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
    Stacks& all = stacks();
    const std::lock_guard lock(all.mutex);
    all.fibers.erase(made);
  }
  long arguments[6] = {};
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count && i < 6; ++i) arguments[i] = va_arg(list, long);
  va_end(list);
  real(made, function, count, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
