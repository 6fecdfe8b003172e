// SPDX-License-Identifier: Apache-2.0
// Which task is counted from when to when, with counters that a test turns by hand.
#include "runtime/recording/task_counters.hpp"

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "catch.hpp"
#include "trace/event_table.hpp"

namespace runtime = foretask::runtime;
namespace trace = foretask::trace;

namespace {

// Two counters: `first` is what the test says, the second one ten times that.
struct Dial {
  std::uint64_t first = 0;
  int reads = 0;
  bool works = true;
};

class HandTurned final : public runtime::ThreadCounters {
 public:
  explicit HandTurned(Dial& dial) : dial_(dial) {}
  bool read(std::uint64_t* values) noexcept override {
    ++dial_.reads;
    values[0] = dial_.first;
    values[1] = dial_.first * 10;
    return dial_.works;
  }

 private:
  Dial& dial_;
};

// A stream in memory, and what was written into it: a line an event.
struct Fixture {
  explicit Fixture(std::uint32_t sampling = 1)
      : counters(std::make_unique<HandTurned>(dial), 2, sampling, failures), words(4096) {
    stream.packet = stream.cursor = words.data();
    stream.limit = words.data() + 3000;
    stream.content_bits = &content_bits;
    stream.clock_is_tsc = foretask::base::counter_scale();
    stream.last_ticks = foretask_stream_ticks(&stream);
    stream.counters = &counters;
  }
  std::vector<std::string> written() {
    std::vector<std::string> lines;
    for (const std::uint32_t* at = words.data(); at < stream.cursor;) {
      const std::uint32_t kind = *at & 31U;
      const std::uint32_t size = trace::kPayloadShapes[kind].size(at + 1);
      std::string line = std::to_string(kind) + ":";
      for (std::uint32_t i = 0; i < size; ++i) line += " " + std::to_string(at[1 + i]);
      lines.push_back(line);
      at += 1 + size;
    }
    return lines;
  }

