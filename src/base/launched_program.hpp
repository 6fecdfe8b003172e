// SPDX-License-Identifier: Apache-2.0
// What the launcher says of one program only, in variables that everything started from there inherits: it comes after
// "PID LENGTH:PATH" of that program.
#pragma once

#include <optional>
#include <string_view>

namespace foretask::base {

// What follows. Nothing where `text` is of another process, or of another program in this one: env, sh or taskset may
// have become it.
[[nodiscard]] std::optional<std::string_view> said_of_this_program(std::string_view text) noexcept;

// True if `text` is of this process, in which by now another program may run.
[[nodiscard]] bool is_said_of_this_process(std::string_view text) noexcept;

}  // namespace foretask::base
