// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/worker_stream.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <new>
#include <utility>

#include "base/run_aside.hpp"
#include "runtime/recording/bus_guard.hpp"
#include "trace/event_table.hpp"
#include "trace/packet.hpp"

namespace foretask::runtime {
namespace {

// The first packets are small, so that a run of hundreds of threads stays small; later ones so large that what is done
// once for each of them, a thread aside above all, costs little a task.
constexpr std::uint64_t kPacketBytes[] = {64 << 10, 256 << 10, 1 << 20};
// Streams from this number on begin with one page. Thousands of threads have few events each, and a file of one block
// has none to free when it is closed: that takes some disks 1 ms a file.
constexpr std::uint32_t kFirstOfMany = 64;
// What of a packet is prefaulted at once, and written at once when room is taken for it: a system's page of the file
// may be as large as the write, and to map a part of a larger one takes longer. Also the packet where there is room for
// no larger one.
constexpr std::uint64_t kStepBytes = 256 << 10;
constexpr int kMostInterruptions = 100;

std::uint64_t packet_bytes_of(std::uint32_t stream, std::uint64_t sequence) noexcept {
  if (stream >= kFirstOfMany && sequence-- == 0) return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return kPacketBytes[std::min<std::uint64_t>(sequence, std::size(kPacketBytes) - 1)];
}

int write_at(int file, const void* from, std::uint64_t size, std::uint64_t at) noexcept {
  int interruptions = 0;  // signals are held back here: interruptions that never end are an error of the system's
  for (std::uint64_t done = 0; done < size;) {
    const ssize_t written =
        ::pwrite(file, static_cast<const std::byte*>(from) + done, size - done, static_cast<off_t>(at + done));
    if (written < 0 && (errno != EINTR || ++interruptions == kMostInterruptions)) return errno;
    if (written > 0) done += static_cast<std::uint64_t>(written);
  }
  return 0;
}

// Takes the room for an empty packet. 0, or an errno. Blocks on the disk first, so that a full one is an error here and
// never a SIGBUS in the program; then its pages in memory, by large writes: faulting them in one by one takes three
// times as long (docs/overhead.md). In between the file grows, and has the packet's head at once: others read it, and
// the program may end, at any instant.
int reserve_room(int file, std::uint64_t at, const trace::PacketHead& head) noexcept {
  static std::byte zeros[kStepBytes];  // not const: it then takes no room in the library
  const std::uint64_t size = head.packet_bits / 8;
  if (base::exceeds_file_limit(at + size)) return EFBIG;
  int interruptions = 0;
  while (::fallocate(file, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(at), static_cast<off_t>(size)) != 0) {
    if (errno == EOPNOTSUPP || errno == ENOSYS) break;  // the writes below take the blocks
    if (errno != EINTR || ++interruptions == kMostInterruptions) return errno;
  }
  if (::ftruncate(file, static_cast<off_t>(at + size)) != 0) return errno;
  if (const int error = write_at(file, &head, sizeof head, at)) return error;
  for (std::uint64_t done = sizeof head; done < size;) {
    const std::uint64_t step = std::min(size, (done / kStepBytes + 1) * kStepBytes) - done;
    if (const int error = write_at(file, zeros, step, at + done)) return error;
    done += step;
  }
  return 0;
}

// So that no event of the program meets a page that is not mapped. What lies there stays: one instruction writes it
// back, as a read of its own would be a fault of its own.
void prefault(std::byte* from, std::uint64_t size) noexcept {
  for (std::uint64_t at = 0; at < size; at += 4096)
    __atomic_fetch_or(reinterpret_cast<std::uint32_t*>(from + at), 0, __ATOMIC_RELAXED);
}

// 0, or an errno: EEXIST where `to` is there. Not every file system can do both at once.
int rename_to_new(const std::string& from, const std::string& to) noexcept {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::access(to.c_str(), F_OK) == 0) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

bool ByteBudget::take(std::uint64_t bytes) noexcept {
  const std::uint64_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
  if (limit_ == 0 || before + bytes <= limit_) return true;
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

WorkerStream::WorkerStream(std::uint32_t index, const trace::TraceId& uuid, ByteBudget& budget) noexcept
    : uuid_(uuid), budget_(budget) {
  view_.owner = this;
  view_.index = index;
  view_.clock_is_tsc = base::counter_scale();
}

#ifndef FORETASK_ADDRESS_SANITIZER
void* WorkerStream::operator new(std::size_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  (void)::madvise(memory, bytes, MADV_WIPEONFORK);
  return memory;
}

void WorkerStream::operator delete(void* memory) noexcept { ::munmap(memory, sizeof(WorkerStream)); }
#endif

bool WorkerStream::open(const std::string& path) {
  // Under a hidden name until its first packet has its head: readers take an empty stream for a broken trace, and the
  // program may be killed at any instant.
  const std::size_t name = path.rfind('/') + 1;
  path_ = path.substr(0, name) + "." + path.substr(name);
  if (map_next_packet(O_CREAT | O_EXCL, 0, base::ticks_now())) {
    // Where the disk has failed meanwhile, the packet's memory is not the file's any more.
    error_code_ = stop_reason() == StopReason::kNone ? rename_to_new(path_, path) : EIO;
    if (error_code_ == 0) {
      path_ = path;
      return true;
    }
    stop(StopReason::kCannotMap);
    leave_packet();
  }
  if (made_ != base::FileIdentity()) ::unlink(path_.c_str());
  return false;
}

base::FileDescriptor WorkerStream::open_file(int more_flags) noexcept {
  base::FileDescriptor file(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | more_flags, 0666));
  const auto here = file.is_open() ? base::FileIdentity::of(file.get()) : base::FileIdentity();
  if (here == base::FileIdentity()) {
    error_code_ = errno;
    return {};
  }
  if (made_ == base::FileIdentity()) made_ = here;
  if (here == made_) return file;
  error_code_ = ESTALE;
  return {};
}

void* WorkerStream::map_packet(int more_flags, trace::PacketHead& head) noexcept {
  void* memory = nullptr;
  if (!base::run_aside([&] { memory = map_packet_aside(more_flags, head); })) {
    error_code_ = EAGAIN;
    stop(StopReason::kCannotMap);
  }
  return memory;
}

void* WorkerStream::map_packet_aside(int more_flags, trace::PacketHead& head) noexcept {
  const base::FileDescriptor file = open_file(more_flags);
  if (!file.is_open()) {
    stop(StopReason::kCannotMap);
    return nullptr;
  }
  while (int error = reserve_room(file.get(), file_bytes_, head)) {
    if (::ftruncate(file.get(), static_cast<off_t>(file_bytes_)) != 0) error = errno;
    if (head.packet_bits <= kStepBytes * 8) {
      error_code_ = error;
      stop(StopReason::kNoRoom);
      return nullptr;
    }
    head.packet_bits = kStepBytes * 8;
  }
  void* memory = mmap(nullptr, head.packet_bits / 8, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                      static_cast<off_t>(file_bytes_));
  if (memory != MAP_FAILED) {
    // A forked child must not write into its parent's trace.
    (void)madvise(memory, head.packet_bits / 8, MADV_DONTFORK);
    return memory;
  }
  error_code_ = errno;
  stop(StopReason::kCannotMap);
  if (::ftruncate(file.get(), static_cast<off_t>(file_bytes_)) != 0) error_code_ = errno;
  return nullptr;
}

bool WorkerStream::map_next_packet(int more_flags, std::uint32_t kind, std::uint64_t now) noexcept {
  std::uint64_t bytes = packet_bytes_of(view_.index, sequence_);
  if (!budget_.take(bytes) && (bytes <= kStepBytes || !budget_.take(bytes = kStepBytes))) {
    stop(StopReason::kByteLimit);
    return false;
  }
  trace::PacketHead head = {
      .magic = trace::kPacketMagic,
      .uuid = uuid_,
      .format_version = trace::kFormatVersion,
      .timestamp_begin = now,
      .content_bits = sizeof(trace::PacketHead) * 8,
      .packet_bits = bytes * 8,
      .events_discarded = discarded(),
      .sequence = sequence_,
      .stream = view_.index,
      .first_task = view_.next_task - (trace::creates(kind) == trace::Creates::kTask ? 1 : 0),
      .first_region = view_.next_region - (trace::creates(kind) == trace::Creates::kRegion ? 1 : 0),
      .code_high = view_.code_high,
      .checksum = 0};
  // Before the next packet is there: only the last one of a file may lack it.
  seal_packet();
  void* const memory = map_packet(more_flags, head);
  if (!memory) {
    if (head_) head_->checksum = 0;
    return false;
  }
  leave_packet();
  bytes = head.packet_bits / 8;
  guard_packet(*this, memory, bytes);
  head_ = static_cast<trace::PacketHead*>(memory);
  packet_bytes_ = bytes;
  ready_bytes_ = 0;
  ++sequence_;
  least_bytes_.store(file_bytes_ + sizeof(trace::PacketHead), std::memory_order_relaxed);
  file_bytes_ += bytes;
  if (contraction_) {
    contraction_->keep_started();
    kinds_->note_bytes(budget_.used());
  }
  view_.packet = static_cast<std::uint32_t*>(memory);
  view_.content_bits = &head_->content_bits;
  prefault_step();
  view_.last_ticks = now;
  view_.cursor = view_.packet + sizeof(trace::PacketHead) / 4;
  take_step();
  return true;
}

void WorkerStream::prefault_step() noexcept {
  const std::uint64_t bytes = std::min(packet_bytes_ - ready_bytes_, kStepBytes);
  prefault(reinterpret_cast<std::byte*>(head_) + ready_bytes_, bytes);
  ready_bytes_ += bytes;
}

void WorkerStream::take_step() noexcept {
  // stop() may come in between from another thread, and wins: it writes the reason and then the limit, this writes the
  // limit and then reads the reason, all four in one total order.
  __atomic_store_n(&view_.limit, view_.packet + (ready_bytes_ - FORETASK_MAX_EVENT_BYTES) / 4, __ATOMIC_SEQ_CST);
  if (reason_.load(std::memory_order_seq_cst) != StopReason::kNone)
    __atomic_store_n(&view_.limit, nullptr, __ATOMIC_RELAXED);
}

bool WorkerStream::make_room(std::uint32_t kind, std::uint64_t now) noexcept {
  if (!head_ || ready_bytes_ == packet_bytes_) return map_next_packet(0, kind, now);
  prefault_step();
  take_step();
  return true;
}

void WorkerStream::set_grain(const Grain& grain, TaskKinds& kinds) {
  contraction_ = std::make_unique<SubtreeContraction>(grain, kinds);
  counted_ = std::make_unique<CountedSubtrees>(kinds);
  kinds_ = &kinds;
  view_.started = contraction_->started();
  view_.counted_flags = contraction_->allowed_flags();
  view_.levels = kinds.levels();
  if (grain.counts) view_.short_kinds = kinds.short_kinds();
}

void WorkerStream::contract(const foretask_started_task& started) noexcept {
  if (!head_ || !contraction_ || !contraction_->is_candidate(view_, started)) return;
  const std::uint64_t before = foretask_stream_ticks(&view_);
  contraction_->contract(view_, started);
  const std::uint64_t after = std::max(foretask_stream_ticks(&view_), view_.last_ticks);
  append_tool_time(after, after - std::min(before, after));
}

void WorkerStream::attach_counters(std::unique_ptr<TaskCounters> counters) noexcept {
  counters_ = std::move(counters);
  view_.counters = counters_.get();
}

void WorkerStream::detach_counters() noexcept {
  view_.counters = nullptr;
  counters_.reset();
}

// Others may write to the file: what it says is believed as far as the packet goes.
std::uint64_t WorkerStream::content_bytes() const noexcept {
  return std::min<std::uint64_t>(head_->content_bits / 8, packet_bytes_);
}

void WorkerStream::seal_packet() noexcept {
  if (head_) head_->checksum = trace::checksum_of(head_, content_bytes());
}

void WorkerStream::leave_packet() noexcept {
  if (!head_) return;
  unguard_packet(*this);
  munmap(head_, packet_bytes_);
  head_ = nullptr;
}

void WorkerStream::note_thread(std::int64_t thread) noexcept {
  thread_ = ::sched_getaffinity(0, sizeof affinity_, &affinity_) == 0 ? thread : 0;
}

bool WorkerStream::affinity(cpu_set_t& set) const noexcept {
  if (thread_ == 0) return false;
  if (::sched_getaffinity(static_cast<pid_t>(thread_), sizeof set, &set) != 0) set = affinity_;
  return true;
}

void WorkerStream::stop(StopReason reason) noexcept {
  StopReason none = StopReason::kNone;
  reason_.compare_exchange_strong(none, reason);
  __atomic_store_n(&view_.limit, nullptr, __ATOMIC_SEQ_CST);
}

void WorkerStream::abandon() noexcept {
  view_.started = nullptr;
  reason_.store(StopReason::kForked);
  __atomic_store_n(&view_.limit, nullptr, __ATOMIC_RELAXED);
}

void WorkerStream::close() noexcept {
  stop(StopReason::kClosed);
  view_.started = nullptr;
  if (!head_) return;
  const std::uint64_t used = (content_bytes() + 7) / 8 * 8;
  head_->packet_bits = used * 8;
  const std::uint64_t size = file_bytes_ - packet_bytes_ + used;
  least_bytes_.store(size, std::memory_order_relaxed);
  seal_packet();
  // It stays mapped until the process ends: to unmap one after the other stops the threads that are left each time.
  unguard_packet(*this);
  head_ = nullptr;
  if (stop_reason() == StopReason::kCutShort) return;  // its end is somebody else's
  const base::FileDescriptor file = open_file(0);
  if (file.is_open() && ::ftruncate(file.get(), static_cast<off_t>(size)) != 0) error_code_ = errno;
}

bool WorkerStream::leave() noexcept {
  if (stop_reason() != StopReason::kNone) return false;
  stop(StopReason::kClosed);
  view_.times_due = 0;
  view_.has_next_task = 0;
  return stop_reason() == StopReason::kClosed;
}

void WorkerStream::take_over() noexcept {
  reason_.store(StopReason::kNone);
  if (contraction_) contraction_->keep_started();
  view_.counting = view_.counted_around = nullptr;
  take_step();
}

void WorkerStream::append_tool_time(base::Ticks until, base::Ticks spent) noexcept {
  std::uint32_t* word = view_.cursor;
  if (word >= __atomic_load_n(&view_.limit, __ATOMIC_RELAXED)) return;
  // The stamp may not fit the compact form when the disk was slow.
  if (until - view_.last_ticks >= FORETASK_COMPACT_TICKS) {
    *word++ = FORETASK_EVENT_EXTENDED;
    *word++ = FORETASK_EVENT_TOOL_TIME;
    trace::put_u64(word, until);
  } else {
    *word++ = FORETASK_EVENT_TOOL_TIME | static_cast<std::uint32_t>(until) << 5;
  }
  trace::put_u64(word, spent);
  view_.last_ticks = until;
  foretask_event_publish_(&view_, word);
}

std::uint32_t* WorkerStream::reserve_slow(std::uint32_t kind, std::uint64_t now) noexcept {
  if (stop_reason() != StopReason::kNone) {
    if (stop_reason() == StopReason::kForked || stop_reason() == StopReason::kClosed) return nullptr;
    const std::uint64_t lost = discarded_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (head_) head_->events_discarded = lost;
    return nullptr;
  }
  // A processor whose counter is behind the one that the thread was on before: a stream's stamps never run back.
  now = std::max(now, view_.last_ticks);
  if (view_.cursor >= __atomic_load_n(&view_.limit, __ATOMIC_RELAXED)) {
    if (!make_room(kind, now)) return reserve_slow(kind, now);
    const std::uint64_t after = foretask_stream_ticks(&view_);
    append_tool_time(after, after - now);
    now = foretask_stream_ticks(&view_);
  }
  std::uint32_t* word = view_.cursor;
  if (now - view_.last_ticks >= FORETASK_COMPACT_TICKS || trace::needs_extended_header(kind)) {
    *word++ = FORETASK_EVENT_EXTENDED;
    *word++ = kind;
    trace::put_u64(word, now);
  } else {
    *word++ = kind | static_cast<std::uint32_t>(now) << 5;
  }
  view_.last_ticks = now;
  return word;
}

}  // namespace foretask::runtime