  Dial dial;
  std::atomic<std::uint32_t> failures{0};
  runtime::TaskCounters counters;
  std::vector<std::uint32_t> words;
  std::uint64_t content_bits = 0;
  foretask_stream stream{};
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("one read ends a task's count and begins the next one's") {
  Fixture f;
  f.counters.switch_to(f.stream, 1);
  f.dial.first = 5;
  f.counters.switch_to(f.stream, 2);
  f.dial.first = 7;
  f.counters.end(f.stream, 0, 1);
  f.dial.first = 100;
  f.counters.end(f.stream, 0, 0);
  CHECK(f.dial.reads == 4);
  CHECK(f.written() == Lines{"30: 0", "30: 2 5 0 50 0", "30: 2 2 0 20 0", "30: 2 93 0 930 0"});
}

TEST_CASE("what is counted while a task waits is not its own") {
  Fixture f;
  f.counters.switch_to(f.stream, 1);
  f.dial.first = 3;
  f.counters.pause(f.stream);
  f.dial.first = 1000;
  f.counters.resume(f.stream, 1);
  f.dial.first = 1004;
  f.counters.end(f.stream, 0, 0);
  CHECK(f.written() == Lines{"30: 0", "30: 2 3 0 30 0", "30: 0", "30: 2 4 0 40 0"});
}

TEST_CASE("a task that ends within another one's wait does not wake that one's count") {
  Fixture f;
  f.counters.switch_to(f.stream, 1);
  f.counters.pause(f.stream);  // a taskwait
  f.counters.switch_to(f.stream, 2);
  f.dial.first = 4;
  f.counters.end(f.stream, 0, 1);
  CHECK(f.dial.reads == 4);
  f.dial.first = 50;
  f.counters.switch_to(f.stream, 3);
  f.dial.first = 51;
  f.counters.end(f.stream, 0, 1);
  f.counters.resume(f.stream, 1);
  // Task 1 used nothing before its wait; tasks 2 and 3 used 4 and 1.
  CHECK(f.written() == Lines{"30: 0", "30: 2 0 0 0 0", "30: 0", "30: 2 4 0 40 0", "30: 0", "30: 2 1 0 10 0", "30: 0"});
}

TEST_CASE("the end of a task that never ran is no end of the running one") {
  Fixture f;
  f.counters.switch_to(f.stream, 1);
  f.dial.first = 5;
  f.counters.end(f.stream, 9, 1);
  CHECK(f.dial.reads == 1);
  f.counters.end(f.stream, 1, 0);
  CHECK(f.written().back() == "30: 2 5 0 50 0");
}

TEST_CASE("of a sample of the tasks the others are not read") {
  Fixture f(8);
  std::uint64_t chosen = 0;
  int reads = 0;
  for (std::uint64_t task = 1; task <= 80'000; ++task) {
    if (f.counters.is_sampled(task)) ++chosen;
    if (task > 100) continue;
    f.counters.switch_to(f.stream, task);
    f.counters.end(f.stream, task, 0);
    if (f.counters.is_sampled(task)) reads += 2;
  }
  // Binomial, 80,000 tries at 1/8: 10,000 with a standard deviation of 94.
  CHECK(chosen > 9'500);
  CHECK(chosen < 10'500);
  CHECK(f.dial.reads == reads);
  CHECK_FALSE(f.counters.is_sampled(0));  // of a task without a name nobody knows
}

TEST_CASE("every kth task of a program is not every kth one counted") {
  // Tasks that alternate between two kernels: a choice of each second one would only see one of them.
  Fixture f(2);
  int even = 0;
  int odd = 0;
  for (std::uint64_t number = 0; number < 2000; ++number)
    if (f.counters.is_sampled(std::uint64_t{1} << 32 | number)) ++(number % 2 == 0 ? even : odd);
  CHECK(even > 400);
  CHECK(odd > 400);
}

TEST_CASE("counters that cannot be read any more are left alone, and it is counted") {
  Fixture f;
  f.counters.switch_to(f.stream, 1);
  f.dial.works = false;
  f.counters.end(f.stream, 0, 0);
  CHECK(f.stream.counters == nullptr);
  CHECK(f.failures == 1);
  CHECK(f.written() == Lines{"30: 0"});
}

TEST_CASE("a stream that has stopped costs no read") {
  Fixture f;
  f.counters.switch_to(f.stream, 1);
  f.stream.limit = nullptr;
  f.counters.end(f.stream, 0, 0);
  f.counters.switch_to(f.stream, 2);
  CHECK(f.dial.reads == 1);
}

TEST_CASE("tasks within tasks beyond a word's bits are counted all the same") {
  Fixture f;
  f.stream.limit = f.words.data() + 4000;
  for (std::uint64_t task = 1; task <= 100; ++task) f.counters.switch_to(f.stream, task);
  f.dial.first = 1;
  for (std::uint64_t task = 100; task >= 1; --task) {
    f.counters.end(f.stream, task, task - 1);
    f.dial.first += 1;
  }
  CHECK(f.dial.reads == 200);
}

TEST_CASE("what is recorded of a task has its counters read just before") {
  Fixture f;
  foretask_stream* const stream = &f.stream;
  const std::uint64_t initial = foretask_record_implicit_begin(stream, 0, 1, 0);
  f.dial.first = 5;
  const std::uint64_t task = foretask_record_task_create(stream, reinterpret_cast<const void*>(16), 0);
  foretask_record_task_switch(stream, task);
  f.dial.first = 7;
  foretask_record_wait_begin(stream, FORETASK_EVENT_WAIT_BEGIN);
  f.dial.first = 9;
  foretask_record_wait_end(stream, FORETASK_EVENT_WAIT_END, 0);
  f.dial.first = 12;
  foretask_record_task_end(stream, initial);
  f.dial.first = 20;
  foretask_record_implicit_end(stream, initial);
  CHECK(f.written() == Lines{"30: 0", "18: 4294967295 4294967295 1 0", "1: 16", "30: 2 5 0 50 0", "3: 1",
                             "30: 2 2 0 20 0", "8:", "30: 0", "9:", "30: 2 3 0 30 0", "5:", "30: 2 8 0 80 0",
                             "19: 0 0"});
}
