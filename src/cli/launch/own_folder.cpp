// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/own_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;

bool is_safe(const fs::path& folder, bool is_last) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) return false;
  const bool is_open = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  return !is_open || (!is_last && (status.st_mode & S_ISVTX) != 0);
}

std::vector<std::string> cache_folders() {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value != nullptr && *value == '/' ? value : "";
  };
  std::vector<std::string> folders;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) {
    folders.push_back(cache);
  } else if (const std::string home = variable("HOME"); !home.empty()) {
    folders.push_back(home + "/.cache");
  }
  if (const std::string runtime = variable("XDG_RUNTIME_DIR"); !runtime.empty()) folders.push_back(runtime);
  return folders;
}

// 0, or an errno.
int make_folders(const fs::path& path) {
  fs::path made;
  for (const fs::path& part : path) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) != 0 && errno != EEXIST) {
      const int code = errno;
      std::error_code ignored;
      if (!fs::is_directory(made, ignored)) return code;
    }
  }
  return 0;
}

}  // namespace

std::optional<std::string> own_folder(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return std::nullopt;
  fs::path above;
  for (const fs::path& part : real) {
    above /= part;
    if (!is_safe(above, above == real)) return std::nullopt;
  }
  return real.string();
}

Result<std::string> own_cache_folder(const std::string& name) {
  Error seen{.what = "none of XDG_CACHE_HOME, HOME and XDG_RUNTIME_DIR is set"};
  for (const std::string& parent : cache_folders()) {
    const std::string folder = parent + "/foretask/" + name;
    if (const int code = make_folders(folder); code != 0) {
      seen = Error{.what = "cannot make the folder", .path = folder, .code = code};
    } else if (const auto own = own_folder(folder)) {
      return *own;
    } else {
      seen = Error{.what = "others may write there", .path = folder};
    }
  }
  return seen;
}

}  // namespace foretask::cli
