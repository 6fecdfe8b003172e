// SPDX-License-Identifier: Apache-2.0
// A group of tasks for foretask::invoke(), each a thread.
#pragma once

#include <thread>
#include <vector>

namespace foretask_test {

class ThreadTasks {
 public:
  template <typename Function>
  void run(Function function) {
    threads_.emplace_back(function);
  }
  void wait() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace foretask_test
