// SPDX-License-Identifier: Apache-2.0
// Linker names of oneTBB's task classes: templates over types of the library, the C++ library and the user.
#pragma once

#include <string>
#include <string_view>

namespace foretask::symbols {

// execute of a class of oneTBB's, or operator() of one that an arena, a pipeline or a flow graph calls; or what
// foretask::invoke() makes tasks of.
[[nodiscard]] bool is_execute_of_task_class(std::string_view linker_name);

// Of such a function: what the user wrote, "main::{lambda#1}" or "Body"; where the class has nothing of it, its own
// name without what its templates are made of.
[[nodiscard]] std::string readable_task_class(const std::string& linker_name);

// The function around what such a name begins with: "main" of "main::{lambda#1}".
[[nodiscard]] std::string function_around(const std::string& readable);

}  // namespace foretask::symbols
