// SPDX-License-Identifier: Apache-2.0
// own_new N: has an operator new of its own, and says how often it was called while N tasks ran, and in all.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

static std::atomic<long> calls;

void* operator new(std::size_t size) {
  ++calls;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
  const long many = argc > 1 ? std::atol(argv[1]) : 1000;
  long done = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < many; ++i) {
#pragma omp task shared(done)
    {
      const std::unique_ptr<long> one(new long(1));
#pragma omp atomic
      done += *one;
    }
  }
  std::printf("%ld tasks, %ld calls of new\n", done, calls.load());
  return 0;
}
