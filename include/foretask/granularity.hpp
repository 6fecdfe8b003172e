// SPDX-License-Identifier: Apache-2.0
// granularity.h in C++20 types, with the same contracts. Header only; throws nothing of its own.
//
//   void sort(T* a, std::size_t n) {
//     foretask::invoke(sorting, n, [&] { sort(a, n / 2); }, [&] { sort(a + n / 2, n - n / 2); });   // OpenMP
//     merge(a, n);
//   }
//   foretask::invoke<tbb::task_group>(sorting, n, ...);                                             // oneTBB
#pragma once

#include <type_traits>

#include "foretask/foretask.hpp"
#include "foretask/granularity.h"

namespace foretask {

// A subtree, from construction to destruction.
class [[nodiscard]] Subtree {
 public:
  // `parent`: null for the first one. `by_default`: whether parts become tasks where foretask is off.
  Subtree(const Kernel& kernel, Subtree* parent, double size, bool by_default = true) noexcept {
    foretask_subtree_begin(&subtree_, kernel.get(), parent ? &parent->subtree_ : nullptr, size, by_default);
  }
  ~Subtree() { foretask_subtree_end(&subtree_); }
  Subtree(const Subtree&) = delete;
  Subtree& operator=(const Subtree&) = delete;

  // Whether the next part is to be a task.
  [[nodiscard]] bool spawn() noexcept { return foretask_subtree_spawn(&subtree_) != 0; }
  // The same by the part's size, where parts are not alike.
  [[nodiscard]] bool spawn(double part) noexcept { return foretask_subtree_spawn_part(&subtree_, part) != 0; }
  // Whether all of it takes less than a task is worth: code without tasks and subtrees may do it.
  [[nodiscard]] bool is_small() const noexcept { return foretask_subtree_is_small(&subtree_) != 0; }
  // Whether tasks are to be waited for now. In a parallel region of OpenMP's, outside of tasks, it waits for them
  // itself.
  [[nodiscard]] bool spawned() noexcept { return foretask_subtree_spawned(&subtree_) != 0; }

 private:
  foretask_subtree subtree_;
};

namespace granularity {

// The subtree that this thread's innermost invoke() is of.
inline constinit thread_local Subtree* current = nullptr;

// `function` as a part of `subtree`; null: of none.
template <typename Function>
void run_in(Subtree* subtree, Function&& function) {
  struct Restored {
    Subtree* before = current;
    ~Restored() { current = before; }
  } const restored;
  current = subtree;
  function();
}

}  // namespace granularity

#ifdef _OPENMP
// What invoke() makes tasks with where nothing else is asked for.
struct OpenMpTasks {
  template <typename Function>
  void run(Function function) {
#pragma omp task firstprivate(function)
    function();
  }
  void wait() {
#pragma omp taskwait
  }
};
#else
struct OpenMpTasks;  // the program is not compiled for OpenMP: name a group of tasks
#endif

// Calls `first` and `second`, the two parts of a subtree of `size`; `first` as a task where that is worth it, or where
// foretask is off and `by_default` says so. Returns when both have ended. They may call invoke() in turn. `Tasks`:
// default constructible, with run(function) and wait(), as tbb::task_group. What `second` throws is thrown on when
// `first` has ended; what `first` throws as a task is up to `Tasks`.
template <typename Tasks = OpenMpTasks, typename First, typename Second>
void invoke(const Kernel& kernel, double size, First&& first, Second&& second, bool by_default = true) {
  Subtree self(kernel, granularity::current, size, by_default);
  if (!self.spawn()) {
    granularity::run_in(&self, first);
    granularity::run_in(&self, second);
    return;
  }
  Tasks tasks;
  tasks.run([&self, &first] { granularity::run_in(&self, first); });
  const auto wait = [&self, &tasks] {
    // Other tasks may be taken up meanwhile: they are no parts of this.
    granularity::run_in(nullptr, [&] {
      const bool is_left = self.spawned();
      if (is_left || !std::is_same_v<Tasks, OpenMpTasks>) tasks.wait();
    });
  };
  try {
    granularity::run_in(&self, second);
  } catch (...) {
    try {
      wait();
    } catch (...) {  // the other part's: only one can be thrown on
    }
    throw;
  }
  wait();
}

}  // namespace foretask
