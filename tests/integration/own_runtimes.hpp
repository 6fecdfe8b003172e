// SPDX-License-Identifier: Apache-2.0
// For tests that start the programs by hand: on LLVM's runtime as the system has it, and on GCC's.
#pragma once

#include <initializer_list>
#include <string>

#include "integration/recorded.hpp"

namespace record_test {

// As the runtime's compiler builds it.
inline std::string own_program(const std::string& name, const Settings& settings) {
  return program(settings.runtime.is_libgomp() ? "gcc_" + name : name);
}

template <typename Check>
void for_each_own_runtime(std::initializer_list<int> threads, Check&& check) {
  for_each_runtime(threads, check, [](const Runtime& runtime) { return runtime.folder.empty(); });
}

}  // namespace record_test
