// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <stop_token>
#include <string>

#include "cli/command.hpp"

namespace foretask::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr int kBarWidth = 24;
constexpr auto kLong = std::chrono::seconds(2);

}  // namespace

// The first tenth of a second shows nothing: short work needs no bar.
ProgressLine::ProgressLine() : is_terminal_(::isatty(STDERR_FILENO) == 1), last_(std::chrono::steady_clock::now()) {}

void ProgressLine::update(double done, const char* what) {
  if (!is_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (now - last_ < kRedraw) return;
  last_ = now;
  drawn_ = true;
  const double share = std::clamp(done, 0.0, 1.0);
  const int filled = static_cast<int>(share * kBarWidth);
  draw(fmt::format("\r\x1b[K[{:=<{}}{: <{}}] {:3.0f} % {}", "", filled, "", kBarWidth - filled, 100 * share,
                   what == nullptr ? "" : what));
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  if (!drawn_) return;
  drawn_ = false;
  draw("\r\x1b[K");
}

LongWorkNote::LongWorkNote(const char* what) {
  if (::isatty(STDERR_FILENO) == 1) return;
  waiting_ = std::jthread([what](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, kLong, [] { return false; });
    if (!stop.stop_requested()) note(what);
  });
}

}  // namespace foretask::cli
