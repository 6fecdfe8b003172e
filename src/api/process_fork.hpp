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

}  // namespace foretask::api
