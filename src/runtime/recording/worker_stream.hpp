// SPDX-License-Identifier: Apache-2.0
// A stream: packets in a file that is reserved and mapped a packet at a time, and prefaulted in steps. It has one owner
// at a time, which appends through the inline functions of foretask/hook.h; what is here is the out-of-line half. When
// the owner has ended, another thread may go on where it stopped.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "foretask/hook.h"
#include "runtime/recording/subtree_contraction.hpp"
#include "runtime/recording/task_counters.hpp"
#include "runtime/recording/thread_times.hpp"
#include "trace/packet.hpp"

namespace foretask::runtime {

// Bytes that all streams of a recording may reserve together. Lock free.
class ByteBudget {
 public:
  explicit ByteBudget(std::uint64_t limit) noexcept : limit_(limit) {}
  // False when `bytes` more would pass the limit.
  [[nodiscard]] bool take(std::uint64_t bytes) noexcept;
  [[nodiscard]] std::uint64_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  std::uint64_t limit_;  // 0: none
  std::atomic<std::uint64_t> used_{0};
};

// Why a stream stopped taking events.
enum class StopReason : std::uint8_t {
  kNone,
  kClosed,
  kNoRoom,     // the file could not grow: error_code() says why
  kByteLimit,  // FORETASK_MAX_BYTES
  kCannotMap,  // the file could not be opened or mapped, or the system has no memory or thread for that
  kCutShort,   // somebody else made the file shorter, or the disk failed
  kForked
};

class alignas(128) WorkerStream {
 public:
  WorkerStream(std::uint32_t index, const trace::TraceId& uuid, ByteBudget& budget) noexcept;
  WorkerStream(const WorkerStream&) = delete;
  WorkerStream& operator=(const WorkerStream&) = delete;
  // Unmaps nothing: another thread may still append while the recording ends.
  ~WorkerStream() = default;

  // In memory that a forked child finds full of zeros, however it was made: there an append does nothing, and none is a
  // store into a packet, which is not mapped there.
#ifndef FORETASK_ADDRESS_SANITIZER  // it does not look there, and would call what a stream holds a leak
  [[nodiscard]] static void* operator new(std::size_t bytes);
  static void operator delete(void* memory) noexcept;
#endif

  // Creates `path` and maps the first packet. False, with the reason kept, when it cannot.
  [[nodiscard]] bool open(const std::string& path);

  // Owner: the tool worked for `spent` ticks until `until`, which is not before the last event.
  void append_tool_time(base::Ticks until, base::Ticks spent) noexcept;

  // The owner's last call: cuts the file to its content. The counters are detached before.
  void close() noexcept;

  // Instead of close(): the stream keeps its packet, and takes no events until another thread is its owner. False where
  // it has stopped.
  [[nodiscard]] bool leave() noexcept;
  // The calling thread is the owner of a stream that leave() was called of.
  void take_over() noexcept;

  // From another thread: no event is begun any more. What the owner is writing just now is still written.
  void stop(StopReason reason) noexcept;

  // In a forked child, which has not inherited the mapping: nothing is written or counted, whatever stopped it before.
  void abandon() noexcept;

  // Owner: the slow half of foretask_event_begin_.
  [[nodiscard]] std::uint32_t* reserve_slow(std::uint32_t kind, std::uint64_t now) noexcept;

  // Owner: its tasks' counters are read from here on, and no more.
  void attach_counters(std::unique_ptr<TaskCounters> counters) noexcept;
  void detach_counters() noexcept;

  // From here on tasks that take less become one event each, with all that they make. Before open(). `kinds`, which
  // outlive the stream: of all tasks of the recording.
  void set_grain(const Grain& grain, TaskKinds& kinds);
  // Owner: such a task has ended.
  void contract(const foretask_started_task& started) noexcept;
  // Owner, where there is a grain: in a task that starts or ends tasks are counted, or one of these starts.
  [[nodiscard]] CountedSubtrees& counted_subtrees() noexcept { return *counted_; }

  // Owner, `thread`, at its beginning and at its end. As affinity(), under the session's lock.
  void note_thread(std::int64_t thread) noexcept;
  // The processors that the owner may run on, or might when that was noted last. False of a stream that is no thread's.
  [[nodiscard]] bool affinity(cpu_set_t& set) const noexcept;

  // Owner.
  [[nodiscard]] ThreadTimes& times() noexcept { return times_; }

  [[nodiscard]] foretask_stream* view() noexcept { return &view_; }
  [[nodiscard]] static WorkerStream* of(foretask_stream* view) noexcept {
    return static_cast<WorkerStream*>(view->owner);
  }
  [[nodiscard]] std::uint64_t discarded() const noexcept { return discarded_.load(std::memory_order_relaxed); }
  // What the file will not be shorter than: its size once it is closed, until then up to its last packet's head (a
  // packet cut short says so itself). Any thread.
  [[nodiscard]] std::uint64_t least_bytes() const noexcept { return least_bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] StopReason stop_reason() const noexcept { return reason_.load(std::memory_order_relaxed); }
  [[nodiscard]] int error_code() const noexcept { return error_code_.load(std::memory_order_relaxed); }

 private:
  // The file, opened anew for each packet, aside: a descriptor of the program's table is one that it may close, and put
  // a file of its own in its place.
  [[nodiscard]] base::FileDescriptor open_file(int more_flags) noexcept;
  // Room and mapping for an empty packet at the file's end, made smaller where the disk is nearly full; null, with the
  // stream stopped, when they cannot be had.
  [[nodiscard]] void* map_packet(int more_flags, trace::PacketHead& head) noexcept;
  [[nodiscard]] void* map_packet_aside(int more_flags, trace::PacketHead& head) noexcept;
  [[nodiscard]] bool map_next_packet(int more_flags, std::uint32_t kind, std::uint64_t now) noexcept;
  // The next step of the packet, so that no event of the program meets a page that is not mapped. Then it may be used.
  void prefault_step() noexcept;
  void take_step() noexcept;
  // The packet's next step, or the next packet. False when there is none.
  [[nodiscard]] bool make_room(std::uint32_t kind, std::uint64_t now) noexcept;
  [[nodiscard]] std::uint64_t content_bytes() const noexcept;
  void seal_packet() noexcept;   // writes its checksum
  void leave_packet() noexcept;  // unmaps it

  foretask_stream view_{};
  trace::PacketHead* head_ = nullptr;
  std::uint64_t packet_bytes_ = 0;
  std::uint64_t ready_bytes_ = 0;  // of the packet: prefaulted
  std::uint64_t file_bytes_ = 0;
  std::atomic<std::uint64_t> least_bytes_{0};
  std::uint64_t sequence_ = 0;
  std::atomic<std::uint64_t> discarded_{0};
  std::atomic<StopReason> reason_{StopReason::kNone};
  std::atomic<int> error_code_{0};
  std::string path_;
  base::FileIdentity made_;  // by open(), whatever path_ names later
  trace::TraceId uuid_;
  ByteBudget& budget_;
  std::unique_ptr<TaskCounters> counters_;
  std::unique_ptr<SubtreeContraction> contraction_;  // null: all events stay
  std::unique_ptr<CountedSubtrees> counted_;
  TaskKinds* kinds_ = nullptr;
  ThreadTimes times_;
  std::int64_t thread_ = 0;
  cpu_set_t affinity_{};  // of that thread
};

}  // namespace foretask::runtime
