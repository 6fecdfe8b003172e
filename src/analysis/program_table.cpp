// SPDX-License-Identifier: Apache-2.0
// Tables of a program's runs, of their recordings.
#include "foretask/analysis/program_table.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "analysis/described_runs.hpp"
#include "analysis/memory_traffic.hpp"
#include "analysis/run_impl.hpp"
#include "foretask/analysis/program_recordings.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/analysis/speculation.hpp"
#include "model/store/program_input.hpp"
#include "predict/program/table_checks.hpp"
#include "statistics/quantile.hpp"
#include "trace/run_file.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::analysis {
namespace {

namespace fs = std::filesystem;

using wiring::Described;

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
    const auto loop = std::find_if(report.loops.begin(), report.loops.end(),
                                   [&kernel](const LoopSummary& summary) { return summary.name == kernel.name; });
    const bool has_iterations = loop != report.loops.end() && loop->iterations > 0;
    const double tasks = static_cast<double>(has_iterations ? loop->iterations : kernel.count);
    row.kernels.push_back({kernel.name, tasks, static_cast<double>(kernel.work_ns),
                           static_cast<double>(kernel.critical_path_ns), kernel.code, memory_bytes_of(kernel)});
  }
  row.source = one.folder;
  row.costs = report.costs;
  if (report.baseline && report.baseline->own.ended_like(report.baseline->recorded))
    row.baseline = static_cast<double>(report.baseline->own.elapsed_ns);
  whole.searches = speculative_searches(*run);
  return whole;
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
  const auto all = wiring::describe(folders);
  if (!all) return all.error();
  if (all->empty()) return Error{"a table needs at least one recording"};
  if (const auto one = wiring::check_one_program(*all); !one) return one.error();
  const auto size = wiring::size_name_of(*all, size_name);
  if (!size && (needs_table || !size_name.empty() || !wiring::have_same_parameters(*all))) return size.error();
  ProgramRecordings result;
  ProgramTable table;
  if (size) {
    table.size_name = *size;
    table.inputs = model::other_inputs(wiring::numbers_of(all->front().run), *size);
    result.size_name = *size;
  }
  table.program = wiring::program_of(all->front().run);
  table.machine = all->front().run.machine.fingerprint;
  wiring::note_versions(*all, table);
  std::vector<std::pair<std::string, std::string>> warnings;
  for (std::size_t i = 0; i < all->size(); ++i) {
    const Described& one = (*all)[i];
    const auto part = [&](double done) {
      if (progress) progress((static_cast<double>(i) + done) / static_cast<double>(all->size()), one.folder.c_str());
    };
    auto row = row_of(one, size ? *wiring::size_of(one, *size) : 0, part);
    if (!row) return row.error();
    if (!row->searches.empty()) result.searches.push_back({one.folder, row->run.n, std::move(row->searches)});
    table.runs.push_back(std::move(row->run));
    for (std::string& text : row->warnings) warnings.emplace_back(one.folder, std::move(text));
  }
  std::stable_sort(table.runs.begin(), table.runs.end(),
                   [](const ProgramRun& a, const ProgramRun& b) { return a.n != b.n ? a.n < b.n : a.p < b.p; });
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
  const auto n = wiring::size_of(described, size_name);
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
