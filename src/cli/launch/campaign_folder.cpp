// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/campaign_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cli/command.hpp"
#include "cli/launch/baseline.hpp"
#include "cli/progress.hpp"
#include "foretask/analysis/baseline.hpp"
#include "foretask/analysis/run.hpp"
#include "report/baseline_words.hpp"
#include "report/output.hpp"
#include "report/units.hpp"

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinished = ".unfinished";  // hidden: no recording is looked for there
constexpr const char* kOutputs = "output";
constexpr const char* kTable = "table";
constexpr std::uintmax_t kLeastRoom = 1 << 20;

// From one sweep at a time; held until the process ends.
Result<void> lock(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Error{.what = "cannot be opened", .path = folder, .code = errno};
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return {};  // some file systems know no locks
  ::close(fd);
  return Error{.what = "another foretask sweep is at work here", .path = folder};
}

Result<void> make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Error{.what = "cannot be made", .path = path, .code = error.value()};
  return {};
}

// An empty folder is not: a recording is put in its place.
bool is_in_the_way(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !(fs::is_directory(path, ignored) && fs::is_empty(path, ignored));
}

std::string how_to_repeat(const std::string& folder) { return "remove " + folder + " to record it again"; }

}  // namespace

CampaignFolder::CampaignFolder(Campaign campaign, std::string path, Recorder& recorder, bool has_baseline)
    : campaign_(std::move(campaign)), path_(std::move(path)), recorder_(recorder), has_baseline_(has_baseline) {}

Result<void> CampaignFolder::open() const {
  for (const std::string& path : {path_, path_of(kOutputs)})
    if (const auto made = make_folder(path); !made) return made;
  if (const auto locked = lock(path_); !locked) return locked;
  return write_campaign(path_, campaign_, {});
}

