// SPDX-License-Identifier: Apache-2.0
#include "calls_of_thread.hpp"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <thread>

namespace {

constinit thread_local wait_free::Calls own_calls;

template <typename Function>
Function next(std::atomic<Function>& found, const char* name) {
  Function function = found.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    found.store(function, std::memory_order_relaxed);
  }
  return function;
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
  ++own_calls.allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++own_calls.allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++own_calls.allocations;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++own_calls.allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  ++own_calls.allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  ++own_calls.allocations;
  __libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static constinit std::atomic<int (*)(pthread_mutex_t*)> found{nullptr};
  ++own_calls.locks;
  return next(found, "pthread_mutex_lock")(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  static constinit std::atomic<int (*)(pthread_mutex_t*)> found{nullptr};
  ++own_calls.locks;
  return next(found, "pthread_mutex_trylock")(mutex);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  static constinit std::atomic<int (*)(pthread_rwlock_t*)> found{nullptr};
  ++own_calls.locks;
  return next(found, "pthread_rwlock_rdlock")(lock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  static constinit std::atomic<int (*)(pthread_rwlock_t*)> found{nullptr};
  ++own_calls.locks;
  return next(found, "pthread_rwlock_wrlock")(lock);
}
int pthread_spin_lock(pthread_spinlock_t* lock) {
  static constinit std::atomic<int (*)(pthread_spinlock_t*)> found{nullptr};
  ++own_calls.locks;
  return next(found, "pthread_spin_lock")(lock);
}

}  // extern "C"

namespace wait_free {
namespace {

// In place of the system call, which is not made and says so.
void note_system_call(int, siginfo_t* info, void* context) {
  if (own_calls.system_calls++ == 0) own_calls.first_system_call = info->si_syscall;
  mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  machine.gregs[REG_RAX] = -ENOSYS;
#elif defined(__aarch64__)
  machine.regs[0] = static_cast<unsigned long long>(-ENOSYS);
#endif
}

// From now on every system call of this thread but the end of a signal's handler and of the thread becomes SIGSYS.
bool forbid_system_calls() {
  struct sigaction action {};
  action.sa_sigaction = note_system_call;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSYS, &action, nullptr) != 0) return false;
  sock_filter instructions[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof instructions / sizeof instructions[0], instructions};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

Outcome count_calls(const std::function<void()>& prepare, const std::function<void()>& measured, Calls& calls) {
  std::atomic<bool> is_done{false};
  Outcome outcome = Outcome::kNoFilter;
  std::thread([&] {
    prepare();
    if (forbid_system_calls()) {
      own_calls = {};
      measured();
      calls = own_calls;
      outcome = Outcome::kDone;
    }
    is_done.store(true);
    // Not by returning: the C library would make system calls, with all signals blocked.
    syscall(SYS_exit, 0);
  }).detach();
  while (!is_done.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return outcome;
}

}  // namespace wait_free
