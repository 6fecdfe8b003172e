// SPDX-License-Identifier: Apache-2.0
// Tables of a program's runs, of their recordings.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/kernel_details.hpp"
#include "analysis/run_impl.hpp"
#include "base/number_text.hpp"
#include "foretask/analysis/program_recordings.hpp"
#include "foretask/analysis/program_table.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/analysis/speculation.hpp"
#include "foretask/result.hpp"
#include "model/store/program_row.hpp"
#include "predict/program/table_checks.hpp"
#include "statistics/quantile.hpp"
#include "trace/run_file.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::analysis {
namespace {

namespace fs = std::filesystem;

// A recording's folder and its description, which is read before the events of any: what cannot stand in one table is
// known at once.
struct Described {
  std::string folder;
  trace::RunFile run;
};

using Parameters = std::map<std::string, std::string>;

Parameters parameters_of(const trace::RunFile& run) {
  Parameters parameters;
  for (const auto& [name, value] : run.params) parameters[name] = value;
  return parameters;
}

// Empty where it has none of that name.
std::string value_in(const trace::RunFile& run, const std::string& name) { return parameters_of(run)[name]; }

std::optional<double> number_of(const std::string& text) {
  const auto number = base::parse_number<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string machine_words(const trace::Machine& machine) {
  return (machine.host.empty() ? "a machine" : machine.host) + " (" + machine.processor_model + ", " +
         std::to_string(machine.processors) + " processors, fingerprint " + machine.fingerprint + ")";
}

// The values of each parameter that any of the runs has; one that a run lacks is an empty value.
std::map<std::string, std::set<std::string>> values_of(const std::vector<Described>& all) {
  std::map<std::string, std::set<std::string>> values;
  for (const Described& one : all)
    for (const auto& [name, value] : one.run.params) values[name];
  for (auto& [name, known] : values)
    for (const Described& one : all) known.insert(value_in(one.run, name));
  return values;
}

bool are_numbers(const std::set<std::string>& values) {
  return std::ranges::all_of(values, [](const std::string& value) { return number_of(value).has_value(); });
}

std::string names_of(const Parameters& parameters) {
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters) names.push_back(name);
  return base::joined(names);
}

// Which of a campaign's runs can stand in one table, where they differ in `name` besides n: as their folders' names
// have it ("n=1024,b=16,p=2,1").
std::string one_setting(const Described& one, const std::string& name) {
  const fs::path folder = fs::path(one.folder).lexically_normal();
  const std::string text = folder.filename().string();
  const std::size_t begin = text.find("," + name + "=");
  if (begin == std::string::npos) return {};
  const std::size_t end = std::min(text.find(',', begin + 1), text.size());
  // So that the campaign's tables, whose names have the setting too, are none of them.
  const bool is_last = text.compare(end, 3, ",p=") == 0;
  return "; predict one of them: predict " + (folder.parent_path() / "*").string() + text.substr(begin, end - begin) +
         (is_last ? ",p=*" : ",*,p=*");
}

std::string first_setting(const Described& one, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::string words = one_setting(one, name); !words.empty()) return words;
  return {};
}

// Its parameters that are numbers.
model::InputNumbers numbers_of(const trace::RunFile& run) {
  model::InputNumbers numbers;
  for (const auto& [name, text] : parameters_of(run))
    if (const auto number = number_of(text)) numbers[name] = *number;
  return numbers;
}

// Of the recordings that the paths name. Errors: those of analysis::recordings_in(), a description that cannot be read.
Result<std::vector<Described>> describe(const std::vector<std::string>& paths) {
  const auto folders = recordings_in(paths);
  if (!folders) return folders.error();
  std::vector<Described> all;
  for (const std::string& folder : *folders) {
    auto run = trace::read_run_file(folder + "/run.json");
    if (!run) return run.error();
    all.push_back({folder, std::move(*run)});
  }
  return all;
}

// The executable's name.
std::string program_of(const trace::RunFile& run) { return fs::path(run.program).filename().string(); }

// Errors name the first one that is of another program or machine, or of one of several processes.
Result<void> check_one_program(const std::vector<Described>& all) {
  const Described& first = all.front();
  for (const Described& one : all) {
    if (program_of(one.run) != program_of(first.run))
      return Error{
          .what = "is of another program than " + first.folder + ": " + one.run.program + ", not " + first.run.program,
          .path = one.folder};
    if (one.run.machine.fingerprint != first.run.machine.fingerprint)
      return Error{.what = "is of another machine than " + first.folder + ": " + machine_words(one.run.machine) +
                           ", not " + machine_words(first.run.machine),
                   .path = one.folder};
    if (one.run.ranks > 1)
      return Error{.what = "is one of " + std::to_string(one.run.ranks) +
                           " processes that ran together. A table takes programs of one process only",
                   .path = one.folder};
  }
  return {};
}