Result<void> CampaignFolder::record_all(StopSignals& stop) {
  const std::vector<CampaignRun> runs = runs_of(campaign_);
  std::vector<const CampaignRun*> left;
  std::size_t there = 0;
  for (const CampaignRun& run : runs) {
    if (is_recorded(run)) {
      ++there;
    } else if (const std::string folder = path_of(run.name); is_in_the_way(folder)) {
      damaged_.push_back({run.name, "is not a recording: " + how_to_repeat(folder), "", true});
    } else {
      left.push_back(&run);
    }
  }
  missing_ = runs.size() - there;
  if (there > 0) note(fmt::format("{}: {} of {} runs are there already", path_, there, runs.size()));
  for (std::size_t i = 0; i < left.size() && stop.requested() == 0; ++i) {
    if (failed_.size() == i && i > 0 && there == 0 && left[i]->repetition > 1)
      return Error{.what = "the first run of every combination failed: no other run is tried", .path = path_};
    const auto start = std::chrono::steady_clock::now();
    const auto why = record(*left[i], stop);
    if (!why) return why.error();
    if (stop.requested() != 0 && !is_recorded(*left[i])) break;
    time_left_.add(*left[i], std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (why->empty()) {
      --missing_;
    } else {
      if (const auto room = check_room(); !room) return room;
      failed_.push_back({left[i]->name, *why, output_of(left[i]->name), false});
      if (const auto written = write_failures(); !written) return written;
    }
    say(i, left, *why, there);
  }
  return {};
}

void CampaignFolder::remove_unfinished() const {
  std::error_code ignored;
  fs::remove_all(path_of(kUnfinished), ignored);
}

Result<report::CampaignResult> CampaignFolder::tables() {
  report::CampaignResult result{.folder = path_, .tables = {}, .failed = {}, .missing = 0};
  const auto groups = finished_runs(path_);
  std::error_code ignored;
  for (const std::string& stale : stale_tables(path_, campaign_, groups)) fs::remove(stale, ignored);
  if (groups.size() > 1) fs::remove(path_ + "/" + kTable + ".csv", ignored);  // of when there was one
  for (const auto& [others, names] : groups) {
    auto table = table_of(names);
    if (!table)
      if (const auto readable = without_damaged(names); !readable.empty() && readable.size() < names.size())
        table = table_of(readable);
    if (!table) {
      note(fmt::format("warning: there is no table{}{}: {}", others.empty() ? "" : " of ", others,
                       table.error().message()));
      continue;
    }
    std::string path = path_ + "/" + kTable + (groups.size() == 1 ? "" : "," + others) + ".csv";
    auto output = report::Output::open(path);
    if (!output) return output.error();
    output->write(analysis::program_table_text(*table));
    if (const auto written = output->finish(); !written) return written.error();
    result.tables.push_back({std::move(path), others, std::move(*table)});
  }
  result.failed = all_failures();
  result.missing = missing_;
  if (!damaged_.empty())
    if (const auto written = write_failures(); !written) return written.error();
  return result;
}

bool CampaignFolder::is_recorded(const CampaignRun& run) const { return analysis::is_run_folder(path_of(run.name)); }

std::string CampaignFolder::output_of(const std::string& run) const { return path_of(kOutputs) + "/" + run; }

std::vector<report::CampaignFailure> CampaignFolder::all_failures() const {
  std::vector<report::CampaignFailure> all = failed_;
  all.insert(all.end(), damaged_.begin(), damaged_.end());
  return all;
}

Result<analysis::ProgramTable> CampaignFolder::table_of(const std::vector<std::string>& runs) const {
  std::vector<std::string> folders;
  for (const std::string& run : runs) folders.push_back(path_of(run));
  ProgressLine progress;
  auto table =
      analysis::program_table_of_runs(folders, campaign_.parameters.front().name,
                                      [&progress](double done, const char* what) { progress.update(done, what); });
  progress.clear();
  return table;
}

std::vector<std::string> CampaignFolder::without_damaged(const std::vector<std::string>& runs) {
  std::vector<std::string> readable;
  for (const std::string& name : runs) {
    const std::string folder = path_of(name);
    if (const auto run = analysis::program_run(folder, campaign_.parameters.front().name); run.ok()) {
      readable.push_back(name);
    } else {
      damaged_.push_back({name, run.error().what + ": " + how_to_repeat(folder), "", true});
      ++missing_;
    }
  }
  return readable;
}

Result<std::string> CampaignFolder::record(const CampaignRun& run, StopSignals& stop) {
  remove_unfinished();
  const std::string unfinished = path_of(kUnfinished);
  if (const auto made = make_folder(unfinished); !made) return made.error();
  if (const auto ready = recorder_.record_into(unfinished + "/run"); !ready) return ready.error();
  recorder_.environment().set("FORETASK_PROCESSES", "1");  // a run is one recording
  recorder_.set_params(parameters_of(campaign_, run));
  recorder_.environment().set_for_all("OMP_NUM_THREADS", std::to_string(run.cores));
  const std::string output = output_of(run.name);
  const int fd = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return Error{.what = "the program's output cannot be written here", .path = output, .code = errno};
  const auto recorded =
      recorder_.run(command_of(campaign_, run), {.output_fd = fd, .has_input = false, .dies_with_launcher = true});
  ::close(fd);
  if (!recorded) return recorded.error();
  stop.take(recorded->status.asked_to_end);
  if (stop.requested() != 0) return std::string();
  const auto why = why_failed(*recorded, run);
  if (!why.empty()) return why;
  if (has_baseline_) add_baseline(run, *recorded, stop);
  if (stop.requested() != 0) return std::string();
  if (::rename(recorded->folders.front().c_str(), path_of(run.name).c_str()) != 0)
    return Error{.what = "the recording cannot be moved here", .path = path_of(run.name), .code = errno};
  return std::string();
}

void CampaignFolder::add_baseline(const CampaignRun& run, const RecordedRun& recorded, StopSignals& stop) const {
  const auto runs = run_unrecorded(recorder_, command_of(campaign_, run), recorded.status,
                                   {.input = nullptr, .dies_with_launcher = true});
  if (!runs) return note(run.name + ": the program could not be run unrecorded: " + runs.error().message());
  stop.take(runs->asked_to_end);
  if (!runs->baseline) return;
  if (!runs->baseline->own.ended_like(runs->baseline->recorded))
    note(run.name + ": " + report::baseline_words(*runs->baseline));
  if (const auto noted = analysis::note_baseline(recorded.folders.front(), *runs->baseline); !noted)
    note(noted.error().message());
}

std::string CampaignFolder::why_failed(const RecordedRun& recorded, const CampaignRun& run) const {
  const ExitStatus& status = recorded.status;
  if (status.signal != 0) return fmt::format("killed by signal {} ({})", status.signal, ::strsignal(status.signal));
  if (status.exit_code != 0) return fmt::format("exit code {}", status.exit_code);
  if (recorded.folders.empty()) {
    const std::string silence = recorder_.silence();
    return "nothing was recorded" + (silence.empty() ? "" : ": " + silence);
  }
  if (recorded.folders.size() > 1)
    return fmt::format("{} of its processes were recorded: a campaign takes programs of one process only",
                       recorded.folders.size());
  const auto row = analysis::program_run(recorded.folders.front(), campaign_.parameters.front().name);
  if (!row) return row.error().what;
  if (row->p != run.cores)
    return fmt::format(
        "it ran on {} worker{}, not {}, with OMP_NUM_THREADS={}. If it sets its own number of threads, give it {{p}} "
        "as an argument",
        row->p, row->p == 1 ? "" : "s", run.cores, run.cores);
  return {};
}

void CampaignFolder::say(std::size_t place, const std::vector<const CampaignRun*>& left, const std::string& why,
                         std::size_t before) const {
  const double seconds = time_left_.of(left, place + 1);
  note(fmt::format("{} of {}: {}: {}{}", before + place + 1, before + left.size(), left[place]->name,
                   why.empty() ? "recorded" : "failed: " + why + " (its output: " + output_of(left[place]->name) + ")",
                   place + 1 == left.size() ? "" : fmt::format("; about {} left", report::format_ns(seconds * 1e9))));
}

Result<void> CampaignFolder::check_room() const {
  std::error_code error;
  const fs::space_info space = fs::space(path_, error);
  if (error || space.available >= kLeastRoom) return {};
  return Error{.what = "a recording needs more disk space", .path = path_, .code = ENOSPC};
}

}  // namespace foretask::cli
