// SPDX-License-Identifier: Apache-2.0
// What a recording takes down of StarPU's tasks: their creation with what they come after, their beginning and end, and
// where a thread of the program's waits for them. On the calling thread's stream; nothing where nothing is recorded.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <span>

#include "codelet_kernel.hpp"
#include "declared_order.hpp"
#include "recorded_thread.hpp"

namespace foretask::starpu {

[[nodiscard]] TaskNames& task_names();
[[nodiscard]] DeclaredOrder& declared_order();

// The task is about to be submitted, by the program or by StarPU itself. It comes after the task whose id is `cause`;
// 0: after the one in whose callback it is submitted, if it is.
void record_creation(starpu_task& task, std::uint64_t cause = 0);

// No worker can run the task that was created under this id.
void record_refusal(std::uint64_t name);

// The body of a task, from the constructor to the destructor: where a recording has its begin and end.
class RecordedBody {
 public:
  explicit RecordedBody(starpu_task& task);
  ~RecordedBody();
  RecordedBody(const RecordedBody&) = delete;
  RecordedBody& operator=(const RecordedBody&) = delete;

 private:
  RecordedThread* thread_ = nullptr;  // null: it is not recorded
  Parameters parameters_;
};

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
