// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/launch/campaign.hpp"

namespace foretask::cli {

// How long the runs that are left may take, from those of this session.
class TimeLeft {
 public:
  void add(const CampaignRun& run, double seconds) {
    of_combination_[{run.values, run.cores}] = seconds;
    of_values_[run.values] = seconds * run.cores;
    total_ += seconds;
    ++count_;
  }

  [[nodiscard]] double of(const std::vector<const CampaignRun*>& runs, std::size_t from) const {
    double seconds = 0;
    for (std::size_t i = from; i < runs.size(); ++i) seconds += guess(*runs[i]);
    return seconds;
  }

 private:
  // As the same combination took, else as the same work would on its workers, else as the others did.
  [[nodiscard]] double guess(const CampaignRun& run) const {
    if (const auto same = of_combination_.find({run.values, run.cores}); same != of_combination_.end())
      return same->second;
    if (const auto work = of_values_.find(run.values); work != of_values_.end()) return work->second / run.cores;
    return count_ == 0 ? 0 : total_ / static_cast<double>(count_);
  }

  std::map<std::pair<std::vector<std::string>, std::uint32_t>, double> of_combination_;
  std::map<std::vector<std::string>, double> of_values_;
  double total_ = 0;
  std::size_t count_ = 0;
};

}  // namespace foretask::cli
