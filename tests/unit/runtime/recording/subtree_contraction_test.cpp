// SPDX-License-Identifier: Apache-2.0
// Events with stamps by hand, and what their subtree becomes, counted by hand.
#include "runtime/recording/subtree_contraction.hpp"

#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "catch.hpp"
#include "trace/event_table.hpp"

namespace runtime = foretask::runtime;
namespace trace = foretask::trace;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::int64_t kGrain = 10'000;
constexpr std::uint32_t kCode = 0x1000;
constexpr std::uint32_t kOtherCode = 0x2000;

// A stream in memory, on which task 7 has just been created.
class Stream {
 public:
  explicit Stream(const runtime::Grain& grain = {.ticks = kGrain})
      : kinds_(grain.ticks), contraction_(grain, kinds_), words_(1 << 16) {
    view_.packet = words_.data();
    view_.cursor = words_.data() + 22;
    view_.content_bits = &content_bits_;
    view_.clock_is_tsc = foretask::base::counter_scale();
    view_.next_task = 8;
    view_.code_high = 1;
    view_.started = contraction_.started();
  }

  void event(std::uint32_t at, std::uint32_t kind, const Words& payload = {}) {
    if (trace::needs_extended_header(kind)) {
      for (const std::uint32_t word : {31U, kind, at, 0U}) *view_.cursor++ = word;
    } else {
      *view_.cursor++ = kind | at << 5;
    }
    for (const std::uint32_t word : payload) *view_.cursor++ = word;
    view_.last_ticks = at;
  }
  std::uint32_t create(std::uint32_t at, std::uint32_t code = kCode) {
    event(at, FORETASK_EVENT_TASK_CREATE, {code});
    return view_.next_task++;
  }
  void begin(std::uint32_t at, std::uint32_t task) {
    started_.push_back({view_.cursor, view_.next_task, view_.code_high});
    event(at, FORETASK_EVENT_TASK_SWITCH_OWN, {task});
  }
  void end(std::uint32_t at) {
    event(at, FORETASK_EVENT_TASK_END);
    const foretask_started_task started = started_.back();
    started_.pop_back();
    view_.started_count = static_cast<std::uint32_t>(started_.size());
    if (contraction_.is_candidate(view_, started)) contraction_.contract(view_, started);
  }
  // Tasks of nothing else, one after the other, each within its creation.
  std::uint32_t leaves(std::uint32_t at, int count) {
    for (int i = 0; i < count; ++i, at += 10) {
      begin(at + 2, create(at));
      end(at + 8);
    }
    return at;
  }

  struct Event {
    std::uint32_t kind;
    Words payload;
  };
  [[nodiscard]] std::vector<Event> events() const {
    std::vector<Event> events;
    for (const std::uint32_t* word = words_.data() + 22; word != view_.cursor;) {
      const std::uint32_t kind = (*word & 31) == FORETASK_EVENT_EXTENDED ? word[1] : *word & 31;
      const std::uint32_t* const payload = word + ((*word & 31) == FORETASK_EVENT_EXTENDED ? 4 : 1);
      word = payload + trace::kPayloadShapes[kind].size(payload);
      events.push_back({kind, Words(payload, word)});
    }
    return events;
  }
  [[nodiscard]] std::vector<std::uint32_t> kinds() const {
    std::vector<std::uint32_t> kinds;
    for (const Event& event : events()) kinds.push_back(event.kind);
    return kinds;
  }

  foretask_stream& view() { return view_; }
  runtime::SubtreeContraction& contraction() { return contraction_; }

 private:
  runtime::TaskKinds kinds_;
  runtime::SubtreeContraction contraction_;
  std::vector<std::uint32_t> words_;
  std::uint64_t content_bits_ = 0;
  foretask_stream view_{};
  std::vector<foretask_started_task> started_;
};

const std::vector<std::uint32_t> kContracted = {FORETASK_EVENT_TASK_SWITCH_OWN, FORETASK_EVENT_SUBTREE,
                                                FORETASK_EVENT_TASK_END};

}  // namespace

