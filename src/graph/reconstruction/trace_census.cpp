// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/trace_census.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "trace/event_table.hpp"

namespace foretask::graph {
namespace {

// When and by how many the number of threads at work changed.
struct Change {
  std::uint64_t ticks;
  std::int64_t initial = 0;  // threads outside of teams
  std::int64_t forked = 0;   // further ones of teams that a thread forked
  std::int64_t own = 0;      // those of teams beside the thread that submits their tasks
};

using RegionName = std::pair<std::uint32_t, std::uint32_t>;  // stream, number

struct RegionTimes {
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  std::uint32_t team_size = 1;
  bool has_submitter = false;
};

std::uint32_t most_at_once(std::vector<Change> changes) {
  const auto sum = [](const Change& one) { return one.initial + one.forked + one.own; };
  std::sort(changes.begin(), changes.end(),
            [&](const Change& a, const Change& b) { return a.ticks != b.ticks ? a.ticks < b.ticks : sum(a) < sum(b); });
  Change now{};
  std::int64_t most = 1;
  for (const Change& change : changes) {
    now.initial += change.initial;
    now.forked += change.forked;
    now.own += change.own;
    // Beside a team that runs tasks the threads that submit them are no workers.
    most = std::max(most, now.forked + (now.own > 0 ? now.own : now.initial));
  }
  return static_cast<std::uint32_t>(most);
}

class Census {
 public:
  explicit Census(std::size_t streams) { result_.streams.resize(streams); }

  void read(std::uint32_t index, trace::StreamReader& stream, const std::function<void(std::uint64_t)>& on_bytes) {
    StreamCensus& census = result_.streams[index];
    trace::Event event;
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t last = 0;
    std::uint64_t initial_since = 0;
    std::int64_t open_regions = 0;
    CoreTimesReader core_times;
    while (stream.next(event)) {
      core_times.add(event);
      if (packets != stream.packets_read()) {
        packets = stream.packets_read();
        // Creations that were lost keep their numbers. A damaged count may claim billions: it is believed as far as
        // the stream could hold so many.
        const trace::PacketHead& head = stream.head();
        const std::uint64_t possible = stream.size_bytes() / kCreationBytes;
        if (head.first_task <= possible) census.tasks = std::max(census.tasks, head.first_task);
        if (head.first_region <= possible) census.regions = std::max(census.regions, head.first_region);
        on_bytes(stream.position_bytes() - bytes);
        bytes = stream.position_bytes();
        result_.first_ticks = std::min(result_.first_ticks, event.ticks);
      }
      // When it was written is no time of the program's.
      if (event.kind == FORETASK_EVENT_CODE_SAMPLE) continue;
      last = std::max(last, event.ticks);
      ++result_.events;
      const trace::Creates created = trace::creates(event.kind);
      if (created == trace::Creates::kTask) ++census.tasks;
      if (created == trace::Creates::kRegion) {
        ++census.regions;
        ++open_regions;
        result_.last_use_ticks = std::max(result_.last_use_ticks, event.ticks);
      }
      switch (event.kind) {
        case FORETASK_EVENT_REGION_END: {
          --open_regions;
          regions_[{event.payload[1], event.payload[0]}].end = event.ticks;
          break;
        }
        case FORETASK_EVENT_IMPLICIT_BEGIN: {
          if (event.payload[0] == FORETASK_INITIAL_REGION) {
            initial_since = event.ticks;
            result_.last_use_ticks = std::max(result_.last_use_ticks, event.ticks);
            if (census.initial_ticks == 0) census.initial_ticks = event.ticks;
            changes_.push_back({.ticks = event.ticks, .initial = 1});
            break;
          }
          RegionTimes& region = regions_[{event.payload[1], event.payload[0]}];
          region.begin = std::min(region.begin, event.ticks);
          // A later member may know of a larger team.
          region.team_size = std::max(region.team_size, std::clamp(event.payload[2], 1U, 1U << 16));
          if (event.payload[3] == FORETASK_RUNS_NO_TASKS) region.has_submitter = true;
          break;
        }
        case FORETASK_EVENT_THREAD_BEGIN:
          if (census.thread == 0) census.thread = event.payload[0];
          // The end of the thread before may be lost.
          if (initial_since != 0) changes_.push_back({.ticks = event.ticks, .initial = -1});
          initial_since = 0;
          open_regions = 0;
          break;
        case FORETASK_EVENT_THREAD_END:
          if (initial_since != 0) changes_.push_back({.ticks = event.ticks, .initial = -1});
          initial_since = 0;
          break;
        case FORETASK_EVENT_INTEREST:
          if (event.ticks < result_.interest_ticks) {
            result_.interest_ticks = event.ticks;
            result_.interest_begins = event.payload[0] != 0;
          }
          break;
        case FORETASK_EVENT_CANCEL:
          result_.says_who_cancels = true;
          break;
        default:
          break;
      }
    }
    if (initial_since != 0 && open_regions > 0) ++unended_;
    if (initial_since != 0 && open_regions <= 0) changes_.push_back({.ticks = last, .initial = -1});
    census.core_times = core_times.finish();
    result_.core_wait_ticks += core_times.waited_ticks();
    result_.last_ticks = std::max(result_.last_ticks, last);
  }

  TraceCensus finish() {
    for (const auto& [name, region] : regions_) {
      if (region.begin > result_.last_ticks) continue;
      const std::uint64_t end = region.end != 0 ? region.end : result_.last_ticks;
      const std::int64_t size = region.team_size;
      // Of a team that a thread forked that one is counted where it came from.
      if (region.has_submitter) {
        changes_.push_back({.ticks = region.begin, .own = size});
        changes_.push_back({.ticks = end, .own = -size});
      } else {
        changes_.push_back({.ticks = region.begin, .forked = size - 1});
        changes_.push_back({.ticks = end, .forked = 1 - size});
      }
    }
    // Of a killed program: a thread that is in a region it forked was there to the end, heard of or not.
    changes_.push_back({.ticks = result_.last_ticks, .initial = -unended_});
    result_.workers = most_at_once(std::move(changes_));
    return std::move(result_);
  }

 private:
  static constexpr std::uint64_t kCreationBytes = 8;

  TraceCensus result_;
  std::int64_t unended_ = 0;  // initial tasks, in regions that they forked
  std::map<RegionName, RegionTimes> regions_;
  std::vector<Change> changes_;
};

}  // namespace

TraceCensus take_census(std::vector<trace::StreamReader>& streams, const std::function<void(std::uint64_t)>& on_bytes) {
  Census census(streams.size());
  for (std::uint32_t index = 0; index < streams.size(); ++index) census.read(index, streams[index], on_bytes);
  return census.finish();
}

}  // namespace foretask::graph
