// SPDX-License-Identifier: Apache-2.0
// What hook.cpp does around a fork of the program's. process_fork.cpp holds each part's locks meanwhile, in one order,
// so that the child inherits none that another thread holds.
#pragma once

namespace foretask::runtime {

// The recording (hook.cpp). In the child it is over: it is the parent's.
void lock_recording() noexcept;
void unlock_recording() noexcept;
void abandon_recording() noexcept;

}  // namespace foretask::runtime
