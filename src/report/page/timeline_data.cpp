// SPDX-License-Identifier: Apache-2.0
#include "report/page/timeline_data.hpp"

#include <limits>
#include <numeric>

namespace foretask::report {
namespace {

// By worker, each begin as its distance from the end before: small numbers, which compress well.
template <typename Add>
Json by_worker(const TimelineData& data, const std::vector<TimelineStrand>& all, const Add& add) {
  Json rows = Json::array();
  for (std::uint32_t worker = 0; worker < data.workers; ++worker)
    rows.push_back({{"gap", Json::array()}, {"length", Json::array()}});
  std::vector<std::int64_t> last_ns(data.workers, data.from_ns);
  for (const TimelineStrand& one : all) {
    Json& row = rows[one.worker];
    row["gap"].push_back(one.begin_ns - last_ns[one.worker]);
    row["length"].push_back(one.length_ns());
    add(row, one);
    last_ns[one.worker] = one.end_ns;
  }
  return rows;
}

Json bins_json(const TimelineData& data) {
  const TimelineBins& bins = *data.bins;
  Json rows = Json::array();
  for (std::size_t first = 0; first < bins.busy_ns.size(); first += bins.count) {
    Json busy = Json::array();
    Json kernel = Json::array();
    for (std::size_t cell = first; cell < first + bins.count; ++cell) {
      busy.push_back(bins.busy_ns[cell]);
      kernel.push_back(bins.kernel[cell]);
    }
    rows.push_back({{"busy", std::move(busy)}, {"kernel", std::move(kernel)}});
  }
  return {{"width", bins.width_ns}, {"workers", std::move(rows)}};
}

using analysis::NodeIndex;
using analysis::StrandPlace;

// Calls `visit(strand, its place)` for what ran on a worker within the stretch.
template <typename Visit>
void visit_strands(const Timeline& timeline, std::int64_t from_ns, std::int64_t to_ns, const Visit& visit) {
  for (NodeIndex node = 0; node < timeline.graph.size(); ++node) {
    if (!timeline.graph.occupies_worker(node)) continue;
    const StrandPlace place = timeline.places(node);
    if (place.worker >= timeline.workers || place.begin_ns >= to_ns) continue;
    if (place.end_ns <= from_ns && place.begin_ns < from_ns) continue;
    visit(node, place);
  }
}

// Of a strand's duration, what lies before `at_ns`, if it is spread evenly over the time between begin and end. Parts
// of a strand add up to its duration.
std::int64_t part_before(const TimelineStrand& strand, std::int64_t at_ns) {
  if (at_ns <= strand.begin_ns) return 0;
  if (at_ns >= strand.end_ns) return strand.duration_ns;
  const double share = static_cast<double>(at_ns - strand.begin_ns) / static_cast<double>(strand.length_ns());
  return static_cast<std::int64_t>(share * static_cast<double>(strand.duration_ns));
}

class BinSums {
 public:
  explicit BinSums(const TimelineData& data)
      : from_ns_(data.from_ns), slots_(std::min(data.kernels.size(), TimelineData::kNamed + 1)) {
    const std::size_t workers = std::max<std::size_t>(data.workers, 1);
    const auto wanted =
        static_cast<std::int64_t>(std::clamp<std::size_t>(TimelineData::kCells / workers, 1, TimelineData::kMostBins));
    const std::int64_t whole_ns = std::max<std::int64_t>(data.to_ns - data.from_ns, 1);
    bins_.width_ns = (whole_ns + wanted - 1) / wanted;
    bins_.count = static_cast<std::size_t>((whole_ns + bins_.width_ns - 1) / bins_.width_ns);
    sums_.resize(workers * bins_.count * slots_);
  }

  void add(const TimelineStrand& strand) {
    const std::size_t slot = std::min<std::size_t>(strand.kernel, slots_ - 1);
    std::size_t bin = bin_of(strand.begin_ns);
    const std::size_t last = bin_of(strand.end_ns);
    const std::size_t row = strand.worker * bins_.count;
    std::int64_t before_ns = strand.begin_ns < from_ns_ ? part_before(strand, from_ns_) : 0;
    for (; bin < last; ++bin) {
      const std::int64_t until_ns = part_before(strand, from_ns_ + static_cast<std::int64_t>(bin + 1) * bins_.width_ns);
      sums_[(row + bin) * slots_ + slot] += until_ns - before_ns;
      before_ns = until_ns;
    }
    const std::int64_t end_ns = from_ns_ + static_cast<std::int64_t>(bins_.count) * bins_.width_ns;
    const std::int64_t until_ns = strand.end_ns > end_ns ? part_before(strand, end_ns) : strand.duration_ns;
    sums_[(row + last) * slots_ + slot] += until_ns - before_ns;
  }

