// SPDX-License-Identifier: Apache-2.0
// What a recording takes down of StarPU's tasks: their creation with what they come after, their beginning and end, and
// where a thread of the program's waits for them. On the calling thread's stream; nothing where nothing is recorded.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <span>

#include "declared_order.hpp"
#include "recorded_thread.hpp"
#include "task_body.hpp"

namespace foretask::starpu {

[[nodiscard]] TaskNames& task_names();
[[nodiscard]] DeclaredOrder& declared_order();

// The task is about to be submitted, by the program or by StarPU itself. It comes after the task whose id is `cause`;
// 0: after the one in whose callback it is submitted, if it is.
void record_creation(starpu_task& task, std::uint64_t cause = 0);

// No worker can run the task that was created under this id.
void record_refusal(std::uint64_t name);

// Runs the body as `task`: recorded, or for what follows tasks alone, if anything does.
void run_followed(Body body, starpu_task& task, void** buffers, void* argument);
void record_body(Body body, starpu_task& task, void** buffers, void* argument);

// The calling thread waits for all tasks.
class WaitForAll {
 public:
  WaitForAll();
  ~WaitForAll();
  WaitForAll(const WaitForAll&) = delete;
  WaitForAll& operator=(const WaitForAll&) = delete;

 private:
  RecordedThread& thread_;
  bool is_recorded_;
};

// It waits for tasks that have such an id, or until it may access data as a task would.
class WaitForSome {
 public:
  explicit WaitForSome(std::span<const std::uint64_t> tasks);
  WaitForSome(starpu_data_handle_t data, starpu_data_access_mode mode);
  ~WaitForSome();
  WaitForSome(const WaitForSome&) = delete;
  WaitForSome& operator=(const WaitForSome&) = delete;

 private:
  void begin(std::span<const std::uint64_t> addresses, std::uint32_t kind);

  RecordedThread& thread_;
  std::uint64_t name_ = 0;  // 0: nothing is recorded
};

}  // namespace foretask::starpu
