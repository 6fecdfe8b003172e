// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/report_page.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/commands/page_speed_ups.hpp"
#include "cli/options/input.hpp"
#include "report/output.hpp"
#include "report/page/page.hpp"

namespace foretask::cli {
namespace {

std::vector<std::pair<std::string, std::string>> origin_of(const analysis::Report& report, const std::string& folder,
                                                           bool is_anonymous) {
  std::vector<std::pair<std::string, std::string>> origin;
  if (!is_anonymous) {
    origin.emplace_back("command", fmt::format("{}", fmt::join(report.command, " ")));
    origin.emplace_back("recorded in", folder);
  }
  for (const auto& [name, value] : report.parameters) origin.emplace_back("parameter " + name, value);
  origin.emplace_back("runtime", report.runtime);
  origin.emplace_back("written by", "foretask " FORETASK_VERSION);
  return origin;
}

}  // namespace

Result<void> write_report_page(analysis::Run run, const std::string& folder,
                               const std::optional<analysis::CutOffAdvice>& cut_off, const PageOptions& options) {
  Input input;
  input.path = folder;
  input.run = std::move(run);
  auto ups = page_speed_ups(input);
  if (!ups) return ups.error();
  const analysis::Report& report = input.run->report();
  const report::Timeline timeline{.graph = input.graph(),
                                  .places = [&input](analysis::NodeIndex node) { return input.run->place(node); },
                                  .program = report.program,
                                  .workers = report.workers,
                                  .is_recorded = true};
  auto output = report::Output::open(options.file);
  if (!output) return output.error();
  const report::PageContent content{.report = report,
                                    .timeline = timeline,
                                    .cut_off = cut_off,
                                    .speed_ups = std::move(*ups),
                                    .origin = origin_of(report, folder, options.is_anonymous),
                                    .source_link = options.source_link,
                                    .is_anonymous = options.is_anonymous,
                                    .stretch = std::nullopt};
  write_page(content, *output);
  return output->finish();
}

}  // namespace foretask::cli
