// SPDX-License-Identifier: Apache-2.0
// Detached tasks by their events. libgomp lets an event be fulfilled before the task's body began: then the task is
// over with its body, and there is no more to say.
#pragma once

#include <omp-tools.h>

#include "thread.hpp"

namespace foretask::gomp {

class DetachedTask {
 public:
  // For a task that is about to be created; null: there is no memory. The creator and the body give it up once each.
  static DetachedTask* make();

  [[nodiscard]] ompt_data_t& data() { return data_; }

  // `event` is its; said by its creator and by its body, whoever is first.
  void name_event(void* event);
  // The creator has no more to do with it.
  void give_up();
  // Its body is over: tells the listeners whether the task is.
  void end_body(const ompt_data_t* resumed);

  // Its body does not run, because it was cancelled: for libgomp it is over, and its event fulfilled.
  void discard(void* event);

  // The program fulfils `event`: a word to the listeners where the body is over. Any thread. False for the event of a
  // discarded task, which libgomp knows no more.
  [[nodiscard]] static bool fulfil(const void* event);

 private:
  void drop();
  void name(void* event);
  static DetachedTask* take_waiting(const void* event);

  ompt_data_t data_{};
  const void* event_ = nullptr;
  DetachedTask* next_ = nullptr;
  bool was_named_ = false;  // an event's address is another's once its task is gone
  bool is_fulfilled_ = false;
  bool is_over_ = false;
  bool is_discarded_ = false;
  int holders_ = 2;
};

}  // namespace foretask::gomp