TEST_CASE("a task that has waited for two others becomes one event") {
  Stream stream;
  stream.begin(100, 7);
  const std::uint32_t first = stream.create(110);
  const std::uint32_t second = stream.create(130, kOtherCode);
  stream.event(150, FORETASK_EVENT_WAIT_BEGIN);
  stream.begin(160, second);
  stream.end(200);
  stream.begin(215, first);
  stream.end(300);
  stream.event(320, FORETASK_EVENT_WAIT_END);
  stream.end(350);
  CHECK(stream.kinds() == kContracted);
  const Words subtree = stream.events()[1].payload;
  REQUIRE(subtree.size() == 7 + 2 * 4);
  // The root runs for 50 and 30, its tasks for 85 and 40. One comes after 10 of the root, the other after 30.
  CHECK(subtree[0] == 10 + 85 + 30);
  CHECK(subtree[1] == 10 + 15 + 20);  // between tasks
  CHECK(subtree[2] == 0);
  CHECK(subtree[3] == 1);
  CHECK(subtree[4] == 0);
  CHECK(subtree[5] == 0);
  CHECK(Words(subtree.begin() + 7, subtree.begin() + 11) == Words{kCode, 1, 1, 85});
  CHECK(Words(subtree.begin() + 11, subtree.end()) == Words{kOtherCode, 1, 1, 40});
  CHECK(stream.view().next_task == 8);
}

TEST_CASE("a task that runs within its creation begins with the runtime's time") {
  Stream stream;
  stream.begin(100, 7);
  stream.begin(117, stream.create(110));
  stream.end(140);
  stream.event(150, FORETASK_EVENT_WAIT_BEGIN);
  stream.event(155, FORETASK_EVENT_WAIT_END);
  stream.end(170);
  const Words subtree = stream.events()[1].payload;
  CHECK(subtree[0] == 10 + 23 + 15);
  CHECK(subtree[1] == 7 + 5);
  CHECK(subtree[10] == 23);
}

TEST_CASE("what is contracted within a subtree is counted in it") {
  Stream stream;
  stream.begin(100, 7);
  const std::uint32_t inner = stream.create(110);
  stream.begin(120, inner);
  CHECK(stream.leaves(130, 5) == 180);
  stream.end(190);
  stream.event(195, FORETASK_EVENT_GROUP_BEGIN);
  CHECK(stream.leaves(200, 3) == 230);
  stream.event(231, FORETASK_EVENT_GROUP_WAIT);
  stream.event(235, FORETASK_EVENT_GROUP_END);
  stream.end(240);
  CHECK(stream.kinds() == kContracted);
  const Words subtree = stream.events()[1].payload;
  CHECK(subtree[4] == 1);
  REQUIRE(subtree[6] == 1);
  CHECK(Words(subtree.begin() + 7, subtree.begin() + 10) == Words{kCode, 1, 9});
}

TEST_CASE("a task that takes a grain, without what its events cost, stays as it is") {
  const auto kinds = [](std::int64_t grain, std::int64_t event) {
    Stream stream({.ticks = grain, .event_ticks = event});
    stream.begin(0, 7);
    const std::uint32_t at = stream.leaves(10, 20);
    stream.end(at + 790);
    return stream.kinds().size();
  };
  constexpr std::size_t kAll = 2 + 20 * 3;
  CHECK(kinds(1000, 0) == kAll);
  CHECK(kinds(1001, 0) == kContracted.size());
  CHECK(kinds(1000, 1) == kContracted.size());  // three events a task
  CHECK(kinds(940, 1) == kAll);
}

TEST_CASE("a task that has not waited for all that it made, or of which another thread ran a part, stays as it is") {
  Stream open;
  open.begin(100, 7);
  static_cast<void>(open.create(110));
  open.end(150);
  CHECK(open.kinds() == Words{FORETASK_EVENT_TASK_SWITCH_OWN, FORETASK_EVENT_TASK_CREATE, FORETASK_EVENT_TASK_END});
  CHECK(open.view().next_task == 9);

  Stream foreign;
  foreign.begin(100, 7);
  const std::uint32_t child = foreign.create(110);
  foreign.begin(120, child);
  foreign.event(130, FORETASK_EVENT_LOCK_WAIT, {1, 0, 5});
  foreign.end(140);
  foreign.end(150);
  CHECK(foreign.kinds().size() == 6);

  Stream stranger;
  stranger.begin(100, 7);
  stranger.event(120, FORETASK_EVENT_TASK_SWITCH, {3, 4});
  stranger.event(140, FORETASK_EVENT_TASK_END);
  stranger.end(150);
  CHECK(stranger.kinds().size() == 4);
}

