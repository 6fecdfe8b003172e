// SPDX-License-Identifier: Apache-2.0
// foretask sweep: records a campaign and writes its table.
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch/baseline.hpp"
#include "cli/launch/calibration.hpp"
#include "cli/launch/campaign.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/recorder.hpp"
#include "cli/launch/time_left.hpp"
#include "cli/options/lists.hpp"
#include "cli/progress.hpp"
#include "foretask/analysis/program_table.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/result.hpp"
#include "report/output.hpp"
#include "report/predict/campaign.hpp"
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

// A campaign's folder, and what is done in it: the runs that are not there yet are recorded, and tables made of all.
class CampaignFolder {
 public:
  // `has_baseline`: each program that is recorded then runs unrecorded, on its own runtime. `recorder` outlives this.
  CampaignFolder(Campaign campaign, std::string path, Recorder& recorder, bool has_baseline)
      : campaign_(std::move(campaign)), path_(std::move(path)), recorder_(recorder), has_baseline_(has_baseline) {}

  [[nodiscard]] Result<void> open() const {
    for (const std::string& path : {path_, path_of(kOutputs)})
      if (const auto made = make_folder(path); !made) return made;
    if (const auto locked = lock(path_); !locked) return locked;
    return write_campaign(path_, campaign_, {});
  }

  // Records what is not there yet, until all is or a signal asks to end. The error is for what no other run would do
  // better: the folder cannot be written, the program cannot be started.
  [[nodiscard]] Result<void> record_all(StopSignals& stop) {
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

  void remove_unfinished() const {
    std::error_code ignored;
    fs::remove_all(path_of(kUnfinished), ignored);
  }

  // The tables of what is there, one for each choice of the parameters besides n.
  [[nodiscard]] Result<report::CampaignResult> tables() {
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

 private:
  [[nodiscard]] std::string path_of(const std::string& run) const { return path_ + "/" + run; }

  [[nodiscard]] std::string output_of(const std::string& run) const { return path_of(kOutputs) + "/" + run; }

  [[nodiscard]] bool is_recorded(const CampaignRun& run) const { return analysis::is_run_folder(path_of(run.name)); }

  // Why the run failed; empty where its recording is in its place, or where it was asked to end. A run that other
  // programs disturbed is repeated; the last of three stays.
  [[nodiscard]] Result<std::string> record(const CampaignRun& run, StopSignals& stop) {
    constexpr int kMostTries = 3;
    for (int tries = 1;; ++tries) {
      double no_core = 0;
      const auto why = record_once(run, tries < kMostTries ? analysis::kDisturbed : 1, no_core, stop);
      if (!why || !why->empty() || stop.requested() != 0) return why;
      if (is_recorded(run)) return why;
      note(fmt::format("{}: other programs had the cores for {} of its time: once more", run.name,
                       report::format_share(no_core)));
    }
  }

  // As record(). Not put in its place where `no_core` comes to `most`.
  [[nodiscard]] Result<std::string> record_once(const CampaignRun& run, double most, double& no_core,
                                                StopSignals& stop) {
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
    const auto why = why_failed(*recorded, run, no_core);
    if (!why.empty()) return why;
    if (no_core >= most) return std::string();
    if (has_baseline_)
      stop.take(add_baseline(
          recorder_, command_of(campaign_, run), *recorded,
          {.input = nullptr, .dies_with_launcher = true, .lead = run.name + ": ", .says_differences = false}));
    if (stop.requested() != 0) return std::string();
    if (::rename(recorded->folders.front().c_str(), path_of(run.name).c_str()) != 0)
      return Error{.what = "the recording cannot be moved here", .path = path_of(run.name), .code = errno};
    return std::string();
  }

  [[nodiscard]] std::string why_failed(const RecordedRun& recorded, const CampaignRun& run, double& no_core) const {
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
    no_core = row->no_core;
    if (row->p != run.cores)
      return fmt::format(
          "it ran on {} worker{}, not {}, with OMP_NUM_THREADS={}. If it sets its own number of threads, give it {{p}} "
          "as an argument",
          row->p, row->p == 1 ? "" : "s", run.cores, run.cores);
    return {};
  }

  [[nodiscard]] Result<analysis::ProgramTable> table_of(const std::vector<std::string>& runs) const {
    std::vector<std::string> folders;
    for (const std::string& run : runs) folders.push_back(path_of(run));
    ProgressLine progress;
    auto table =
        analysis::program_table_of_runs(folders, campaign_.parameters.front().name,
                                        [&progress](double done, const char* what) { progress.update(done, what); });
    progress.clear();
    return table;
  }

  // One recording that cannot be read takes no other one's place in the table away.
  [[nodiscard]] std::vector<std::string> without_damaged(const std::vector<std::string>& runs) {
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

  [[nodiscard]] std::vector<report::CampaignFailure> all_failures() const {
    std::vector<report::CampaignFailure> all = failed_;
    all.insert(all.end(), damaged_.begin(), damaged_.end());
    return all;
  }

  [[nodiscard]] Result<void> write_failures() const { return write_campaign(path_, campaign_, all_failures()); }
  // A run that failed for want of room will not be the only one. It is still there.
  [[nodiscard]] Result<void> check_room() const {
    std::error_code error;
    const fs::space_info space = fs::space(path_, error);
    if (error || space.available >= kLeastRoom) return {};
    return Error{.what = "a recording needs more disk space", .path = path_, .code = ENOSPC};
  }

  void say(std::size_t place, const std::vector<const CampaignRun*>& left, const std::string& why,
           std::size_t before) const {
    const double seconds = time_left_.of(left, place + 1);
    note(
        fmt::format("{} of {}: {}: {}{}", before + place + 1, before + left.size(), left[place]->name,
                    why.empty() ? "recorded" : "failed: " + why + " (its output: " + output_of(left[place]->name) + ")",
                    place + 1 == left.size() ? "" : fmt::format("; about {} left", report::format_ns(seconds * 1e9))));
  }

  Campaign campaign_;
  std::string path_;
  Recorder& recorder_;
  bool has_baseline_;
  TimeLeft time_left_;
  std::vector<report::CampaignFailure> failed_;
  std::vector<report::CampaignFailure> damaged_;  // their folders are there
  std::size_t missing_ = 0;
};

constexpr std::uint32_t kDefaultRepeat = 3;
constexpr std::uint32_t kMostRepeats = 10'000;

struct Options {
  std::vector<std::string> set;
  std::string cores;
  std::uint32_t repeat = kDefaultRepeat;
  std::string out;
  bool baseline = false;
  bool json = false;
  std::vector<std::string> program;
};

std::uint32_t processors() { return std::max(1U, static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN))); }

std::string default_folder(const std::string& program) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("foretask-sweep-{}-{:%Y%m%d_%H%M%S}-{}", fs::path(program).filename().string(), local, ::getpid());
}

