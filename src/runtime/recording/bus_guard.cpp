// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/bus_guard.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/own_process.hpp"
#include "runtime/recording/worker_stream.hpp"
#include "trace/packet.hpp"

namespace foretask::runtime {
namespace {

struct Guarded {
  std::atomic<WorkerStream*> stream{nullptr};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::size_t> bytes{0};
};

// By the number of the stream; memory that is not written to is not taken.
Guarded guarded[trace::kMaxStreams];
std::atomic<std::uint32_t> guarded_count{0};

struct sigaction before {};

// Memory in the place of the packet that holds `address`.
bool replace_packet(std::uintptr_t address) noexcept {
  const std::uint32_t count = guarded_count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    WorkerStream* const stream = guarded[i].stream.load(std::memory_order_acquire);
    const std::uintptr_t begin = guarded[i].begin.load(std::memory_order_relaxed);
    const std::size_t bytes = guarded[i].bytes.load(std::memory_order_relaxed);
    if (stream == nullptr || address < begin || address - begin >= bytes) continue;
    void* const memory = ::mmap(reinterpret_cast<void*>(begin), bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    stream->stop(StopReason::kCutShort);
    return memory != MAP_FAILED;
  }
  return false;
}

void on_bus_error(int number, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  const bool is_fault = info->si_code > 0;
  // A child has none of the packets: something else may lie there.
  if (!is_fault || !base::is_own_process() || !replace_packet(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    // Not ours. The instruction that faulted does so again, and what somebody sent is sent again.
    ::sigaction(number, &before, nullptr);
    if (!is_fault) ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::syscall(SYS_gettid), number, info);
  }
  errno = error;
}

}  // namespace

void take_bus_errors() noexcept {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &before);
}

void give_back_bus_errors() noexcept {
  struct sigaction now {};
  if (::sigaction(SIGBUS, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != on_bus_error)
    return;
  ::sigaction(SIGBUS, &before, nullptr);
}

void guard_packet(WorkerStream& stream, void* memory, std::size_t bytes) noexcept {
  const std::uint32_t index = stream.view()->index;
  Guarded& one = guarded[index];
  one.begin.store(reinterpret_cast<std::uintptr_t>(memory), std::memory_order_relaxed);
  one.bytes.store(bytes, std::memory_order_relaxed);
  one.stream.store(&stream, std::memory_order_release);
  std::uint32_t count = guarded_count.load(std::memory_order_relaxed);
  // Release: pairs with the handler's look.
  while (count <= index && !guarded_count.compare_exchange_weak(count, index + 1, std::memory_order_release)) {
  }
}

void unguard_packet(WorkerStream& stream) noexcept {
  guarded[stream.view()->index].stream.store(nullptr, std::memory_order_release);
}

void forget_guarded_packets() noexcept { guarded_count.store(0, std::memory_order_release); }

}  // namespace foretask::runtime