TEST_CASE("a wait that began before the task went on here stays") {
  Stream wait;
  wait.begin(100, 7);
  wait.begin(117, wait.create(110));
  wait.end(140);
  wait.event(155, FORETASK_EVENT_WAIT_END);
  wait.end(170);
  CHECK(wait.kinds().size() == 6);

  Stream group;
  group.begin(100, 7);
  group.begin(117, group.create(110));
  group.end(140);
  group.event(150, FORETASK_EVENT_GROUP_WAIT);
  group.event(155, FORETASK_EVENT_GROUP_END);
  group.end(170);
  CHECK(group.kinds().size() == 7);
}

TEST_CASE("a task that takes longer than a compact stamp tells is not taken for a short one") {
  Stream stream;
  stream.begin(100, 7);
  stream.begin(117, stream.create(110));
  stream.end(140);
  foretask_stream& view = stream.view();
  for (const std::uint32_t word : {31U, std::uint32_t{FORETASK_EVENT_WAIT_BEGIN}, 150U, 1U}) *view.cursor++ = word;
  stream.event(155, FORETASK_EVENT_WAIT_END);
  stream.end(170);
  CHECK(stream.kinds().size() == 7);
}

TEST_CASE("what holds a lock keeps the events of all that it is within") {
  Stream stream;
  foretask_started_task* const started = stream.contraction().started();
  started[0] = {stream.view().cursor, 8, 1};
  stream.begin(100, 7);
  stream.event(110, FORETASK_EVENT_LOCK_ACQUIRED, {1, 0});
  stream.event(120, FORETASK_EVENT_LOCK_RELEASED, {1, 0});
  stream.end(140);
  CHECK(started[0].event == nullptr);
}

TEST_CASE("a subtree of more kernels than its event has room for stays") {
  const auto made_of = [](std::uint32_t kernels) {
    Stream stream;
    stream.begin(0, 7);
    for (std::uint32_t kernel = 0; kernel < kernels; ++kernel) {
      stream.begin(20 * kernel + 12, stream.create(20 * kernel + 10, 0x100 * (kernel + 1)));
      stream.end(20 * kernel + 20);
    }
    stream.end(400);
    return stream.kinds();
  };
  CHECK(made_of(FORETASK_KERNELS_PER_SUBTREE) == kContracted);
  CHECK(made_of(FORETASK_KERNELS_PER_SUBTREE + 1).size() == 2 + 3 * (FORETASK_KERNELS_PER_SUBTREE + 1));
}

TEST_CASE("an untied task that gives itself back to the runtime before it begins becomes one event as well") {
  Stream stream;
  stream.begin(100, 7);
  const std::uint32_t first = stream.create(110);
  const std::uint32_t second = stream.create(120);
  stream.event(150, FORETASK_EVENT_WAIT_BEGIN);
  stream.event(160, FORETASK_EVENT_TASK_SWITCH_OWN, {second});
  stream.event(163, FORETASK_EVENT_TASK_SWITCH_OWN, {7});
  stream.begin(175, second);
  stream.event(180, FORETASK_EVENT_TASK_SWITCH_OWN, {first});  // as where it makes tasks, and each runs at once
  stream.event(184, FORETASK_EVENT_TASK_SWITCH_OWN, {second});
  stream.begin(186, first);
  stream.end(200);
  stream.end(230);
  stream.event(240, FORETASK_EVENT_WAIT_END);
  stream.end(250);
  CHECK(stream.kinds() == kContracted);
  const Words subtree = stream.events()[1].payload;
  CHECK(subtree[1] == 10 + 12 + 2 + 10);
  CHECK(Words(subtree.begin() + 9, subtree.end()) == Words{2, 3 + 5 + 4 + 14 + 30});
}

TEST_CASE("a task that is left in its midst keeps its events, and what is around it") {
  Stream stream;
  stream.begin(100, 7);
  const std::uint32_t task = stream.create(110);
  stream.begin(120, task);
  static_cast<void>(stream.create(130));
  stream.event(140, FORETASK_EVENT_TASK_SWITCH_OWN, {7});
  stream.event(150, FORETASK_EVENT_TASK_SWITCH_OWN, {task});
  stream.begin(160, task + 1);
  stream.end(170);
  stream.end(180);
  stream.end(190);
  CHECK(stream.kinds().size() == 10);
}

