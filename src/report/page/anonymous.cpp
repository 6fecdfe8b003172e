// SPDX-License-Identifier: Apache-2.0
#include "report/page/anonymous.hpp"

#include <algorithm>

namespace foretask::report {

std::string without_paths(std::string_view text) {
  constexpr std::string_view kBetweenWords = " \t\n'\"(),;:=";
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kBetweenWords), text.size());
    std::string_view word = text.substr(0, end);
    // "a / b" and "1/2" are no paths.
    if (const std::size_t slash = word.find('/'); slash != std::string_view::npos && word.size() > 1 &&
                                                  (slash == 0 || word.find('/', slash + 1) != std::string_view::npos))
      word.remove_prefix(word.rfind('/') + 1);
    kept += word;
    if (end < text.size()) kept += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return kept;
}

analysis::Report anonymous(analysis::Report report) {
  report.program = without_paths(report.program);
  report.command.clear();
  const std::string processor = report.origin.processor_model;
  report.origin = {.processor_model = processor,
                   .cores = report.origin.cores,
                   .processors = report.origin.processors,
                   .processors_usable = report.origin.processors_usable,
                   .memory_bytes = report.origin.memory_bytes,
                   .version = report.origin.version,
                   .runtime_version = without_paths(report.origin.runtime_version)};
  for (analysis::RecordedProcess& process : report.processes.processes) {
    process.folder.clear();
    process.program = without_paths(process.program);
    process.command.clear();
  }
  if (report.core_time.base) report.core_time.base->folder = without_paths(report.core_time.base->folder);
  for (auto& [name, value] : report.parameters) value = without_paths(value);
  for (std::string& warning : report.warnings) warning = without_paths(warning);
  for (analysis::KernelSummary& kernel : report.kernels) kernel.source_file.clear();
  return report;
}

}  // namespace foretask::report
