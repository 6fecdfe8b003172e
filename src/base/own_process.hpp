// SPDX-License-Identifier: Apache-2.0
// This process: told from a copy of it (any thread; one load), its files in /proc, and when it began.
#pragma once

#include <cstdint>
#include <string>

namespace foretask::base {

// False in a child that was made without the C library's knowledge (_Fork, a raw clone): no fork handler has run there,
// so that what it inherited is a copy of the parent's state at some instant, locks included. Always true where the
// kernel has no MADV_WIPEONFORK (before Linux 4.14).
[[nodiscard]] bool is_own_process() noexcept;

// The path of this process's file in /proc. That of the first thread, which qemu-user knows to be the program's; where
// that thread has ended, the calling one's.
[[nodiscard]] std::string own_proc_file(const char* name);

// The name of this process's executable, without its folder.
[[nodiscard]] std::string program_name();

// In a fork handler of a child: what it inherited is in order.
void adopt_process() noexcept;

// When this process began, as the kernel has it: on CLOCK_MONOTONIC in ns, some 10 ms early at most: the kernel counts
// in ticks. 0 where it cannot be told.
[[nodiscard]] std::int64_t process_start_ns();

}  // namespace foretask::base
