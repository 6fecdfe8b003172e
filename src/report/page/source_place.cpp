// SPDX-License-Identifier: Apache-2.0
#include "report/page/source_place.hpp"

#include "report/short_names.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

void replace(std::string& in, std::string_view what, std::string_view by) {
  for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + by.size()))
    in.replace(at, what.size(), by);
}

}  // namespace

std::optional<SourcePlace> source_place(const PageContent& content, std::string_view kernel) {
  const std::string_view place = parts_of(kernel).place;
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  SourcePlace found{std::string(place.substr(0, colon)), parse_number<int>(place.substr(colon + 1)).value_or(0)};
  if (found.line <= 0) return std::nullopt;
  for (const analysis::KernelSummary& one : content.report.kernels)
    if (one.name == kernel && !one.source_file.empty()) found.file = one.source_file;
  return found;
}

std::string source_link(const PageContent& content, std::string_view kernel) {
  const std::optional<SourcePlace> place = source_place(content, kernel);
  if (content.source_link.empty() || !place) return {};
  std::string link = content.source_link;
  replace(link, "{line}", std::to_string(place->line));
  replace(link, "{file}", place->file);
  return link;
}

}  // namespace foretask::report
