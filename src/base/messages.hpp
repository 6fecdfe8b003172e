// SPDX-License-Identifier: Apache-2.0
// What foretask says on the standard error of somebody's program: a line a message, "foretask: TEXT". Any thread.
#pragma once

#include <atomic>
#include <string_view>

namespace foretask::base {

// Says `text` while standard error is what the program was started with; else nothing. A program may close it and open
// a file of its own in its place. One write a message: those of several threads and processes do not mix. Within
// run_aside() it is kept until that ends. Never fails: what cannot be said is lost.
void say(std::string_view text) noexcept;
// "warning: TEXT"
void warn(std::string_view text) noexcept;

// Where `said` does not say that it was; sets it.
void say_once(std::atomic<bool>& said, std::string_view text) noexcept;

// The same for text that is not a line of its own ("\r..."): nothing is added to it.
void say_raw(std::string_view text) noexcept;

// Of run_aside(): writes what was kept.
void write_messages() noexcept;
// In a forked child: what was kept is the parent's to say.
void forget_messages() noexcept;

}  // namespace foretask::base