// The build that all are of, or a warning.
void note_versions(const std::vector<Described>& all, ProgramTable& table) {
  const std::string code = wiring::build_of(all.front().run);
  std::size_t others = 0;
  const Described* first_other = nullptr;
  for (const Described& one : all) {
    if (wiring::build_of(one.run) == code) continue;
    if (others++ == 0) first_other = &one;
  }
  if (others == 0) {
    table.build_id = code;
    return;
  }
  table.warnings.push_back(first_other->folder + (others == 1 ? "" : " and " + std::to_string(others - 1) + " more") +
                           ": of another version of " + table.program + " (build id) than " + all.front().folder);
}

// The recording's parameter `size_name`. Errors: it has none, or one that is no number above 0.
Result<double> size_of(const Described& one, const std::string& size_name) {
  const Parameters parameters = parameters_of(one.run);
  const auto found = parameters.find(size_name);
  if (found == parameters.end())
    return Error{.what = "has no parameter '" + size_name + "'" +
                         (parameters.empty() ? ": record it with --param " + size_name + "=1024"
                                             : "; it has " + names_of(parameters)),
                 .path = one.folder};
  const auto n = number_of(found->second);
  if (!n)
    return Error{.what = "parameter '" + size_name + "' is no number: '" + found->second + "'", .path = one.folder};
  if (const std::string problem = predict::wrong_size(*n); !problem.empty())
    return Error{.what = "parameter '" + size_name + "' is " + found->second + ": " + problem, .path = one.folder};
  return *n;
}

// Which parameter is n: the one asked for, else the only number that varies. Errors: none is, or another one varies.
Result<std::string> size_name_of(const std::vector<Described>& all, const std::string& asked) {
  const auto values = values_of(all);
  std::string size = asked;
  if (size.empty()) {
    std::vector<std::string> varying;
    std::vector<std::string> numbers;
    for (const auto& [name, known] : values) {
      if (!are_numbers(known)) continue;
      numbers.push_back(name);
      if (known.size() > 1) varying.push_back(name);
    }
    if (varying.size() > 1)
      return Error{"several parameters vary (" + base::joined(varying) + "): only one may vary within a table" +
                   first_setting(all.front(), varying)};
    if (varying.empty() && numbers.size() > 1)
      return Error{"which parameter is the size of the input? None of these varies: " + base::joined(numbers)};
    if (numbers.empty())
      return Error{
          .what = "has no parameter that is a number: record it with --param NAME=NUMBER, such as --param n=2048",
          .path = all.front().folder};
    size = varying.empty() ? numbers.front() : varying.front();
  }
  for (const Described& one : all)
    if (const auto n = size_of(one, size); !n) return n.error();
  for (const auto& [name, known] : values) {
    if (name == size || known.size() < 2) continue;
    const std::string there = value_in(all.front().run, name);
    for (const Described& one : all) {
      const std::string here = value_in(one.run, name);
      if (here == there) continue;
      return Error{.what = "parameter '" + name + "' is '" + here + "', but '" + there + "' in " + all.front().folder +
                           ": except for " + size + ", all runs of a table need the same parameters" +
                           one_setting(one, name),
                   .path = one.folder};
    }
  }
  return size;
}

bool have_same_parameters(const std::vector<Described>& all) {
  return std::all_of(all.begin(), all.end(), [first = parameters_of(all.front().run)](const Described& one) {
    return parameters_of(one.run) == first;
  });
}

// A recording stands for itself, a folder that holds recordings for those.
Result<void> add_folders(const std::string& path, std::vector<std::string>& folders) {
  if (trace::is_trace_folder(path)) {
    folders.push_back(path);
    return {};
  }
  std::error_code problem;
  fs::directory_iterator entries(path, problem);
  if (problem) return Error{.what = "is no folder of recordings", .path = path, .code = problem.value()};
  std::vector<std::string> inside;
  for (; !problem && entries != fs::directory_iterator(); entries.increment(problem)) {
    const bool is_hidden = entries->path().filename().string().starts_with('.');
    if (!is_hidden && trace::is_trace_folder(entries->path().string())) inside.push_back(entries->path().string());
  }
  if (problem) return Error{.what = "cannot be read", .path = path, .code = problem.value()};
  if (inside.empty()) return Error{.what = "is no recording, and holds none", .path = path};
  std::sort(inside.begin(), inside.end());
  folders.insert(folders.end(), inside.begin(), inside.end());
  return {};
}

