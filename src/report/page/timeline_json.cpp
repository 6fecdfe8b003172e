// SPDX-License-Identifier: Apache-2.0
#include "report/page/timeline_json.hpp"

namespace foretask::report {
namespace {

// By worker, each begin as its distance from the end before: small numbers, which compress well.
template <typename T, typename Add>
Json by_worker(const TimelineData& data, const std::vector<T>& all, const Add& add) {
  Json rows = Json::array();
  for (std::uint32_t worker = 0; worker < data.workers; ++worker)
    rows.push_back({{"gap", Json::array()}, {"length", Json::array()}});
  std::vector<std::int64_t> last_ns(data.workers, data.from_ns);
  for (const T& one : all) {
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

}  // namespace

Json timeline_json(const TimelineData& data, const std::vector<std::string>& names) {
  Json json = {{"from", data.from_ns}, {"to", data.to_ns}, {"kernels", names}};
  json["strands"] = by_worker(data, data.strands, [](Json& row, const TimelineStrand& strand) {
    row["kernel"].push_back(strand.kernel);
    row["recording"].push_back(strand.length_ns() - strand.duration_ns);
  });
  if (!data.bins) return json;
  json["bins"] = bins_json(data);
  json["waits"] = by_worker(data, data.waits, [](Json&, const TimelineWait&) {});
  return json;
}

}  // namespace foretask::report
