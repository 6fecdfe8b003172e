// SPDX-License-Identifier: Apache-2.0
#include "base/run_aside.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cfenv>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

#include "base/own_process.hpp"
#include "catch.hpp"
#include "skip.hpp"

namespace base = foretask::base;

extern "C" pid_t _Fork(void);  // of glibc, not declared for every standard

namespace {

#ifdef FORETASK_HAS_SANITIZER
constexpr bool kIsApart = false;  // under the sanitizers the work runs in place
#else
constexpr bool kIsApart = true;
#endif

thread_local int own = 0;

}  // namespace

TEST_CASE("work aside is the caller's: its thread-local variables, its memory, its exceptions") {
  own = 41;
  std::string caught;
  REQUIRE(base::run_aside([&] {
    ++own;
    try {
      throw std::runtime_error(std::string(100, 'x'));
    } catch (const std::exception& problem) {
      caught = problem.what();
    }
  }));
  CHECK(own == 42);
  CHECK(caught == std::string(100, 'x'));
}

TEST_CASE("work aside has a stack of its own") {
  if (!kIsApart) FORETASK_SKIP("under a sanitizer the work runs in place");
  int here = 0;
  std::ptrdiff_t distance = 0;
  REQUIRE(base::run_aside([&] {
    volatile char large[256 << 10];
    for (char volatile& byte : large) byte = 1;
    distance = reinterpret_cast<const volatile char*>(large) - reinterpret_cast<const volatile char*>(&here);
  }));
  CHECK(std::abs(distance) > (512 << 10));
}

TEST_CASE("descriptors opened aside are none of the caller's, whose own are out of reach") {
  if (!kIsApart) FORETASK_SKIP("under a sanitizer the work runs in place");
  const int mine = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(mine > 2);
  int opened = -1;
  int seen = 0;
  REQUIRE(base::run_aside([&] {
    seen = ::fcntl(mine, F_GETFD);
    opened = ::open("/dev/zero", O_RDONLY);
  }));
  CHECK(seen == -1);
  CHECK(opened == 0);
  CHECK(::fcntl(mine, F_GETFD) == FD_CLOEXEC);
  ::close(mine);
  // As often as one likes: what is left open is closed.
  for (int i = 0; i < 2000; ++i) REQUIRE(base::run_aside([&] { opened = ::open("/dev/zero", O_RDONLY); }));
  CHECK(opened == 0);
}

