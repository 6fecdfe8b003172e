// SPDX-License-Identifier: Apache-2.0
#include "runtime/sampling/perf_events.hpp"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "base/number_text.hpp"

namespace foretask::runtime {
namespace {

constexpr std::size_t kLeastBufferBytes = 64 << 10;

// As the system writes a sample of kFields.
struct SampleRecord {
  perf_event_header header;
  std::uint64_t address;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint64_t time_ns;
};
constexpr std::uint64_t kFields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

struct LostRecord {
  perf_event_header header;
  std::uint64_t event;
  std::uint64_t lost;
};

perf_event_attr sampling_of(std::uint32_t period_ns) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = period_ns;
  attributes.sample_type = kFields;
  attributes.exclude_kernel = 1;  // else only a privileged user may
  attributes.exclude_hv = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.inherit = 1;
  attributes.inherit_thread = 1;
  return attributes;
}

int open_event(perf_event_attr& attributes, pid_t thread, int processor) {
  constexpr int kNoGroup = -1;
  const auto open = [&] {
    return static_cast<int>(
        ::syscall(SYS_perf_event_open, &attributes, thread, processor, kNoGroup, PERF_FLAG_FD_CLOEXEC));
  };
  int descriptor = open();
  // Linux before 5.13 samples child processes as well; read() leaves them out.
  if (descriptor < 0 && errno == EINVAL && attributes.inherit_thread != 0) {
    attributes.inherit_thread = 0;
    descriptor = open();
  }
  return descriptor;
}

std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end; at.increment(error))
    if (const auto thread = base::parse_number<pid_t>(at->path().filename().native())) threads.push_back(*thread);
  return threads;
}

}  // namespace

struct PerfEvents::Buffer {
  perf_event_mmap_page* page = nullptr;
  std::size_t bytes = 0;
  int processor = 0;
  int descriptor = -1;  // open until open() returns: the memory keeps its event

  [[nodiscard]] std::uint64_t head() const noexcept {
    // Acquire: pairs with the system's store, after which the records are there.
    return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
  }
  // The system leaves one byte free.
  [[nodiscard]] bool is_full() const noexcept { return head() - page->data_tail + sizeof(SampleRecord) >= bytes; }
};

Result<std::unique_ptr<PerfEvents>> PerfEvents::open(std::uint32_t period_ns, std::size_t buffer_bytes) {
  std::unique_ptr<PerfEvents> events(new PerfEvents);
  perf_event_attr attributes = sampling_of(period_ns);
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto processors = static_cast<int>(::sysconf(_SC_NPROCESSORS_CONF));
  const pid_t own = static_cast<pid_t>(::syscall(SYS_gettid));
  for (const pid_t thread : threads_of_process()) {
    if (thread == own) continue;
    for (int processor = 0; processor < processors; ++processor) {
      const int descriptor = open_event(attributes, thread, processor);
      if (descriptor < 0 && (errno == ENODEV || errno == ESRCH)) continue;  // it is off; the thread has ended
      if (descriptor < 0) return Error{"perf_event_open", "", 0, errno};
      const auto there = std::find_if(events->buffers_.begin(), events->buffers_.end(),
                                      [processor](const Buffer& buffer) { return buffer.processor == processor; });
      if (there != events->buffers_.end()) {
        events->descriptors_.push_back(descriptor);
        if (::ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, there->descriptor) != 0)
          return Error{"perf_event_open's buffer", "", 0, errno};
        continue;
      }
      void* memory = MAP_FAILED;
      std::size_t bytes = 0;
      for (const std::size_t size : {buffer_bytes, kLeastBufferBytes})
        if (memory == MAP_FAILED)
          memory = ::mmap(nullptr, page_bytes + (bytes = size), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
      if (memory == MAP_FAILED) {
        const int error = errno;
        ::close(descriptor);
        return Error{"perf_event_open's buffer", "", 0, error};
      }
      events->buffers_.push_back({static_cast<perf_event_mmap_page*>(memory), bytes, processor, descriptor});
    }
  }
  for (Buffer& buffer : events->buffers_) ::close(std::exchange(buffer.descriptor, -1));
  if (events->buffers_.empty()) return Error{"perf_event_open: no thread to sample", "", 0, 0};
  return events;
}

PerfEvents::~PerfEvents() {
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const Buffer& buffer : buffers_) {
    ::munmap(buffer.page, page_bytes + buffer.bytes);
    if (buffer.descriptor >= 0) ::close(buffer.descriptor);
  }
  for (const int descriptor : descriptors_) ::close(descriptor);
}

void PerfEvents::read(const Buffer& buffer, std::vector<CodeSample>& samples) {
  const auto process = static_cast<std::uint32_t>(::getpid());
  const auto* const data = reinterpret_cast<const std::byte*>(buffer.page) + buffer.page->data_offset;
  const std::uint64_t head = buffer.head();
  std::uint64_t at = buffer.page->data_tail;
  const auto copy_out = [&](std::span<std::byte> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = data[(at + i) % buffer.bytes];
  };
  while (at < head) {
    perf_event_header header{};
    copy_out(std::as_writable_bytes(std::span(&header, 1)));
    if (header.size < sizeof header) break;  // not the system's
    if (header.type == PERF_RECORD_SAMPLE && header.size >= sizeof(SampleRecord)) {
      SampleRecord record{};
      copy_out(std::as_writable_bytes(std::span(&record, 1)));
      if (record.process == process)
        samples.push_back({static_cast<std::int64_t>(record.time_ns), record.address, record.thread});
    } else if (header.type == PERF_RECORD_LOST && header.size >= sizeof(LostRecord)) {
      LostRecord record{};
      copy_out(std::as_writable_bytes(std::span(&record, 1)));
      lost_ += record.lost;
    }
    at += header.size;
  }
  // Release: the records are read before the system may write there.
  __atomic_store_n(&buffer.page->data_tail, head, __ATOMIC_RELEASE);
}

// The system says how many samples found no room with the next one that does: the calling thread works for it.
void PerfEvents::read(std::vector<CodeSample>& samples) {
  constexpr std::int64_t kLongestNs = 50'000'000;
  cpu_set_t before{};
  const bool has_before = ::sched_getaffinity(0, sizeof before, &before) == 0;
  for (const Buffer& buffer : buffers_) {
    const bool was_full = buffer.is_full();
    read(buffer, samples);
    if (!was_full || !has_before) continue;
    cpu_set_t processor{};
    CPU_SET(static_cast<std::size_t>(buffer.processor), &processor);
    if (::sched_setaffinity(0, sizeof processor, &processor) != 0) continue;
    const std::uint64_t head = buffer.head();
    const std::int64_t since = base::monotonic_ns();
    while (buffer.head() == head && base::monotonic_ns() - since < kLongestNs) {
    }
    static_cast<void>(::sched_setaffinity(0, sizeof before, &before));
    read(buffer, samples);
  }
}

}  // namespace foretask::runtime
