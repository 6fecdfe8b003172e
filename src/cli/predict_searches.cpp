// SPDX-License-Identifier: Apache-2.0
#include "cli/predict_searches.hpp"

#include <algorithm>

#include "cli/core_list.hpp"
#include "cli/input.hpp"

namespace foretask::cli {
namespace {

constexpr std::uint32_t kMostTimes = 64;  // the recorded workers, where none are asked for

std::vector<std::uint32_t> doublings(std::uint32_t workers) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t times = 1; times <= kMostTimes; times *= 2) all.push_back(workers * times);
  return all;
}

}  // namespace

Result<std::vector<analysis::Speculation>> predict_searches(const std::vector<std::string>& folders,
                                                            const std::vector<std::uint32_t>& workers,
                                                            std::vector<std::string>& warnings) {
  std::vector<analysis::SpeculativeSearches> sections;
  std::string program;
  for (const std::string& folder : folders) {
    const auto run = load_run(folder);
    if (!run) return run.error();
    if (!program.empty() && run->report().program != program)
      return Error{.what = "is of another program than " + folders.front(), .path = folder};
    program = run->report().program;
    for (const analysis::SpeculativeSearches& one : analysis::speculative_searches(*run)) {
      const auto known = std::find_if(sections.begin(), sections.end(),
                                      [&one](const auto& section) { return section.section == one.section; });
      known == sections.end() ? sections.push_back(one) : known->merge(one);
    }
  }
  std::vector<analysis::Speculation> answers;
  for (const analysis::SpeculativeSearches& section : sections) {
    auto answer = analysis::speculate(section, workers.empty() ? doublings(section.workers) : workers);
    if (answer) {
      answers.push_back(std::move(*answer));
    } else {
      warnings.push_back(answer.error().message());
    }
  }
  return answers;
}

}  // namespace foretask::cli
