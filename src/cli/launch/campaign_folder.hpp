// SPDX-License-Identifier: Apache-2.0
// A campaign's folder, and what is done in it: the runs that are not there yet are recorded, and tables made of all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/launch/campaign.hpp"
#include "cli/launch/recorder.hpp"
#include "cli/launch/stop_signals.hpp"
#include "cli/launch/time_left.hpp"
#include "foretask/analysis/program_table.hpp"
#include "foretask/result.hpp"
#include "report/predict/campaign.hpp"

namespace foretask::cli {

class CampaignFolder {
 public:
  // `has_baseline`: each program that is recorded then runs unrecorded, on its own runtime. `recorder` outlives this.
  CampaignFolder(Campaign campaign, std::string path, Recorder& recorder, bool has_baseline);

  [[nodiscard]] Result<void> open() const;

  // Records what is not there yet, until all is or a signal asks to end. The error is for what no other run would do
  // better: the folder cannot be written, the program cannot be started.
  [[nodiscard]] Result<void> record_all(StopSignals& stop);

  void remove_unfinished() const;

  // The tables of what is there, one for each choice of the parameters besides n.
  [[nodiscard]] Result<report::CampaignResult> tables();

 private:
  [[nodiscard]] std::string path_of(const std::string& run) const { return path_ + "/" + run; }
  [[nodiscard]] std::string output_of(const std::string& run) const;
  [[nodiscard]] bool is_recorded(const CampaignRun& run) const;

  // Why the run failed; empty where its recording is in its place, or where it was asked to end.
  [[nodiscard]] Result<std::string> record(const CampaignRun& run, StopSignals& stop);
  [[nodiscard]] std::string why_failed(const RecordedRun& recorded, const CampaignRun& run) const;
  // What keeps it from having one is said: the recording is good without.
  void add_baseline(const CampaignRun& run, const RecordedRun& recorded, StopSignals& stop) const;

  [[nodiscard]] Result<analysis::ProgramTable> table_of(const std::vector<std::string>& runs) const;
  // One recording that cannot be read takes no other one's place in the table away.
  [[nodiscard]] std::vector<std::string> without_damaged(const std::vector<std::string>& runs);

  [[nodiscard]] std::vector<report::CampaignFailure> all_failures() const;
  [[nodiscard]] Result<void> write_failures() const { return write_campaign(path_, campaign_, all_failures()); }
  // A run that failed for want of room will not be the only one. It is still there.
  [[nodiscard]] Result<void> check_room() const;
  void say(std::size_t place, const std::vector<const CampaignRun*>& left, const std::string& why,
           std::size_t before) const;

  Campaign campaign_;
  std::string path_;
  Recorder& recorder_;
  bool has_baseline_;
  TimeLeft time_left_;
  std::vector<report::CampaignFailure> failed_;
  std::vector<report::CampaignFailure> damaged_;  // their folders are there
  std::size_t missing_ = 0;
};

}  // namespace foretask::cli
