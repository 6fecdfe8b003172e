// SPDX-License-Identifier: Apache-2.0
#include "base/run_aside.hpp"

#include <linux/close_range.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <cstddef>
#include <cstdint>

#include <dlfcn.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

#include "base/held_signals.hpp"
#include "base/messages.hpp"
#include "base/own_process.hpp"
#include "base/own_threads.hpp"

// The C library's clone() by its other name: the thread sanitizer takes a call of the usual one for a fork.
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept;

namespace foretask::base {
namespace {

// The sanitizers know a thread's stack by its bounds: there the work runs in place.
#if defined(FORETASK_HAS_SANITIZER)
constexpr bool kInPlace = true;
#else
constexpr bool kInPlace = false;
#endif

constexpr std::size_t kStackBytes = 512 << 10;
constexpr std::size_t kGuardBytes = 64 << 10;
[[maybe_unused]] constexpr int kGiveUp = 1;  // RSEQ_FLAG_UNREGISTER

// Initial-exec: a library that is loaded late would else allocate for it.
constinit thread_local bool aside __attribute__((tls_model("initial-exec"))) = false;

// A stack that was used, for whoever needs one next.
std::atomic<std::byte*> spare_stack{nullptr};

std::byte* take_stack() noexcept {
  // Acquire and release: what the last user wrote is behind us.
  if (std::byte* const spare = spare_stack.exchange(nullptr, std::memory_order_acq_rel)) return spare;
  void* const memory = ::mmap(nullptr, kGuardBytes + kStackBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const stack = static_cast<std::byte*>(memory);
  if (::mprotect(stack + kGuardBytes, kStackBytes, PROT_READ | PROT_WRITE) == 0) return stack;
  ::munmap(memory, kGuardBytes + kStackBytes);
  return nullptr;
}

void give_back_stack(std::byte* stack) noexcept {
  std::byte* none = nullptr;
  if (!spare_stack.compare_exchange_strong(none, stack, std::memory_order_acq_rel))
    ::munmap(stack, kGuardBytes + kStackBytes);
}

struct Call {
  void (*work)(void*);
  void* argument;
  bool takes_new_descriptors;  // the table is still the program's
  bool takes_processor_area;
  bool was_made = false;
  std::atomic<std::uint32_t> running{1};  // the kernel's to clear
};

// The area in which the kernel tells a thread its processor, and where it interrupted it (restartable sequences).
// Allocators that keep memory by processor rely on it. It is the C library's and so the caller's: whichever of the two
// runs has it registered. False where there is none.
#if defined(SYS_rseq) && defined(RSEQ_SIG)
// Found when the library is loaded: the C library has them since 2.35, and foretask runs with older ones.
const auto* const area_bytes = static_cast<const unsigned*>(::dlsym(RTLD_DEFAULT, "__rseq_size"));
const auto* const area_offset = static_cast<const std::ptrdiff_t*>(::dlsym(RTLD_DEFAULT, "__rseq_offset"));

bool register_processor_area(bool is_given_up) noexcept {
  if (!area_bytes || !area_offset || *area_bytes == 0) return false;
  constexpr unsigned kBytes = 32;  // as the C library registers it, however much of it is in use
  auto* const area = static_cast<std::byte*>(__builtin_thread_pointer()) + *area_offset;
  return ::syscall(SYS_rseq, area, kBytes, is_given_up ? kGiveUp : 0, RSEQ_SIG) == 0;
}
#else
bool register_processor_area(bool /*is_given_up*/) noexcept { return false; }
#endif

// On the other stack.
int run(void* argument) {
  const OwnThread own;
  auto& call = *static_cast<Call*>(argument);
  // A table without a single descriptor of the program's: one that it closes meanwhile is closed.
  if (call.takes_new_descriptors && ::syscall(SYS_close_range, 0U, ~0U, CLOSE_RANGE_UNSHARE) != 0) return 0;
  if (call.takes_processor_area) register_processor_area(false);
  std::fesetenv(FE_DFL_ENV);
  call.work(call.argument);
  call.was_made = true;
  std::atomic_thread_fence(std::memory_order_release);  // before the kernel's store, for the caller's acquire
  return 0;
}

// A thread of the kernel's that the C library does not know: it is the caller, as in vfork(), which waits meanwhile.
bool call_on(std::byte* stack, Call& call, int table) noexcept {
  constexpr int kFlags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  call.running.store(1, std::memory_order_relaxed);
  const int thread = ::__clone(run, stack + kGuardBytes + kStackBytes, kFlags | table, &call, nullptr, nullptr,
                               static_cast<void*>(&call.running));
  if (thread < 0) return false;
  // Acquire: pairs with the kernel's store, after which the thread touches no memory.
  while (call.running.load(std::memory_order_acquire) != 0)
    ::syscall(SYS_futex, &call.running, FUTEX_WAIT, 1U, nullptr, nullptr, 0);
  return call.was_made;
}

bool call_with_signals_held(void (*work)(void*), void* argument, Descriptors descriptors) noexcept {
  const HeldSignals held;
  bool made = kInPlace;
  aside = true;
  if (kInPlace) {
    work(argument);
  } else if (std::byte* const stack = take_stack()) {
    Call call{.work = work,
              .argument = argument,
              .takes_new_descriptors = descriptors == Descriptors::kOwn,
              .takes_processor_area = register_processor_area(true)};
    made = call_on(stack, call, CLONE_FILES);
    // Linux before 5.9 cannot empty a table, and copies it instead.
    if (!made && call.takes_new_descriptors) {
      call.takes_new_descriptors = false;
      made = call_on(stack, call, 0);
    }
    if (call.takes_processor_area) register_processor_area(false);
    give_back_stack(stack);
  }
  aside = false;
  return made;
}

}  // namespace

bool is_aside() noexcept { return aside; }

namespace detail {

bool run_aside(void (*work)(void*), void* argument, Descriptors descriptors) noexcept {
  if (aside) {
    work(argument);
    return true;
  }
  if (!is_own_process()) return false;
  const int error = errno;
  int cancel_state = 0;
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  const bool made = call_with_signals_held(work, argument, descriptors);
  write_messages();
  ::pthread_setcancelstate(cancel_state, nullptr);
  errno = error;
  return made;
}

}  // namespace detail

}  // namespace foretask::base
