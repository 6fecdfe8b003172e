// SPDX-License-Identifier: Apache-2.0
// What each part of the library does around a fork of the program's: its locks are held meanwhile, so that the child
// inherits none that another thread holds. process_fork.cpp calls them in one order.
#pragma once

namespace foretask::api {

// The recording (hook.cpp). In the child it is over: it is the parent's.
void lock_recording() noexcept;
void unlock_recording() noexcept;
void abandon_recording() noexcept;

// What the environment asks for (learning.cpp).
void lock_decision();
void unlock_decision();

// Said when learning, or following the progress, begins: from then on its locks are held as well.
void watch_forks_of_learning() noexcept;
void watch_forks_of_progress() noexcept;

}  // namespace foretask::api
