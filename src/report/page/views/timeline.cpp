// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/page/frame.hpp"
#include "report/page/parts.hpp"
#include "report/page/timeline_data.hpp"
#include "report/page/views.hpp"
#include "report/run/reading.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr std::size_t kListed = 20;

std::string extent_words(const TimelineData& data) {
  const std::string strands = format_count(data.strand_count, "strand", "strands");
  if (!data.bins) return fmt::format("Exact: {}.", data.strand_count == 1 ? "the one strand" : "all " + strands);
  return fmt::format(
      "Aggregated: {} in {} of {} a worker. A bin has the colour of the kernel with the most time in it, and is as "
      "high as its busy share. The {} longest strands and the {} longest waits are exact. report --html FILE --from S "
      "--to S shows a stretch exactly if it has at most {} strands.",
      strands, format_count(data.bins->count, "bin", "bins"), format_ns(data.bins->width_ns),
      format_count(data.strands.size()), format_count(data.waits.size()), format_count(TimelineData::kMostStrands));
}

void add_longest(Text& text, const TimelineData& data, const std::vector<std::string>& names) {
  std::vector<TimelineStrand> longest(std::min(kListed, data.strands.size()));
  std::partial_sort_copy(
      data.strands.begin(), data.strands.end(), longest.begin(), longest.end(),
      [](const TimelineStrand& a, const TimelineStrand& b) { return a.duration_ns > b.duration_ns; });
  Table table(text, "The longest strands", {"kernel", "worker", "begin", "time"}, Shown::kAlways);
  for (const TimelineStrand& strand : longest)
    table.row({names[strand.kernel],
               {fmt::format("{}", strand.worker), static_cast<double>(strand.worker)},
               ns_cell(strand.begin_ns),
               ns_cell(strand.duration_ns)});
}

}  // namespace

void add_timeline(Text& text, const PageContent& content) {
  const TimelineData data = timeline_data(content.timeline, content.stretch);
  const View view(text, "timeline", "Timeline of the workers",
                  "Which kernel each worker ran when. Blank: the worker ran no strand. The clock starts with the "
                  "recording and goes on while events are recorded; a strand's time is without that.");
  if (data.strand_count == 0) {
    add_paragraph(text, content.stretch ? "No strand ran in the stretch that was asked for." : "No strand ran.");
    return;
  }
  if (content.stretch)
    add_paragraph(text,
                  fmt::format("Shown is the stretch from {} to {}.", format_ns(data.from_ns), format_ns(data.to_ns)));
  const ShortNames short_names = short_names_of(content.report, ShortNames::kSentenceColumns);
  std::vector<std::string> names;
  for (const std::uint32_t kernel : data.kernels)
    names.push_back(short_names.of(content.timeline.graph.kernel_names[kernel]));
  add_paragraph(text, extent_words(data));
  add(text,
      "<div id=\"timeline-drawing\"><p>This view needs a script. The table below does not: it has the longest "
      "strands.</p></div>\n");
  add_longest(text, data, names);
  add_data_block(text, "data-timeline", timeline_json(data, names));
}

}  // namespace foretask::report
