// SPDX-License-Identifier: Apache-2.0
// Learns before main, in it and after it, by the C++ face; prints what each call came to.
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "foretask/foretask.hpp"

namespace {

void learn(const char* when) {
  const foretask::Kernel kernel("whole life", {"n"});
  std::printf("%s: %s, %s\n", when, kernel ? "kernel" : "none", foretask_status_text(kernel.learn(4000, 64)));
  std::fflush(stdout);
}

struct Early {
  Early() {
    std::printf("start: %s\n", foretask_status_text(foretask_learning_start()));
    learn("before main");
  }
  ~Early() { learn("after main"); }
};
const Early early;

// Among the last of all: the library has ended.
__attribute__((destructor)) void last() { learn("at the very end"); }

void at_thread_end(void*) { learn("at a thread's end"); }

}  // namespace

int main() {
  std::atexit([] { learn("at exit"); });
  learn("main");
  pthread_key_t key{};
  pthread_key_create(&key, at_thread_end);
  std::thread([key] {
    learn("a thread");
    pthread_setspecific(key, &early);
  }).join();
  {
    const foretask::Kernel kernel("scopes", {"n"});
    auto scope = kernel.scope(1);
    const auto inner = kernel.scope();
  }
  std::printf("flush: %s\n", foretask_status_text(foretask_flush(10000)));
  if (const auto next = foretask::Kernel("whole life", {"n"}).predict(64))
    std::printf("predict: %.0f %d\n", next->value_ns, static_cast<int>(next->samples));
  return 0;
}
