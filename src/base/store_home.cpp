// SPDX-License-Identifier: Apache-2.0
#include "base/store_home.hpp"

#include <sys/auxv.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file.hpp"

namespace foretask::base {
namespace {

const FileIdentity loaded_root = FileIdentity::of("/");

}  // namespace

std::string store_home() {
  if (getauxval(AT_SECURE) != 0) return {};
  if (const char* home = std::getenv("FORETASK_HOME"); home && *home) {
    // The program may change its working directory.
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(home, error);
    return error ? std::string(home) : absolute.string();
  }
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data == '/') return std::string(data) + "/foretask";
  if (const char* user = std::getenv("HOME"); user && *user) return std::string(user) + "/.local/share/foretask";
  return {};
}

bool has_new_root() noexcept { return FileIdentity::of("/") != loaded_root; }

}  // namespace foretask::base
