// SPDX-License-Identifier: Apache-2.0
// foretask report: what a recorded run showed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "cli/commands/report_page.hpp"
#include "cli/launch/calibration.hpp"
#include "cli/options/input.hpp"
#include "cli/progress.hpp"
#include "foretask/analysis/cut_off_advice.hpp"
#include "report/plain_text.hpp"
#include "report/run/run_report.hpp"

namespace foretask::cli {
namespace {

struct Options {
  std::string run;
  std::string burden;
  std::string base;     // empty: none
  std::string process;  // empty: the one with the most CPU time
  InputOptions input;
  bool details = false;
  bool json = false;
  PageOptions page;
};

constexpr double kMostSeconds = 9e9;  // as ns still whole numbers
constexpr const char* kCilkview = "cilkview";

std::optional<analysis::Burden> burden_of(const Options& options) {
  if (options.burden.empty()) return std::nullopt;
  if (options.burden == kCilkview) return analysis::kCilkviewBurden;
  return analysis::Burden{.ns = std::stod(options.burden)};  // checked where the command line was read
}

std::optional<analysis::CutOffAdvice> cut_off_of(const analysis::Run& run) {
  ProgressLine progress;
  progress.update(1, "trying larger tasks");
  return advise_cut_off(run);
}

// Other numbers of cores for what each cause is worth: where the replays take no time worth a word, or are asked for.
std::vector<std::uint32_t> cores_to_try(const analysis::Run& run, const Options& options) {
  constexpr std::size_t kMostNodes = 300'000;
  const std::vector<std::uint32_t> cores{16, 64};
  const std::size_t divided = run.graph().team.phases.size() * cores.back();  // regions have a part a core
  if (run.graph().size() + divided > kMostNodes && !options.details) return {};
  return cores;
}

// What a report reads: a folder that was given or, of several processes, that of one.
struct ChosenProcess {
  std::string folder;
  InputOptions input;
};

Result<ChosenProcess> choose_process(const Options& options, const std::string& run) {
  InputOptions input = options.input;
  input.burden = burden_of(options);
  input.processes = analysis::read_process_shares(run);
  const auto& processes = input.processes.processes;
  const auto wanted = std::find_if(processes.begin(), processes.end(),
                                   [&options](const auto& one) { return one.name == options.process; });
  if (wanted != processes.end()) input.processes.shown = static_cast<std::size_t>(wanted - processes.begin());
  if (!options.process.empty() && wanted == processes.end() && !(processes.empty() && options.process == "1"))
    return Error{.what = processes.empty() ? "is of one process" : "has no process " + options.process, .path = run};
  std::string folder = processes.empty() ? run : processes[input.processes.shown].folder;
  return ChosenProcess{std::move(folder), std::move(input)};
}

// Of several recordings that differ by their threads, the fewest first; else the one that is given, behind its base.
std::vector<std::string> folders_of(const Options& options) {
  std::vector<std::string> folders;
  if (!analysis::is_run_folder(options.run)) folders = analysis::threads_run_folders(options.run);
  if (folders.empty()) folders.push_back(options.run);
  if (!options.base.empty()) folders.insert(folders.begin(), options.base);
  return folders;
}

// Of `run`, in the last folder, and those before it, which the first is the base of. Where that cannot be, and was not
// `asked_for`, it is said, and `run` is alone.
Result<std::vector<analysis::Efficiencies>> compare(const std::vector<std::string>& folders, const Options& options,
                                                    bool asked_for, analysis::Run& run) {
  std::vector<analysis::Efficiencies> all;
  std::optional<analysis::Run> first;
  for (std::size_t i = 0; i + 1 < folders.size(); ++i) {
    const auto chosen = choose_process(options, folders[i]);
    auto other = chosen ? load_run(chosen->folder, chosen->input) : Result<analysis::Run>(chosen.error());
    const auto compared = !other  ? Result<void>(other.error())
                          : first ? Result<void>()
                                  : run.compare_with_base(*other, chosen->folder);
    if (!compared) {
      if (asked_for) return compared.error();
      note("warning: " + compared.error().message());
      break;
    }
    all.push_back(efficiencies_of(*other, first ? &*first : &*other));
    if (!first) first = std::move(*other);
  }
  // A replay, which of one recording is asked for by who wants all of it.
  const bool wants_all = options.json || options.details || !options.page.file.empty();
  if (first || wants_all) all.push_back(efficiencies_of(run, first ? &*first : nullptr));
  return all;
}

int run(const Options& options) {
  const std::vector<std::string> folders = folders_of(options);
  const auto chosen = choose_process(options, folders.back());
  if (!chosen) return fail(chosen.error());
  calibrate_for({chosen->folder});
  auto recorded = load_run(chosen->folder, chosen->input);
  if (!recorded) return fail(recorded.error());
  const auto efficiencies = compare(folders, options, !options.base.empty(), *recorded);
  if (!efficiencies) return fail(efficiencies.error());
  recorded->try_without_causes(cores_to_try(*recorded, options));
  const analysis::Report& report = recorded->report();
  const std::optional<analysis::CutOffAdvice> cut_off = cut_off_of(*recorded);
  if (!options.page.file.empty()) {
    const auto written = write_report_page(std::move(*recorded), chosen->folder, cut_off, *efficiencies, options.page);
    return written ? kExitOk : fail(written.error());
  }
  const report::Detail detail = options.details ? report::Detail::kAll : report::Detail::kShort;
  return print_or_fail(options.json ? report::report_json(report, cut_off, *efficiencies)
                                    : report::wrapped(report_text(report, detail, cut_off, *efficiencies)));
}

}  // namespace

Command add_report(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "report", "Say why a recorded run was not faster: what the cores' time went to, and its kernels");
  command->add_option("RUN", options->run, "The folder of a recorded run, or of those by record --threads")->required();
  command
      ->add_option(
          "--burden", options->burden,
          "Cost of an edge in the burdened span: a number of ns, or cilkview for Cilkview's 15,000 instructions "
          "(default: what a steal took in this recording)")
      ->check(CLI::IsMember({kCilkview}) | CLI::Range(0.0, 1e9));
  command
      ->add_option("--base", options->base,
                   "A recording of the same program and input on fewer threads: says which code is slower than there")
      ->check(CLI::Validator(check_not_empty, "RUN"));
  command
      ->add_option("--process", options->process,
                   "Of a program that started others: report on process N, as the table of the processes has it "
                   "(default: the one with the most CPU time)")
      ->type_name("N");
  add_rename(*command, options->input);
  CLI::Option* json = command->add_flag("--json", options->json, "Write JSON");
  command->add_flag(
      "--details", options->details,
      "Also say why a kernel's tasks differ, and show the critical paths and the graph's figures. With --json: "
      "also replays of large recordings");
  CLI::Option* const html =
      command->add_option("--html", options->page.file, "Write a page to FILE that shows all of it, without a network")
          ->check(CLI::Validator(check_not_empty, "FILE"))
          ->excludes(json);
  command
      ->add_option("--source-link", options->page.source_link,
                   "For --html: where a kernel's source is, as in https://example.org/{file}#L{line}")
      ->needs(html);
  command
      ->add_option(
          "--with", options->page.with,
          "For --html: recorded runs of the program, or folders that hold some, such as a campaign's. The page "
          "shows what they predict for other input sizes and numbers of cores (default: stored runs)")
      ->needs(html);
  command->add_flag("--anonymous", options->page.is_anonymous, "For --html: no path, host or command line in the page")
      ->needs(html);
  CLI::Option* const from = command->add_option("--from", options->page.from_s,
                                                "For --html: the timeline shows a stretch from S seconds after the "
                                                "recording's start on (default: 0)");
  CLI::Option* const to = command->add_option("--to", options->page.to_s,
                                              "For --html: where that stretch ends (default: the recording's end)");
  for (CLI::Option* const option : {from, to})
    option->type_name("S")->needs(html)->check(CLI::Range(0.0, kMostSeconds));
  command->parse_complete_callback([options] {
    const PageOptions& page = options->page;
    if (page.from_s && page.to_s && *page.from_s >= *page.to_s)
      throw CLI::ValidationError("--to", "the stretch must end after its begin, --from");
  });
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