TEST_CASE("the caller may have no descriptor left") {
  if (!kIsApart) FORETASK_SKIP("under a sanitizer the work runs in place");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{4, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  int opened = -1;
  const bool ran = base::run_aside([&] { opened = ::open("/dev/zero", O_RDONLY); });
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(ran);
  CHECK(opened == 0);
}

TEST_CASE("work aside has the standard floating-point environment, and leaves none behind") {
  if (!kIsApart) FORETASK_SKIP("under a sanitizer the work runs in place");
  std::feclearexcept(FE_ALL_EXCEPT);
  REQUIRE(std::fesetround(FE_UPWARD) == 0);
  int rounding = -1;
  REQUIRE(base::run_aside([&] {
    rounding = std::fegetround();
    volatile double zero = 0;
    volatile double infinite = 1 / zero;
    static_cast<void>(infinite);
  }));
  CHECK(rounding == FE_TONEAREST);
  CHECK(std::fegetround() == FE_UPWARD);
  CHECK(std::fetestexcept(FE_DIVBYZERO) == 0);
  std::fesetround(FE_TONEAREST);
}

TEST_CASE("signals wait until work aside is over, and errno is the caller's") {
  static volatile std::sig_atomic_t came = 0;
  struct sigaction before {};
  struct sigaction action {};
  action.sa_handler = [](int) { came = came + 1; };
  REQUIRE(::sigaction(SIGUSR1, &action, &before) == 0);
  came = 0;
  int during = -1;
  errno = 77;
  const bool ran = base::run_aside([&] {
    ::kill(::getpid(), SIGUSR1);
    errno = 5;
    during = came;
  });
  const int error = errno;
  ::sigaction(SIGUSR1, &before, nullptr);
  CHECK(ran);
  CHECK(during == 0);
  CHECK(came == 1);
  CHECK(error == 77);
}

TEST_CASE("a call within work aside just calls") {
  int depth = 0;
  CHECK_FALSE(base::is_aside());
  REQUIRE(base::run_aside([&] {
    REQUIRE(base::is_aside());
    if (base::run_aside([&] { depth = base::is_aside() ? 2 : 1; })) ++depth;
  }));
  CHECK(depth == 3);
  CHECK_FALSE(base::is_aside());
}

TEST_CASE("a thread that is cancelled meanwhile ends afterwards") {
  static bool finished;
  finished = false;
  pthread_t thread{};
  REQUIRE(::pthread_create(
              &thread, nullptr,
              [](void*) -> void* {
                static_cast<void>(base::run_aside([] {
                  ::pthread_cancel(::pthread_self());
                  ::usleep(1000);  // a cancellation point
                  finished = true;
                }));
                ::pthread_testcancel();
                return nullptr;
              },
              nullptr) == 0);
  void* result = nullptr;
  REQUIRE(::pthread_join(thread, &result) == 0);
  CHECK(finished);
  CHECK(result == PTHREAD_CANCELED);
}

TEST_CASE("16 KiB of stack are enough to call it") {
  if (!kIsApart) FORETASK_SKIP("under a sanitizer the work runs in place");
  if (::sysconf(_SC_THREAD_STACK_MIN) > 16 << 10) FORETASK_SKIP("threads have larger stacks here");
  // The dynamic linker needs some KiB where it binds a function at its first call; the libraries that are loaded into
  // programs are bound when they are loaded.
  REQUIRE(base::run_aside([] {}));
  static int called;
  called = 0;
  constexpr std::size_t kGuard = 64 << 10;
  constexpr std::size_t kStack = 16 << 10;
  void* const memory = ::mmap(nullptr, kGuard + kStack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  char* const stack = static_cast<char*>(memory) + kGuard;
  REQUIRE(::mprotect(stack, kStack, PROT_READ | PROT_WRITE) == 0);
  std::memset(stack, 0x5a, kStack);
  pthread_attr_t attributes;
  REQUIRE(::pthread_attr_init(&attributes) == 0);
  REQUIRE(::pthread_attr_setstack(&attributes, stack, kStack) == 0);
  pthread_t thread{};
  REQUIRE(::pthread_create(
              &thread, &attributes,
              [](void*) -> void* {
                if (base::run_aside([] {
                      volatile char large[100 << 10];
                      large[0] = 1;
                      large[sizeof large - 1] = 1;
                    }))
                  called = 1;
                return nullptr;
              },
              nullptr) == 0);
  REQUIRE(::pthread_join(thread, nullptr) == 0);
  CHECK(called == 1);
  std::size_t untouched = 0;
  while (untouched < kStack && stack[untouched] == 0x5a) ++untouched;
  // What the C library keeps of a thread at the stack's top is some 3 KiB.
  CHECK(kStack - untouched < (8 << 10));
  ::munmap(memory, kGuard + kStack);
}

TEST_CASE("a child that no fork handler knows runs nothing aside, one that does may") {
  CHECK(base::is_own_process());
  const auto status_of = [](pid_t child) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
  };
  const pid_t hidden = _Fork();
  if (hidden == 0) {
    bool called = false;
    const bool ran = base::run_aside([&] { called = true; });
    ::_exit(!ran && !called && !base::is_own_process() ? 0 : 1);
  }
  CHECK(status_of(hidden) == 0);
  const pid_t adopted = _Fork();
  if (adopted == 0) {
    base::adopt_process();
    ::_exit(base::run_aside([] {}) ? 0 : 1);
  }
  CHECK(status_of(adopted) == 0);
}

TEST_CASE("the processor that work aside is told it runs on is the one that it runs on, and the caller's afterwards") {
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  const auto told_wrong = [] {
    unsigned now = 0;
    REQUIRE(::syscall(SYS_getcpu, &now, nullptr, nullptr) == 0);
    return static_cast<int>(now) != ::sched_getcpu();
  };
  int tried = 0;
  int wrong = 0;
  for (int processor = 0; processor < CPU_SETSIZE && tried < 4; ++processor) {
    if (!CPU_ISSET(processor, &before)) continue;
    ++tried;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    REQUIRE(base::run_aside([&] {
      static_cast<void>(::sched_setaffinity(0, sizeof one, &one));
      wrong += told_wrong();
      static_cast<void>(::sched_setaffinity(0, sizeof before, &before));
    }));
    REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
    wrong += told_wrong();
    REQUIRE(::sched_setaffinity(0, sizeof before, &before) == 0);
  }
  CHECK(tried > 0);
  CHECK(wrong == 0);
}
