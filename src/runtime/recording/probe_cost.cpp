// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/probe_cost.hpp"

#include <array>
#include <vector>

#include "base/clock.hpp"
#include "trace/event_table.hpp"

namespace foretask::runtime {
namespace {

constexpr int kBatches = 31;
constexpr int kEventsABatch = 128;
constexpr std::uint32_t kUsualDependences = 2;
constexpr std::size_t kScratchWords = std::size_t{kEventsABatch} * FORETASK_MAX_EVENT_BYTES / 4;

// Of one item where the payload has a list.
void append_payload(foretask_stream* stream, std::uint32_t kind) {
  std::uint32_t* word = trace::needs_extended_header(kind) ? foretask_event_begin_extended_(stream, kind)
                                                           : foretask_event_begin_(stream, kind);
  if (!word) return;
  const trace::PayloadShape shape = trace::kPayloadShapes[kind];
  const std::uint32_t words = shape.head_words + shape.item_words;
  for (std::uint32_t i = 0; i < words; ++i) *word++ = 1;
  foretask_event_end_(stream, word);
}

// Not inlined, as a hook's callback is not: the call is part of the cost.
__attribute__((noinline)) void append(foretask_stream* stream, std::uint32_t kind, std::uint32_t words) {
  if (trace::needs_extended_header(kind)) return append_payload(stream, kind);
  switch (kind) {
    case FORETASK_EVENT_TASK_CREATE:
      (void)foretask_record_task_create(stream, reinterpret_cast<const void*>(&append), 0);
      return;
    case FORETASK_EVENT_TASK_SWITCH_OWN:
      foretask_record_task_switch(stream, foretask_name_(stream, words));
      return;
    case FORETASK_EVENT_TASK_END:
      foretask_record_task_end(stream, 0);
      return;
    case FORETASK_EVENT_TASK_COUNTERS:
      append_payload(stream, kind);
      return;
    case FORETASK_EVENT_DEPENDENCES: {
      const std::uint64_t addresses[kUsualDependences] = {1, 2};
      const std::uint32_t kinds[kUsualDependences] = {FORETASK_DEPENDENCE_IN, FORETASK_DEPENDENCE_INOUT};
      foretask_record_dependences(stream, addresses, kinds, kUsualDependences);
      return;
    }
    default:
      break;
  }
  switch (words) {
    case 0:
      foretask_record_0_(stream, kind);
      return;
    case 1:
      foretask_record_1_(stream, kind, 0);
      return;
    case 2:
      foretask_record_2_(stream, kind, 0, 0);
      return;
    case 3:
      foretask_record_lock_wait(stream, 0, 0);
      return;
    default:
      (void)foretask_record_implicit_begin(stream, 0, 1, 0);
      return;
  }
}

// In ticks, of one call of `append`.
template <typename Append>
double measure(foretask_stream& stream, std::uint32_t* scratch, Append append) {
  std::array<double, kBatches> ticks{};
  for (double& batch : ticks) {
    stream.cursor = scratch;
    stream.last_ticks = foretask_stream_ticks(&stream);
    const base::Ticks from = base::ticks_now();
    for (int i = 0; i < kEventsABatch; ++i) append();
    const base::Ticks to = base::ticks_now();
    batch = static_cast<double>(to - from) / kEventsABatch;
  }
  return statistics::quantile_in_place(ticks, 0.5);
}

// A task that is counted, from its creation to its end.
__attribute__((noinline)) void count_task(foretask_stream* stream) {
  const std::uint64_t task = foretask_record_task_create(stream, nullptr, 0);
  stream->counting->until_look = 2;
  foretask_record_task_switch(stream, task);
  foretask_record_task_end(stream, 0);
}

double measure_counting(foretask_stream& stream, std::uint32_t* scratch) {
  foretask_counting counting{};
  counting.name = FORETASK_ID_COUNTED;
  stream.counting = &counting;
  stream.codes[0] = {.code = nullptr, .number = 1};  // the events before may have been of another code in its place
  const double ticks = measure(stream, scratch, [&] { count_task(&stream); });
  stream.counting = nullptr;
  return ticks;
}

}  // namespace

trace::ProbeCosts measure_probe_costs(double ticks_per_second, bool contracts) {
  std::vector<std::uint32_t> scratch(kScratchWords + FORETASK_MAX_EVENT_BYTES);
  std::uint64_t content_bits = 0;
  foretask_stream stream{};
  stream.packet = scratch.data();
  stream.limit = scratch.data() + kScratchWords;
  stream.content_bits = &content_bits;
  stream.clock_is_tsc = base::counter_scale();
  std::vector<foretask_started_task> started(FORETASK_STARTED_TASKS);
  const std::array<std::uint8_t, FORETASK_ID_CODES> levels{};
  if (contracts) stream.started = started.data();
  stream.levels = levels.data();
  trace::ProbeCosts costs{};
  for (const trace::EventDescription& event : trace::kEvents) {
    const std::uint32_t words = trace::kPayloadShapes[event.kind].head_words;
    const double ticks = event.kind == FORETASK_EVENT_SUBTREE && contracts
                             ? measure_counting(stream, scratch.data())
                             : measure(stream, scratch.data(), [&] { append(&stream, event.kind, words); });
    costs[event.kind] = ticks / ticks_per_second * 1e9;
  }
  return costs;
}

}  // namespace foretask::runtime