TEST_CASE("an untied task stays where another thread may have begun it") {
  const bool has_untied = GENERATE(false, true);
  Stream stream({.ticks = kGrain, .has_untied = has_untied});
  stream.begin(100, 7);
  stream.event(110, FORETASK_EVENT_TASK_CREATE_FLAGGED, {kCode, FORETASK_TASK_UNTIED});
  stream.begin(117, stream.view().next_task++);
  stream.end(140);
  stream.end(170);
  CHECK(stream.kinds().size() == (has_untied ? 3 : 5));
}

TEST_CASE("what waits for a task that another thread runs stays, and what is around it") {
  Stream stream;
  stream.contraction().started()[0] = {stream.view().cursor, 8, 1};
  stream.begin(100, 7);
  static_cast<void>(stream.create(105));
  stream.begin(117, stream.create(110));
  stream.end(140);
  stream.event(150, FORETASK_EVENT_WAIT_BEGIN);
  stream.event(155, FORETASK_EVENT_WAIT_END);
  stream.end(170);
  CHECK(stream.kinds().size() == 8);
  CHECK(stream.contraction().started()[0].event == nullptr);
}

TEST_CASE("words that are no events are not read as such") {
  for (const Words& words :
       {Words{31, 1000, 0, 0}, Words{31, FORETASK_EVENT_SUBTREE, 0, 0, 1, 1, 1, 1, 1, 1, 0xffffffff},
        Words{FORETASK_EVENT_TASK_COUNTERS, 0xffffffff}, Words{31}}) {
    Stream stream;
    stream.begin(100, 7);
    for (const std::uint32_t word : words) *stream.view().cursor++ = word;
    stream.event(170, FORETASK_EVENT_TASK_END);
    foretask_stream& view = stream.view();
    std::uint32_t* const end = view.cursor;
    stream.contraction().contract(view, {view.packet + 22, 8, 1});
    CHECK(view.cursor == end);
  }
}

TEST_CASE("where codes lie far from each other they are told whole") {
  Stream stream;
  stream.begin(0, 7);
  stream.event(10, FORETASK_EVENT_TASK_CREATE_FAR, {kCode, 5});
  stream.view().code_high = 5;
  const std::uint32_t child = stream.view().next_task++;
  stream.begin(12, child);
  stream.end(20);
  stream.end(30);
  const Words subtree = stream.events()[1].payload;
  CHECK(Words(subtree.begin() + 7, subtree.begin() + 10) == Words{kCode, 5, 1});
  CHECK(stream.view().code_high == 1);
}

TEST_CASE("the grain grows with the recording, as often as its bytes have room for") {
  runtime::TaskKinds kinds(1000);
  const auto grain_at = [&](std::uint64_t bytes) {
    kinds.note_bytes(bytes);
    return kinds.grain_ticks();
  };
  constexpr std::uint64_t kBytes = runtime::TaskKinds::kBytesOfGrain;
  CHECK(grain_at(0) == 1000);
  CHECK(grain_at(2 * kBytes - 1) == 1000);
  CHECK(grain_at(2 * kBytes) == 2000);
  CHECK(grain_at(50 * kBytes) == 50'000);
  CHECK(kinds.is_long(40'000));  // four fifths
  CHECK_FALSE(kinds.is_long(39'999));
}

TEST_CASE("a subtree that tells for sixteen makes its kind short, and as many long ones undo it") {
  runtime::TaskKinds kinds(1000);
  constexpr std::uint32_t kKind = FORETASK_ID_LEVELS;  // the first code's, at level 0
  kinds.note(kKind, 10, 1, 1, runtime::TaskKinds::kOneNotedIn);
  CHECK(kinds.short_kinds()[kKind] == 1);
  CHECK_FALSE(kinds.is_known(kKind));
  for (int i = 0; i < 7; ++i) kinds.note(kKind, 10, 1, 1, runtime::TaskKinds::kOneNotedIn);
  CHECK(kinds.is_known(kKind));  // 128
  for (int i = 0; i < 14; ++i) kinds.note_long(kKind);
  CHECK(kinds.short_kinds()[kKind] == 1);  // 14 of 142 are fewer than one in ten
  kinds.note_long(kKind);
  CHECK(kinds.short_kinds()[kKind] == 0);
}
