// SPDX-License-Identifier: Apache-2.0
// Where in which file a code address lies. Cold; takes the dynamic linker's lock.
#pragma once

#include <string>

namespace foretask::runtime {

struct CodePlace {
  std::string name;    // "module+0xoffset"; "code+0xaddress" outside of all files
  std::string module;  // the file's path
};
[[nodiscard]] CodePlace place_of_code(const void* code);

}  // namespace foretask::runtime
