// SPDX-License-Identifier: Apache-2.0
// A campaign of recordings: every combination of a program's parameters and numbers of workers, several times each. Its
// folder has a folder a finished run, and campaign.json.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "foretask/result.hpp"
#include "report/predict/campaign.hpp"

namespace foretask::cli {

struct CampaignParameter {
  std::string name;
  std::vector<std::string> values;
};

struct Campaign {
  std::string path;                           // of the program's file
  std::vector<std::string> command;           // {name} stands for a parameter, {p} for the number of workers
  std::vector<CampaignParameter> parameters;  // the first one is n
  std::vector<std::uint32_t> cores;
  std::uint32_t repeat = 1;
};

struct CampaignRun {
  std::vector<std::string> values;  // of the parameters
  std::uint32_t cores = 1;
  std::uint32_t repetition = 1;
  std::string name;  // of its folder: "n=1024,b=16,p=2,1"
};

// "n=1,2,4", values as parse_value_list() has them.
[[nodiscard]] Result<CampaignParameter> parse_campaign_parameter(const std::string& text);

// What is wrong with the campaign as a whole, such as a parameter that the program does not get; else nothing.
[[nodiscard]] std::string wrong_campaign(const Campaign& campaign);

// In the order of recording: each repetition goes through all combinations before the next begins, so that the
// machine's drift does not look like growth; the fewest workers first.
[[nodiscard]] std::vector<CampaignRun> runs_of(const Campaign& campaign);

// The program's words for this run.
[[nodiscard]] std::vector<std::string> command_of(const Campaign& campaign, const CampaignRun& run);

// NAME=VALUE each.
[[nodiscard]] std::vector<std::string> parameters_of(const Campaign& campaign, const CampaignRun& run);

// What is in `folder` of finished runs, by name and sorted; those of the same parameters besides n together, which
// "b=16" names. A key is empty where n is the only parameter.
[[nodiscard]] std::map<std::string, std::vector<std::string>> finished_runs(const std::string& folder);

// The files of tables in `folder` that this campaign writes where it has several, and whose parameters besides n
// ("b=16") `groups` do not have: of runs that are gone.
[[nodiscard]] std::vector<std::string> stale_tables(const std::string& folder, const Campaign& campaign,
                                                    const std::map<std::string, std::vector<std::string>>& groups);

// campaign.json. The error of the first names what is another campaign: the program, its arguments, its parameters.
// Values, cores and repetitions may be others than before: the campaign then grows, and its file has those of before as
// well.
[[nodiscard]] Result<void> check_same_campaign(const std::string& folder, const Campaign& campaign);
[[nodiscard]] Result<void> write_campaign(const std::string& folder, const Campaign& campaign,
                                          const std::vector<report::CampaignFailure>& failed);

}  // namespace foretask::cli
