// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/program_store.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "base/region_name.hpp"
#include "model/store/program_store.hpp"
#include "model/store/store.hpp"
#include "model/store/tuned_program.hpp"
#include "runtime/recording/topology.hpp"

namespace foretask::analysis {
namespace {

constexpr const char* kSerialPart = "(serial part)";
// Workers are too many that gain less.
constexpr double kGain = 0.02;

void warn(const std::string& text) { std::fprintf(stderr, "foretask: warning: %s\n", text.c_str()); }

model::ProgramRow row_of(const ProgramRun& run, const ProgramTable& table) {
  model::ProgramRow row;
  row.inputs = table.inputs;
  row.n = run.n;
  row.size = table.size_name;
  row.p = run.p;
  row.time = run.time;
  row.delay = run.delay;
  row.no_work = run.no_work;
  row.span = run.span;
  row.build_id = table.build_id;
  for (const ProgramKernel& kernel : run.kernels) {
    if (kernel.name == kSerialPart) {
      row.serial += kernel.work;
    } else if (!kernel.code.empty()) {
      row.kernels.push_back({kernel.code, kernel.tasks, kernel.work});
    }
  }
  row.serial = std::min(row.serial, row.time);
  // How much of it comes first a table does not say.
  row.head = row.serial / 2;
  row.work = std::max(0.0, run.work - row.serial);
  return row;
}

}  // namespace

Result<std::string> save_program_table(const std::string& home, const ProgramTable& table) {
  const std::string program = table.program.substr(table.program.rfind('/') + 1);
  if (program.empty()) return Error{.what = "the table does not say which program its runs are of"};
  if (table.runs.empty()) return Error{.what = "the table has no runs"};
  const auto folder = model::store_home(home);
  if (!folder) return folder.error();
  model::ProgramStore store(*folder, table.machine.empty() ? runtime::read_machine().fingerprint : table.machine, warn);
  std::vector<model::ProgramRow> rows;
  for (const ProgramRun& run : table.runs) rows.push_back(row_of(run, table));
  if (const auto added = store.add(program, rows); !added) return added.error();
  return store.path_of(program);
}

Result<ProgramTable> load_program_table(const std::string& home, const std::string& program) {
  const auto folder = model::store_home(home);
  if (!folder) return folder.error();
  ProgramTable table;
  table.program = program;
  table.machine = runtime::read_machine().fingerprint;
  model::ProgramStore store(*folder, table.machine, warn);
  std::vector<model::ProgramRow> rows = store.load(program);
  std::erase_if(rows, [](const model::ProgramRow& row) { return !(row.n > 0); });
  if (rows.empty()) return Error{.what = "no run of " + program + " is stored", .path = store.path_of(program)};
  // A table is of one build, with one setting beside n.
  std::erase_if(rows, [newest = rows.front()](const model::ProgramRow& row) {
    return row.build_id != newest.build_id || row.inputs != newest.inputs;
  });
  table.build_id = rows.front().build_id;
  table.inputs = rows.front().inputs;
  const auto named = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return !row.size.empty(); });
  if (named != rows.end()) table.size_name = named->size;
  for (const model::ProgramRow& row : rows) {
    ProgramRun run;
    run.n = row.n;
    run.p = row.p;
    run.work = row.work + row.serial;
    run.delay = row.delay;
    run.no_work = row.no_work;
    run.time = row.time;
    run.span = row.span;
    run.source = row.saved;
    for (const auto& kernel : row.kernels)
      run.kernels.push_back({.name = kernel.kernel, .tasks = kernel.tasks, .work = kernel.work, .code = kernel.kernel});
    run.kernels.push_back({.name = kSerialPart, .tasks = 0, .work = row.serial});
    std::stable_sort(run.kernels.begin(), run.kernels.end(),
                     [](const ProgramKernel& a, const ProgramKernel& b) { return a.work > b.work; });
    for (const auto& kernel : row.kernels)
      if (!base::is_team_name(kernel.kernel)) run.create_task += kernel.tasks;
    table.runs.push_back(std::move(run));
  }
  return table;
}

unsigned enough_workers(const std::string& home, const std::string& program) {
  const auto folder = model::store_home(home);
  // Who has stored no program does not wait for the machine to be looked at.
  std::error_code error;
  if (!folder || !std::filesystem::exists(*folder + "/programs", error)) return 0;
  const auto table = load_program_table(home, program);
  // Where small tasks are run at once, what they cost on more workers says nothing.
  if (!table || !model::TunedStore(*folder, program, warn).load().places.empty()) return 0;
  std::map<double, std::map<double, double>> times;  // by n, and by workers the shortest
  for (const ProgramRun& run : table->runs) {
    const auto [at, is_new] = times[run.n].try_emplace(run.p, run.time);
    if (!is_new) at->second = std::min(at->second, run.time);
  }
  double enough = 0;
  for (const auto& [n, by_workers] : times) {
    const auto is_shorter = [](const auto& a, const auto& b) { return a.second < b.second; };
    const double best = std::min_element(by_workers.begin(), by_workers.end(), is_shorter)->second;
    const auto fewest = std::find_if(by_workers.begin(), by_workers.end(),
                                     [best](const auto& one) { return one.second <= (1 + kGain) * best; });
    // Where the most that were tried are the best, more may be better.
    if (by_workers.size() > 1 && std::next(fewest) == by_workers.end()) return 0;
    if (by_workers.size() > 1) enough = std::max(enough, fewest->first);
  }
  return static_cast<unsigned>(enough);
}

Result<std::size_t> forget_tuning(const std::string& home, const std::string& program) {
  const auto folder = model::store_home(home);
  if (!folder) return folder.error();
  model::TunedStore store(*folder, program, warn);
  return program.empty() ? store.forget_all() : store.forget();
}

}  // namespace foretask::analysis
