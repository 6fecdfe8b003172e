// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include "cli/commands/export.hpp"
#include "cli/progress.hpp"
#include "report/timeline/paraver.hpp"

namespace foretask::cli {
namespace {

// "run" of "run.prv", or of "run.prv.gz" where it is compressed; empty: the name ends in something else.
std::string stem_of(const ExportOptions& options) {
  const std::string ending = options.gzip ? ".prv.gz" : ".prv";
  if (!options.output.ends_with(ending)) return {};
  return options.output.substr(0, options.output.size() - ending.size());
}

}  // namespace

std::string check_paraver_output(const ExportOptions& options) {
  const std::string wanted = options.gzip ? "-o FILE.prv.gz" : "-o FILE.prv";
  if (options.output.empty()) return "paraver writes three files (.prv, .pcf and .row). Name the first: " + wanted;
  if (!stem_of(options).empty()) return {};
  return "-o " + options.output + ": the name of Paraver's trace has another ending. Write " + wanted;
}

// The trace is put into its place first: where there is no room for it, nothing is left of the other two.
Result<void> export_paraver(const report::Timeline& timeline, const ExportOptions& options) {
  const std::string stem = stem_of(options);
  auto records = open_output(options.output, options.gzip);
  if (!records) return records.error();
  auto names = open_output(stem + ".pcf", false);
  if (!names) return names.error();
  auto rows = open_output(stem + ".row", false);
  if (!rows) return rows.error();

  ProgressLine progress;
  report::ParaverTrace trace(timeline);
  trace.write_names(*names);
  trace.write_rows(*rows);
  trace.write_records(
      std::time(nullptr), [&](double done, const char* what) { progress.update(done, what); }, *records);
  if (auto written = records->finish(); !written) return written;
  if (auto written = names->finish(); !written) return written;
  return rows->finish();
}

}  // namespace foretask::cli