  [[nodiscard]] TimelineBins take() {
    for (std::size_t cell = 0; cell < sums_.size(); cell += slots_) {
      const auto first = sums_.begin() + static_cast<std::ptrdiff_t>(cell);
      const auto last = first + static_cast<std::ptrdiff_t>(slots_);
      const auto most = std::max_element(first, last);
      bins_.busy_ns.push_back(std::accumulate(first, last, std::int64_t{0}));
      bins_.kernel.push_back(*most == 0 ? TimelineBins::kNothing : static_cast<std::uint8_t>(most - first));
    }
    return std::move(bins_);
  }

 private:
  [[nodiscard]] std::size_t bin_of(std::int64_t at_ns) const {
    const std::int64_t bin = std::max<std::int64_t>(at_ns - from_ns_, 0) / bins_.width_ns;
    return std::min(static_cast<std::size_t>(bin), bins_.count - 1);
  }

  std::int64_t from_ns_;
  std::size_t slots_;
  TimelineBins bins_;
  std::vector<std::int64_t> sums_;  // by worker, bin and slot
};

}  // namespace

TimelineData timeline_data(const Timeline& timeline,
                           const std::optional<std::pair<std::int64_t, std::int64_t>>& stretch,
                           std::size_t most_strands) {
  const analysis::TaskGraph& graph = timeline.graph;
  TimelineData data;
  data.workers = timeline.workers;
  data.from_ns = stretch ? stretch->first : std::numeric_limits<std::int64_t>::min();
  data.to_ns = stretch ? stretch->second : std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> times_ns(graph.kernel_names.size());
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  visit_strands(timeline, data.from_ns, data.to_ns, [&](NodeIndex node, const StrandPlace& place) {
    times_ns[graph.kernel[node]] += graph.duration_ns[node];
    begin_ns = std::min(begin_ns, place.begin_ns);
    end_ns = std::max(end_ns, place.end_ns);
    ++data.strand_count;
  });
  if (!stretch) data.from_ns = begin_ns;
  data.to_ns = std::clamp(end_ns, data.from_ns, data.to_ns);
  data.kernels.resize(times_ns.size());
  std::iota(data.kernels.begin(), data.kernels.end(), 0U);
  std::stable_sort(data.kernels.begin(), data.kernels.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return times_ns[a] > times_ns[b]; });
  std::vector<std::uint32_t> rank(data.kernels.size());
  for (std::uint32_t i = 0; i < data.kernels.size(); ++i) rank[data.kernels[i]] = i;
  const auto strand_at = [&](NodeIndex node, const StrandPlace& place) {
    return TimelineStrand{place.begin_ns, place.end_ns, place.worker, rank[graph.kernel[node]],
                          graph.duration_ns[node]};
  };
  if (data.strand_count <= most_strands) {
    visit_strands(timeline, data.from_ns, data.to_ns,
                  [&](NodeIndex node, const StrandPlace& place) { data.strands.push_back(strand_at(node, place)); });
    return data;
  }
  BinSums bins(data);
  Longest longest(TimelineData::kLongest);
  Longest waits(TimelineData::kLongest);
  std::vector<std::int64_t> last_ns(data.workers, data.from_ns);
  visit_strands(timeline, data.from_ns, data.to_ns, [&](NodeIndex node, const StrandPlace& place) {
    const TimelineStrand strand = strand_at(node, place);
    bins.add(strand);
    longest.add(strand);
    waits.add({last_ns[strand.worker], strand.begin_ns, strand.worker});
    last_ns[strand.worker] = std::max(last_ns[strand.worker], strand.end_ns);
  });
  for (std::uint32_t worker = 0; worker < data.workers; ++worker) waits.add({last_ns[worker], data.to_ns, worker});
  data.bins = bins.take();
  data.strands = longest.take();
  data.waits = waits.take();
  return data;
}

Json timeline_json(const TimelineData& data, const std::vector<std::string>& names) {
  Json json = {{"from", data.from_ns}, {"to", data.to_ns}, {"kernels", names}};
  json["strands"] = by_worker(data, data.strands, [](Json& row, const TimelineStrand& strand) {
    row["kernel"].push_back(strand.kernel);
    row["recording"].push_back(strand.length_ns() - strand.duration_ns);
  });
  if (!data.bins) return json;
  json["bins"] = bins_json(data);
  json["waits"] = by_worker(data, data.waits, [](Json&, const TimelineStrand&) {});
  return json;
}

}  // namespace foretask::report