int run(const Options& options) {
  if (options.program.empty())
    return wrong_usage("sweep needs a program: foretask sweep --set n=1024,2048 [OPTIONS] -- PROGRAM -n {n}");
  Campaign campaign{.path = "",
                    .command = options.program,
                    .parameters = {},
                    .cores = options.cores.empty() ? doubled_up_to(processors()) : *parse_core_list(options.cores),
                    .repeat = options.repeat};
  for (const std::string& text : options.set) campaign.parameters.push_back(*parse_campaign_parameter(text));
  if (const std::string wrong = wrong_campaign(campaign); !wrong.empty()) return wrong_usage(wrong);
  const auto path = find_program(options.program.front());
  if (!path) return fail_to_start(path.error());
  std::error_code ignored;
  campaign.path = fs::canonical(*path, ignored).string();
  const std::string folder = options.out.empty() ? default_folder(options.program.front()) : options.out;
  if (const auto same = check_same_campaign(folder, campaign); !same) return fail(same.error());
  auto recorder = Recorder::prepare(options.program, *path);
  if (!recorder) return fail(recorder.error());
  if (!recorder->obstacle().empty() && !recorder->is_annotated()) return fail(recorder->obstacle());
  if (const auto most = *std::max_element(campaign.cores.begin(), campaign.cores.end()); most > processors())
    note(fmt::format(
        "warning: {} workers on {} processors: workers that wait for a processor add delay, which a larger machine "
        "would not have. Ignore this if the tasks sleep",
        most, processors()));

  StopSignals stop;
  CampaignFolder sweep(campaign, folder, *recorder, options.baseline);
  if (const auto opened = sweep.open(); !opened) return fail(opened.error());
  const auto recorded = sweep.record_all(stop);
  sweep.remove_unfinished();
  // As for the commands that run no program: a closed pipe or a full file is an error of the write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  if (!recorded) fail(recorded.error());  // what was finished before has its table all the same
  if (const int asked = stop.requested(); asked != 0)
    note(fmt::format("{}: to go on from here, run the same command with --out {}", ::strsignal(asked), folder));
  if (stop.requested() == 0) calibrate_for({folder});
  const auto result = sweep.tables();
  if (!result) return fail(result.error());
  const int printed = print_or_fail(options.json ? report::campaign_json(*result) : report::campaign_text(*result));
  if (const int asked = stop.requested(); asked != 0)
    end_like({.exit_code = 128 + asked, .signal = asked, .pid = 0, .asked_to_end = asked, .elapsed_ns = 0});
  return recorded && result->failed.empty() && !result->tables.empty() ? printed : kExitFailure;
}

}  // namespace

Command add_sweep(CLI::App& app, const std::vector<std::string>& program) {
  auto options = std::make_shared<Options>();
  options->program = program;
  CLI::App* command =
      app.add_subcommand("sweep", "Record a program on several inputs and numbers of workers, and write a run table");
  add_program(*command,
              ". In the arguments {n} stands for the value of --set n=..., and {p} for the number of workers");
  command
      ->add_option(
          "--set", options->set,
          "A parameter and its values, as in n=1024,2048 or n=1024-16384:x2 (repeatable). The first parameter is "
          "the input size: numbers above 0")
      ->required()
      ->allow_extra_args(false)
      ->check(CLI::Validator(check<parse_campaign_parameter>, "NAME=VALUES"));
  command
      ->add_option(
          "--cores", options->cores,
          "Numbers of workers, as in 1,2,4-64:4 (default: 1, 2, 4, ... up to this machine's processors). 1 must be "
          "among them")
      ->check(CLI::Validator(check<parse_core_list>, "LIST"));
  command->add_option("--repeat", options->repeat, "Number of replicates: runs of each combination (default 3)")
      ->check(CLI::Range(1U, kMostRepeats));
  command
      ->add_option(
          "--out", options->out,
          "The campaign's folder (default: foretask-sweep-PROGRAM-TIME-PID). If it holds a campaign of the same "
          "command, its missing runs are recorded")
      ->check(CLI::Validator(check_not_empty, "FOLDER"));
  command->add_flag("--baseline", options->baseline,
                    "After each recorded run, run the program once unrecorded, on its own runtime");
  command->add_flag("--json", options->json, "Write JSON");
  command->footer(
      "The program's standard output goes to FOLDER/output, one file for each run. Its standard input is empty.");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
