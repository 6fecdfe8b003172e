// SPDX-License-Identifier: Apache-2.0
#include "model/store_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

namespace foretask::model {
namespace {

constexpr auto kLockPatience = std::chrono::seconds(10);
constexpr auto kLockPause = std::chrono::milliseconds(5);

}  // namespace

Result<base::FileDescriptor> lock_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{.what = "cannot make the folder", .path = folder, .code = error.value()};
  const std::string path = folder + "/.lock";
  base::FileDescriptor file = base::above_standard_streams(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) return Error{.what = "cannot open", .path = path, .code = errno};
  const auto begin = std::chrono::steady_clock::now();
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return Error{.what = "cannot lock", .path = path, .code = errno};
    if (std::chrono::steady_clock::now() - begin > kLockPatience)
      return Error{.what = "another process holds the lock", .path = path};
    std::this_thread::sleep_for(kLockPause);
  }
  return file;
}

std::string store_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace foretask::model
