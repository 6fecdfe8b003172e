// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/predict_searches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace foretask::cli {
namespace {

constexpr std::uint32_t kMostTimes = 64;  // the recorded workers, where none are asked for

std::vector<std::uint32_t> doublings(std::uint32_t workers) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t times = 1; times <= kMostTimes; times *= 2) all.push_back(workers * times);
  return all;
}

std::vector<analysis::SpeculativeSearches> merged_sections(const analysis::ProgramRecordings& recordings, double n) {
  std::vector<analysis::SpeculativeSearches> sections;
  for (const analysis::RecordedSearches& run : recordings.searches) {
    if (run.n != n) continue;
    for (const analysis::SpeculativeSearches& one : run.sections) {
      const auto known = std::find_if(sections.begin(), sections.end(),
                                      [&one](const auto& section) { return section.section == one.section; });
      known == sections.end() ? sections.push_back(one) : known->merge(one);
    }
  }
  return sections;
}

}  // namespace

Result<std::vector<analysis::Speculation>> predict_searches(const analysis::ProgramRecordings& recordings,
                                                            const std::vector<double>& sizes,
                                                            const std::vector<std::uint32_t>& workers,
                                                            std::vector<std::string>& warnings) {
  std::vector<analysis::Speculation> answers;
  std::set<double> recorded;
  for (const analysis::RecordedSearches& run : recordings.searches) recorded.insert(run.n);
  if (recorded.empty()) return answers;
  std::set<double> asked;
  for (const double size : sizes)
    if (recorded.count(size) != 0) asked.insert(size);
  if (!sizes.empty() && asked.empty())
    return Error{
        fmt::format("no or-parallel section was recorded with these sizes. Recorded: {} = {}. Other sizes cannot be "
                    "predicted: search times depend on the input",
                    recordings.size_name, fmt::join(recorded, ", "))};
  const double n = asked.empty() ? *recorded.rbegin() : *asked.rbegin();
  for (const analysis::SpeculativeSearches& section : merged_sections(recordings, n)) {
    auto answer = analysis::speculate(section, workers.empty() ? doublings(section.workers) : workers);
    if (!answer) {
      warnings.push_back(answer.error().message());
      continue;
    }
    if (recorded.size() > 1)
      answer->notes.push_back(
          fmt::format("of the runs with {} = {}; runs of other sizes are not used", recordings.size_name, n));
    answers.push_back(std::move(*answer));
  }
  return answers;
}

}  // namespace foretask::cli
