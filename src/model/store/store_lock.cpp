// SPDX-License-Identifier: Apache-2.0
#include "model/store/store_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <cstdio>

#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <thread>

namespace foretask::model {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLockPatience = std::chrono::seconds(10);
constexpr auto kHolderPatience = std::chrono::seconds(1);
constexpr auto kLockPause = std::chrono::milliseconds(5);

// Who holds the lock, and since when: what the file says changes with each that takes it.
using Holder = std::array<std::uint64_t, 2>;

Holder holder_of(int file) {
  Holder holder{};
  if (::pread(file, holder.data(), sizeof holder, 0) != static_cast<ssize_t>(sizeof holder)) return {};
  return holder;
}

// Where it cannot be written, others wait as for one that keeps it.
void write_holder(int file) {
  const Holder holder{static_cast<std::uint64_t>(::getpid()),
                      static_cast<std::uint64_t>(Clock::now().time_since_epoch().count())};
  (void)!::pwrite(file, holder.data(), sizeof holder, 0);
}

}  // namespace

Result<base::FileDescriptor> lock_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{.what = "cannot make the folder", .path = folder, .code = error.value()};
  const std::string path = folder + "/.lock";
  base::FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.is_open()) return Error{.what = "cannot open", .path = path, .code = errno};
  const auto begin = Clock::now();
  auto taken = begin;
  Holder holder{};
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return Error{.what = "cannot lock", .path = path, .code = errno};
    const auto now = Clock::now();
    if (const Holder next = holder_of(file.get()); next != holder) {
      holder = next;
      taken = now;
    }
    if (now - taken > kHolderPatience || now - begin > kLockPatience)
      return Error{.what = "another process holds the lock", .path = path};
    std::this_thread::sleep_for(kLockPause);
  }
  write_holder(file.get());
  return file;
}

std::string store_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string set_aside(const std::string& path, const std::string& why) {
  std::string aside;
  for (int i = 1; i < 1000; ++i) {
    aside = path + ".refused-" + std::to_string(i);
    if (::access(aside.c_str(), F_OK) != 0) break;
  }
  const bool moved = ::rename(path.c_str(), aside.c_str()) == 0;
  return path + " is not used: " + why + (moved ? "; it is now " + aside : "");
}

}  // namespace foretask::model
