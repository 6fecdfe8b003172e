// SPDX-License-Identifier: Apache-2.0
#include "base/messages.hpp"

#include <poll.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/run_aside.hpp"

namespace foretask::base {
namespace {

// "DEVICE:INODE"; none of "closed", or of what makes no sense.
FileIdentity file_of(std::string_view text) noexcept {
  FileIdentity file;
  const char* const end = text.data() + text.size();
  const auto device = std::from_chars(text.data(), end, file.device);
  if (device.ec != std::errc() || device.ptr == end || *device.ptr != ':') return {};
  const auto inode = std::from_chars(device.ptr + 1, end, file.inode);
  if (inode.ec != std::errc() || inode.ptr != end) return {};
  return file;
}

// What the program was started with; none where it was closed. When the library is loaded: the launcher knows, and
// without one it is what is there now.
FileIdentity standard_error;

__attribute__((constructor)) void find_standard_error() {
  const char* const variable = ::getauxval(AT_SECURE) != 0 ? nullptr : std::getenv("FORETASK_STDERR");
  const auto told = said_of_this_program(variable != nullptr ? variable : "");
  standard_error = told ? file_of(*told) : FileIdentity::of(STDERR_FILENO);
}

struct Message {
  Message* before;
  std::size_t bytes;
};

// The last one kept; those before it are linked.
std::atomic<Message*> kept{nullptr};

void write_now(const char* text, std::size_t bytes) noexcept {
  if (standard_error == FileIdentity() || FileIdentity::of(STDERR_FILENO) != standard_error) return;
  // Nobody may read from a pipe that is full, or from a terminal that is stopped. A pipe has room for a line or for
  // none.
  constexpr int kMostWaitMs = 100;
  pollfd room{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&room, 1, kMostWaitMs) != 1 || (room.revents & POLLOUT) == 0) return;
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

void say_raw(std::string_view text) noexcept {
  keep(text);
  if (!is_aside()) write_messages();
}

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

void say_once(std::atomic<bool>& said, std::string_view text) noexcept {
  if (!said.exchange(true)) say(text);
}

void warn(std::string_view text) noexcept {
  try {
    say("warning: " + std::string(text));
  } catch (const std::bad_alloc&) {
  }
}

// Aside: a reader that has gone (SIGPIPE), a limit of a file's size or a terminal that stops its writers must not end
// or stop the program. What a write raises there is held back, and ends with the thread that wrote.
void write_messages() noexcept {
  Message* ordered = nullptr;  // the first one first
  for (Message* last = kept.exchange(nullptr, std::memory_order_acquire); last != nullptr;) {
    Message* const before = last->before;
    last->before = ordered;
    ordered = last;
    last = before;
  }
  if (ordered == nullptr) return;
  static_cast<void>(run_aside(
      [ordered] {
        for (const Message* one = ordered; one != nullptr; one = one->before)
          write_now(reinterpret_cast<const char*>(one + 1), one->bytes);
      },
      Descriptors::kProgram));
  while (ordered != nullptr) std::free(std::exchange(ordered, ordered->before));
}

void forget_messages() noexcept { kept.store(nullptr, std::memory_order_relaxed); }

}  // namespace foretask::base
