// SPDX-License-Identifier: Apache-2.0
// A dataflow program from one source: compiled without OpenMP its tasks run at once, one after the other, annotated for
// foretask; with OpenMP they are tasks with depend clauses. Either way foretask knows them by their kernels.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "common.hpp"
#include "foretask/dataflow.hpp"

namespace examples {

using foretask::in;
using foretask::inout;
using foretask::Kernel;
using foretask::out;
using Accesses = std::initializer_list<foretask::Access>;

#ifdef _OPENMP

// OpenMP orders tasks by the first byte of what they name: each range here is always named as a whole.
struct FirstBytes {
  static constexpr std::size_t kMost = 8;
  const char* read[kMost];
  const char* written[kMost];
  int reads = 0;
  int writes = 0;

  explicit FirstBytes(Accesses accesses) {
    for (const foretask::Access& access : accesses) {
      const auto* first = static_cast<const char*>(access.address);
      if (access.kind == FORETASK_IN)
        read[reads++] = first;
      else
        written[writes++] = first;
    }
  }
};

// Creates a task that calls `body`, which is copied into it.
template <class Body>
void task(const Kernel& kernel, Accesses accesses, Body body) {
  const FirstBytes first(accesses);
  static_cast<void>(kernel.next_openmp_task());
#pragma omp task firstprivate(body) depend(iterator(i = 0                                       \
                                                    : first.reads),                             \
                                           in                                                   \
                                           : first.read[i][0]) depend(iterator(i = 0            \
                                                                               : first.writes), \
                                                                      inout                     \
                                                                      : first.written[i][0])
  body();
}

inline void wait_for_tasks() {
#pragma omp taskwait
}

// Times `program`, which creates the tasks, and waits for them.
template <class Program>
void run_tasks(Run& run, Program program) {
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp single nowait
    {
      run.start();
      program();
      wait_for_tasks();
    }
  }
  run.stop();
}

#else

template <class Body>
void task(const Kernel& kernel, Accesses accesses, Body body) {
  const foretask::Task task(kernel, accesses);
  body();
}

inline void wait_for_tasks() { static_cast<void>(foretask_task_wait()); }

template <class Program>
void run_tasks(Run& run, Program program) {
  run.start();
  program();
  wait_for_tasks();
  run.stop();
}

#endif

}  // namespace examples
