// SPDX-License-Identifier: Apache-2.0
// The kernel's own events through PAPI, held against what the kernel says of the thread by other ways.
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "catch.hpp"
#include "runtime/counters/counter_source.hpp"
#include "skip.hpp"

namespace runtime = foretask::runtime;

namespace {

std::int64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

rusage thread_usage() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

void spin_ns(std::int64_t ns) {
  const std::int64_t until = thread_cpu_ns() + ns;
  while (thread_cpu_ns() < until) {
  }
}

// One page a fault: nothing of the heap is there by then.
void touch_pages(std::size_t pages) {
  void* const memory = mmap(nullptr, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
  for (std::size_t page = 0; page < pages; ++page) static_cast<volatile char*>(memory)[page * 4096] = 1;
  munmap(memory, pages * 4096);
}

std::vector<int> perf_files_without_cloexec() {
  std::vector<int> found;
  DIR* const folder = ::opendir("/proc/self/fd");
  while (const dirent* const entry = ::readdir(folder)) {
    std::array<char, 64> target{};
    const ssize_t size = ::readlinkat(::dirfd(folder), entry->d_name, target.data(), target.size());
    const int number = std::atoi(entry->d_name);
    if (size > 0 &&
        std::string_view(target.data(), static_cast<std::size_t>(size)).find("perf_event") != std::string_view::npos &&
        (::fcntl(number, F_GETFD) & FD_CLOEXEC) == 0)
      found.push_back(number);
  }
  ::closedir(folder);
  return found;
}

// The kernel's three.
std::unique_ptr<runtime::CounterSource> software_events() {
  return runtime::open_counter_source({"perf::TASK-CLOCK", "perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES"});
}

// Why this machine does not give all that were asked for; empty where it does.
std::string missing(const runtime::CounterSource& source) {
  for (const foretask::trace::Counter& counter : source.statuses())
    if (counter.status != foretask::trace::kCounterOk) return counter.name + ": " + counter.reason;
  return {};
}

}  // namespace

TEST_CASE("the kernel's events are what the kernel says of the thread by other ways") {
  const auto source = software_events();
  if (const std::string reason = missing(*source); !reason.empty()) FORETASK_SKIP(reason);
  const auto counters = source->open_thread();
  REQUIRE(counters);
  std::array<std::uint64_t, 3> before{};
  std::array<std::uint64_t, 3> after{};
  const rusage usage_before = thread_usage();
  const std::int64_t cpu_before = thread_cpu_ns();
  REQUIRE(counters->read(before.data()));
  spin_ns(20'000'000);
  touch_pages(300);
  for (int i = 0; i < 5; ++i) ::usleep(1000);
  REQUIRE(counters->read(after.data()));
  const std::int64_t cpu = thread_cpu_ns() - cpu_before;
  const rusage usage_after = thread_usage();
  CHECK(static_cast<double>(after[0] - before[0]) == Approx(static_cast<double>(cpu)).epsilon(0.05));
  const auto faults = static_cast<std::uint64_t>(usage_after.ru_minflt - usage_before.ru_minflt);
  CHECK(after[1] - before[1] >= 300);
  CHECK(after[1] - before[1] <= faults);
  CHECK(faults <= after[1] - before[1] + 20);  // those that the kernel itself meets are not counted
  const auto switches = static_cast<std::uint64_t>(usage_after.ru_nvcsw - usage_before.ru_nvcsw +
                                                   usage_after.ru_nivcsw - usage_before.ru_nivcsw);
  // Events of the kernel's, which a count of user mode alone would show as none.
  CHECK(after[2] - before[2] >= 5);
  CHECK(after[2] - before[2] <= switches + 1);
}

TEST_CASE("threads are counted apart") {
  const auto source = software_events();
  if (const std::string reason = missing(*source); !reason.empty()) FORETASK_SKIP(reason);
  const auto own = source->open_thread();
  REQUIRE(own);
  std::array<std::uint64_t, 3> before{};
  std::array<std::uint64_t, 3> after{};
  std::array<std::uint64_t, 3> other{};
  REQUIRE(own->read(before.data()));
  std::thread([&] {
    const auto counters = source->open_thread();
    if (!counters) return;
    touch_pages(500);
    (void)counters->read(other.data());
  }).join();
  REQUIRE(own->read(after.data()));
  CHECK(other[1] >= 500);
  CHECK(after[1] - before[1] < 250);
}

TEST_CASE("what a read counts of itself is known") {
  const auto source = software_events();
  if (const std::string reason = missing(*source); !reason.empty()) FORETASK_SKIP(reason);
  CHECK(source->statuses()[0].per_read > 10);  // a system call's time, in ns
  CHECK(source->statuses()[0].per_read < 100'000);
  CHECK(source->statuses()[1].per_read == 0);
}

TEST_CASE("the program's children inherit no counter, and no standard stream becomes one") {
  if (const std::string reason = missing(*software_events()); !reason.empty()) FORETASK_SKIP(reason);
  const int kept = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);
  ::close(STDIN_FILENO);
  {
    const auto source = software_events();
    const auto counters = source->open_thread();
    CHECK(counters);
    CHECK(::fcntl(STDIN_FILENO, F_GETFD) == -1);
    CHECK(perf_files_without_cloexec().empty());
  }
  if (kept >= 0) {
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
  }
}

TEST_CASE("hundreds of threads come and go") {
  const auto source = software_events();
  if (const std::string reason = missing(*source); !reason.empty()) FORETASK_SKIP(reason);
  int counted = 0;
  for (int i = 0; i < 300; ++i) {
    std::thread([&] {
      const auto own = source->open_thread();
      std::array<std::uint64_t, 3> values{};
      if (own && own->read(values.data())) ++counted;
    }).join();
  }
  CHECK(counted == 300);
}