struct Row {
  ProgramRun run;
  std::vector<SpeculativeSearches> searches;
  std::vector<std::string> warnings;
};

Result<Row> row_of(const Described& one, double n, const std::function<void(double)>& progress) {
  Row whole;
  ProgramRun& row = whole.run;
  OpenOptions options;
  if (progress) options.progress = [&progress](double done, const char*) { progress(done); };
  const auto run = Run::open(one.folder, options);
  if (!run) return run.error();
  if (const std::string& loss = Run::Impl::of(*run).loss; !loss.empty())
    return Error{.what = loss + ": its figures are not those of the whole run", .path = one.folder};
  const Report& report = run->report();
  if (report.workers == 0 || report.elapsed_ns <= 0)
    return Error{.what = "has no worker or no elapsed time", .path = one.folder};
  if (one.run.exit_code != 0 || one.run.exit_signal != 0)
    whole.warnings.push_back("the program ended with " + (one.run.exit_signal != 0
                                                              ? "signal " + std::to_string(one.run.exit_signal)
                                                              : "exit code " + std::to_string(one.run.exit_code)));
  whole.warnings.insert(whole.warnings.end(), report.warnings.begin(), report.warnings.end());
  row.n = n;
  row.p = report.workers;
  row.create_task = static_cast<double>(report.create_task);
  row.wait_tasks = static_cast<double>(report.wait_tasks);
  row.work = static_cast<double>(report.work_ns);
  row.delay = static_cast<double>(report.delay_ns);
  row.no_work = static_cast<double>(report.no_work_ns);
  row.time = static_cast<double>(report.elapsed_ns);
  // A lock is a path as well: no number of workers makes the run shorter than what it is held in all.
  const std::int64_t locked_ns = report.locks.empty() ? 0 : report.locks.front().held_ns;
  row.span = static_cast<double>(std::max(report.span_ns, locked_ns));
  row.burdened_span = static_cast<double>(std::max(report.burdened_span_ns, locked_ns));
  for (const KernelSummary& kernel : report.kernels) {
    const auto loop = std::ranges::find(report.loops, kernel.name, &LoopSummary::name);
    const bool has_iterations = loop != report.loops.end() && loop->iterations > 0;
    const double tasks = static_cast<double>(has_iterations ? loop->iterations : kernel.count);
    row.kernels.push_back({kernel.name, tasks, static_cast<double>(kernel.work_ns),
                           static_cast<double>(kernel.critical_path_ns), kernel.code, wiring::memory_bytes_of(kernel)});
  }
  row.source = one.folder;
  const CoreTime& cores = report.core_time;
  // In a shorter run it is chance, and mostly the program's start.
  constexpr std::int64_t kShortestNs = 100'000'000;
  if (report.workers <= report.origin.processors_usable && cores.wall_ns >= kShortestNs)
    for (const LostTime& lost : cores.lost)
      if (lost.cause == Cause::kNoCore) row.no_core = static_cast<double>(lost.lost_ns) / report.cores_ns();
  row.costs = report.costs;
  if (report.baseline && report.baseline->own.ended_like(report.baseline->recorded))
    row.baseline = static_cast<double>(report.baseline->own.elapsed_ns);
  whole.searches = speculative_searches(*run);
  return whole;
}

// Those beside which there is one that was not disturbed.
void leave_out_disturbed(std::vector<ProgramRun>& runs, std::vector<std::pair<std::string, std::string>>& warnings) {
  std::set<std::pair<double, double>> quiet;
  for (const ProgramRun& run : runs)
    if (run.no_core < kDisturbed) quiet.emplace(run.n, run.p);
  std::erase_if(runs, [&](const ProgramRun& run) {
    if (run.no_core < kDisturbed) return false;
    const bool is_left_out = quiet.contains({run.n, run.p});
    warnings.emplace_back(run.source,
                          "other programs had the cores for a fifth of its time and more" +
                              std::string(is_left_out ? ": it is left out" : ", and no other run is like it"));
    return is_left_out;
  });
}

// T1' of each n: the median work of its runs on one worker.
void add_serial_work(ProgramTable& table) {
  std::map<double, std::vector<double>> alone;
  for (const ProgramRun& run : table.runs)
    if (run.p == 1) alone[run.n].push_back(run.work);
  std::map<double, double> serial_work;
  for (auto& [n, work] : alone) serial_work[n] = statistics::median(std::move(work));
  std::set<double> warned;
  for (ProgramRun& run : table.runs) {
    if (const auto found = serial_work.find(run.n); found != serial_work.end()) {
      run.serial_work = found->second;
    } else if (warned.insert(run.n).second) {
      table.warnings.push_back(run.source + ": no run with the same " + table.size_name +
                               " has p = 1, so the serial work (T1prime) is not known");
    }
  }
}

