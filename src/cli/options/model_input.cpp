// SPDX-License-Identifier: Apache-2.0
#include "cli/options/model_input.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/command.hpp"
#include "cli/options/input.hpp"
#include "foretask/analysis/kernel_table.hpp"
#include "report/kernel_match.hpp"

namespace foretask::cli {
namespace {

using analysis::TableKernel;

constexpr std::size_t kKernelsShown = 12;

std::string list_of(const std::vector<TableKernel>& kernels) {
  std::string list;
  for (std::size_t i = 0; i < std::min(kernels.size(), kKernelsShown); ++i)
    list += fmt::format("{}'{}' ({} {})", i == 0 ? "" : ", ", kernels[i].name, kernels[i].rows,
                        kernels[i].rows == 1 ? "row" : "rows");
  if (kernels.size() > kKernelsShown) list += fmt::format(" and {} more", kernels.size() - kKernelsShown);
  return list;
}

Result<std::string> choose(const std::vector<TableKernel>& kernels, const std::string& wanted,
                           const std::string& path) {
  if (kernels.empty()) return Error{.what = "has neither tasks nor samples of a kernel", .path = path};
  if (wanted.empty()) {
    if (kernels.size() == 1) return kernels.front().name;
    return Error{.what = fmt::format("has several kernels: choose one with --kernel. There are {}", list_of(kernels)),
                 .path = path};
  }
  std::vector<std::string> names;
  for (const TableKernel& kernel : kernels) names.push_back(kernel.name);
  const auto matched = report::match_kernels(names, wanted);
  if (!matched) return Error{.what = matched.error().what, .path = path};
  if (matched->size() == 1) return names[matched->front()];
  std::vector<TableKernel> several;
  for (const std::uint32_t index : *matched) several.push_back(kernels[index]);
  return Error{.what = fmt::format("'{}' may mean {}. Give --kernel a whole name", wanted, list_of(several)),
               .path = path};
}

}  // namespace

void add_model_input(CLI::App& command, std::string& file, std::string& kernel) {
  command.add_option("FILE", file, "A CSV file (column names, then rows of numbers), or the folder of a recorded run")
      ->required();
  command
      .add_option("--kernel", kernel, "For a run: the kernel's name, as in foretask report (default: the only kernel)")
      ->check(CLI::Validator(check_not_empty, "NAME"));
}

bool has_target(const std::string& path, const std::string& target) {
  std::error_code ignored;
  if (!target.empty() || std::filesystem::is_directory(path, ignored)) return true;
  fail("--target is required: name the column to explain");
  return false;
}

Result<ModelInput> load_model_input(const std::string& path, const std::string& kernel, const std::string& target) {
  ModelInput input;
  input.name = path;
  input.target = target;
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    if (!kernel.empty()) return Error{.what = "is not a recorded run: leave out --kernel", .path = path};
    auto table = analysis::read_data_table(path);
    if (!table) return table.error();
    input.table = std::move(*table);
    return input;
  }
  const auto run = load_run(path);
  if (!run) return run.error();
  const auto name = choose(analysis::table_kernels(*run), kernel, path);
  if (!name) return name.error();
  auto table = analysis::kernel_table(*run, *name);
  if (!table) return Error{.what = table.error().what, .path = path};
  if (table->left_out != 0)
    note(fmt::format("{} of {} {} of {} are left out: they lack a parameter or a counter", table->left_out,
                     table->left_out + table->table.rows(), table->of_samples ? "samples" : "tasks", *name));
  input.name = fmt::format("{}: {}", path, *name);
  if (target.empty()) input.target = analysis::kTimeColumn;
  input.parameters = table->parameters;
  if (input.parameters.empty())
    for (const std::string& counter : table->counters)
      if (counter != input.target) input.parameters.push_back(counter);
  input.table = std::move(table->table);
  return input;
}

}  // namespace foretask::cli
