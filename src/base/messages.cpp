// SPDX-License-Identifier: Apache-2.0
#include "base/messages.hpp"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include "base/run_aside.hpp"

namespace foretask::base {
namespace {

struct File {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  [[nodiscard]] bool operator==(const File&) const = default;
};

std::optional<File> standard_error_now() noexcept {
  struct stat status {};
  if (::fstat(STDERR_FILENO, &status) != 0) return std::nullopt;
  return File{status.st_dev, status.st_ino};
}

// "DEVICE:INODE"; nothing of "closed", or of what makes no sense.
std::optional<File> file_of(std::string_view text) noexcept {
  File file;
  const char* const end = text.data() + text.size();
  const auto device = std::from_chars(text.data(), end, file.device);
  if (device.ec != std::errc() || device.ptr == end || *device.ptr != ':') return std::nullopt;
  const auto inode = std::from_chars(device.ptr + 1, end, file.inode);
  if (inode.ec != std::errc() || inode.ptr != end) return std::nullopt;
  return file;
}

// "PID DEVICE:INODE" or "PID closed" (ProgramImage in src/cli). False where it says nothing of this process: another
// was started, and this is one that it started.
bool is_told(std::string_view text, std::optional<File>& file) noexcept {
  long process = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), process);
  if (error != std::errc() || process != ::getpid()) return false;
  text.remove_prefix(std::min<std::size_t>(text.size(), static_cast<std::size_t>(rest - text.data()) + 1));
  file = file_of(text);
  return true;
}

// What the program was started with; nothing where it was closed. When the library is loaded: the launcher knows, and
// without one it is what is there now.
std::optional<File> standard_error;

__attribute__((constructor)) void find_standard_error() {
  const char* const told = ::getauxval(AT_SECURE) != 0 ? nullptr : std::getenv("FORETASK_STDERR");
  if (told == nullptr || !is_told(told, standard_error)) standard_error = standard_error_now();
}

struct Message {
  Message* before;
  std::size_t bytes;
};

// The last one kept; those before it are linked.
std::atomic<Message*> kept{nullptr};

void write_now(const char* text, std::size_t bytes) noexcept {
  if (!standard_error || standard_error_now() != standard_error) return;
  constexpr int kAttempts = 100;  // a signal may interrupt
  for (int i = 0; i < kAttempts && ::write(STDERR_FILENO, text, bytes) < 0 && errno == EINTR; ++i) {
  }
}

void keep(std::string_view text) noexcept {
  auto* const message = static_cast<Message*>(std::malloc(sizeof(Message) + text.size()));
  if (message == nullptr) return;
  message->bytes = text.size();
  std::memcpy(message + 1, text.data(), text.size());
  message->before = kept.load(std::memory_order_relaxed);
  // Release: pairs with the exchange of who writes it.
  while (!kept.compare_exchange_weak(message->before, message, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

}  // namespace

void say_raw(std::string_view text) noexcept { is_aside() ? keep(text) : write_now(text.data(), text.size()); }

void say(std::string_view text) noexcept {
  try {
    std::string line = "foretask: " + std::string(text);
    // A name may hold anything; a message is one line.
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < ' '; }, '?');
    say_raw(line + "\n");
  } catch (const std::bad_alloc&) {
  }
}

void warn(const std::string& text) noexcept {
  try {
    say("warning: " + text);
  } catch (const std::bad_alloc&) {
  }
}

void write_messages() noexcept {
  if (kept.load(std::memory_order_relaxed) == nullptr) return;
  Message* ordered = nullptr;  // the first one first
  for (Message* last = kept.exchange(nullptr, std::memory_order_acquire); last != nullptr;) {
    Message* const before = last->before;
    last->before = ordered;
    ordered = last;
    last = before;
  }
  while (ordered != nullptr) {
    Message* const next = ordered->before;
    write_now(reinterpret_cast<const char*>(ordered + 1), ordered->bytes);
    std::free(ordered);
    ordered = next;
  }
}

void forget_messages() noexcept { kept.store(nullptr, std::memory_order_relaxed); }

}  // namespace foretask::base