// What several runs are warned of stands once.
void add_warnings(const std::vector<std::pair<std::string, std::string>>& of_runs, ProgramTable& table) {
  std::vector<std::pair<std::string, std::vector<std::string>>> folders_of;
  for (const auto& warning : of_runs) {
    const std::string& text = warning.second;
    auto found = std::find_if(folders_of.begin(), folders_of.end(), [&](const auto& one) { return one.first == text; });
    if (found == folders_of.end()) found = folders_of.insert(folders_of.end(), {text, {}});
    found->second.push_back(warning.first);
  }
  for (const auto& [text, folders] : folders_of)
    table.warnings.push_back(folders.front() +
                             (folders.size() == 1 ? "" : " and " + std::to_string(folders.size() - 1) + " more") +
                             ": " + text);
}

// `needs_table`: nothing else is asked for, so that what cannot become one is known before any recording is opened.
Result<ProgramRecordings> read(const std::vector<std::string>& folders, const std::string& size_name,
                               const std::function<void(double done, const char* what)>& progress, bool needs_table) {
  const auto all = describe(folders);
  if (!all) return all.error();
  if (all->empty()) return Error{"a table needs at least one recording"};
  if (const auto one = check_one_program(*all); !one) return one.error();
  const auto size = size_name_of(*all, size_name);
  if (!size && (needs_table || !size_name.empty() || !have_same_parameters(*all))) return size.error();
  ProgramRecordings result;
  ProgramTable table;
  if (size) {
    table.size_name = *size;
    table.inputs = model::other_inputs(numbers_of(all->front().run), *size);
    result.size_name = *size;
  }
  table.program = program_of(all->front().run);
  table.machine = all->front().run.machine.fingerprint;
  note_versions(*all, table);
  std::vector<std::pair<std::string, std::string>> warnings;
  for (std::size_t i = 0; i < all->size(); ++i) {
    const Described& one = (*all)[i];
    const auto part = [&](double done) {
      if (progress) progress((static_cast<double>(i) + done) / static_cast<double>(all->size()), one.folder.c_str());
    };
    auto row = row_of(one, size ? *size_of(one, *size) : 0, part);
    if (!row) return row.error();
    if (!row->searches.empty()) result.searches.push_back({one.folder, row->run.n, std::move(row->searches)});
    table.runs.push_back(std::move(row->run));
    for (std::string& text : row->warnings) warnings.emplace_back(one.folder, std::move(text));
  }
  leave_out_disturbed(table.runs, warnings);
  std::ranges::stable_sort(table.runs, {}, [](const ProgramRun& run) { return std::pair(run.n, run.p); });
  result.program = table.program;
  const std::string where = folders.size() == 1 ? folders.front() : "";
  const auto enough = predict::check_runs(table, where);
  if (size && enough) add_serial_work(table);
  add_warnings(warnings, table);
  predict::warn_of_runs(table);
  result.warnings = table.warnings;
  if (!size) {
    result.table = size.error();
  } else if (!enough) {
    result.table = enough.error();
  } else {
    result.table = std::move(table);
  }
  return result;
}

}  // namespace

// Each once, whatever names it has.
Result<std::vector<std::string>> recordings_in(const std::vector<std::string>& paths) {
  std::vector<std::string> folders;
  for (const std::string& path : paths)
    if (const auto added = add_folders(path, folders); !added) return added.error();
  std::set<fs::path> seen;
  std::erase_if(folders, [&seen](const std::string& folder) {
    std::error_code ignored;
    return !seen.insert(fs::canonical(folder, ignored)).second;
  });
  return folders;
}

Result<ProgramRun> program_run(const std::string& folder, const std::string& size_name,
                               const std::function<void(double done)>& progress) {
  auto run = trace::read_run_file(folder + "/run.json");
  if (!run) return run.error();
  const Described described{folder, std::move(*run)};
  const auto n = size_of(described, size_name);
  if (!n) return n.error();
  auto row = row_of(described, *n, progress);
  if (!row) return row.error();
  return std::move(row->run);
}

Result<ProgramTable> program_table_of_runs(const std::vector<std::string>& folders, const std::string& size_name,
                                           const std::function<void(double done, const char* what)>& progress) {
  auto recordings = read(folders, size_name, progress, true);
  if (!recordings) return recordings.error();
  return std::move(recordings->table);
}

Result<ProgramRecordings> read_program_recordings(const std::vector<std::string>& folders, const std::string& size_name,
                                                  const std::function<void(double done, const char* what)>& progress) {
  return read(folders, size_name, progress, false);
}

}  // namespace foretask::analysis
