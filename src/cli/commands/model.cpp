// SPDX-License-Identifier: Apache-2.0
// foretask model: its sub-commands. Each adds itself to `model` and gives what runs it, as the commands do.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/input.hpp"
#include "cli/options/lists.hpp"
#include "foretask/analysis/data_table.hpp"
#include "foretask/analysis/evaluate.hpp"
#include "foretask/analysis/kernel_table.hpp"
#include "foretask/analysis/model_fit.hpp"
#include "foretask/analysis/model_store.hpp"
#include "foretask/result.hpp"
#include "report/model/models.hpp"
#include "report/plain_text.hpp"
#include "report/short_names.hpp"

namespace foretask::cli {
namespace {

using analysis::TableKernel;

// What models are fitted to and judged on: a file of comma-separated values, or a kernel of a recorded run.
struct ModelInput {
  analysis::DataTable table;
  std::string name;                     // for errors and headings: the path, and the kernel
  std::string target;                   // a column
  std::vector<std::string> parameters;  // that are used where the user names none; empty: all other columns
};

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

// FILE, which is required, and --kernel.
void add_model_input(CLI::App& command, std::string& file, std::string& kernel) {
  command.add_option("FILE", file, "A CSV file (column names, then rows of numbers), or the folder of a recorded run")
      ->required();
  command
      .add_option("--kernel", kernel, "For a run: the kernel's name, as in foretask report (default: the only kernel)")
      ->check(CLI::Validator(check_not_empty, "NAME"));
}

// False, and said, where `path` is no folder and `target` is empty: wrong usage.
bool has_target(const std::string& path, const std::string& target) {
  std::error_code ignored;
  if (!target.empty() || std::filesystem::is_directory(path, ignored)) return true;
  fail("--target is required: name the column to explain");
  return false;
}

// `kernel` empty: the one that there is. `target` empty: the time, of a run. The errors list what there is. Rows that
// are left out are said on standard error.
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

struct FitCommand {
  std::string file;
  std::string kernel;
  std::string target;
  std::string parameters;
  std::string terms;
  std::string save;
  bool json = false;
};

// Without the spaces around the parts.
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names = split(list);
  for (std::string& name : names) {
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    name.erase(name.find_last_not_of(' ') + 1);
  }
  return names;
}

std::string check_names(const std::string& text) {
  for (const std::string& name : names_in(text))
    if (name.empty()) return "'" + text + "' has an empty name";
  return {};
}

std::string check_terms(const std::string& text) {
  for (const std::string& term : names_in(text))
    if (const std::string problem = analysis::check_term(term); !problem.empty()) return problem;
  return {};
}

int run(const FitCommand& options) {
  if (!has_target(options.file, options.target)) return kExitUsage;
  const auto input = load_model_input(options.file, options.kernel, options.target);
  if (!input) return fail(input.error());
  analysis::FitOptions settings{.target = input->target, .parameters = input->parameters};
  if (!options.parameters.empty()) settings.parameters = names_in(options.parameters);
  if (!options.terms.empty()) settings.terms = names_in(options.terms);
  if (settings.parameters.empty() && settings.terms.empty() && input->table.names.size() == 1)
    return fail(Error{
        .what = "has neither parameters nor counters to explain its time. Record some with --counters PAPI_TOT_INS",
        .path = input->name});
  const auto fit = analysis::fit_model(input->table, settings);
  if (!fit) return fail(Error{.what = fit.error().what, .path = input->name});
  if (!options.save.empty()) {
    const auto saved = analysis::save_fitted_model({}, options.save, input->table, *fit);
    if (!saved) return fail(saved.error());
    note("saved as the model of kernel '" + options.save + "' in " + *saved);
  }
  return print_or_fail(options.json ? report::model_fit_json(*fit) : report::wrapped(report::model_fit_text(*fit)));
}

// foretask model fit: terms and coefficients of a kernel's time.
Command add_model_fit(CLI::App& model) {
  auto options = std::make_shared<FitCommand>();
  CLI::App* command = model.add_subcommand(
      "fit", "Fit a model to a kernel's time, with given terms or with terms that are searched for");
  add_model_input(*command, options->file, options->kernel);
  command->add_option("--target", options->target, "The column to explain (default for a run: time, in ns)")
      ->check(CLI::Validator(check_not_empty, "COLUMN"));
  command
      ->add_option(
          "--params", options->parameters,
          "The columns to explain it with, as in a,b (default: all others; for a run the kernel's parameters, or its "
          "counters if it has none)")
      ->check(CLI::Validator(check_not_empty, ""))
      ->check(CLI::Validator(check_names, "LIST"));
  command
      ->add_option("--terms", options->terms,
                   "The terms to fit, as in 1,a,a*b,b^2,log(a),a/b (default: search for them)")
      ->check(CLI::Validator(check_terms, "LIST"));
  command
      ->add_option("--save", options->save,
                   "Store the model for this kernel. A program that learns starts from it. The target must be in ns")
      ->check(CLI::Validator(check_not_empty, "KERNEL"));
  command->add_flag("--json", options->json, "Write JSON");
  return {command, [options] { return run(*options); }};
}

using analysis::EvaluationMethod;

struct EvaluateCommand {
  std::string file;
  std::string kernel;
  std::string target;
  std::string parameter;
  std::string methods;
  bool json = false;
};

std::string method_names() {
  std::string names;
  for (const EvaluationMethod method : analysis::kEvaluationMethods) {
    if (!names.empty()) names += ",";
    names += analysis::method_name(method);
  }
  return names;
}

// Each once, in the order given.
Result<std::vector<EvaluationMethod>> parse_methods(const std::string& list) {
  std::vector<EvaluationMethod> methods;
  for (const std::string& name : split(list)) {
    const auto method = analysis::method_from_name(name);
    if (!method) return Error{fmt::format("no method is called '{}'; there are {}", name, method_names())};
    if (std::find(methods.begin(), methods.end(), *method) == methods.end()) methods.push_back(*method);
  }
  return methods;
}

int run(const EvaluateCommand& options) {
  if (!has_target(options.file, options.target)) return kExitUsage;
  const auto input = load_model_input(options.file, options.kernel, options.target);
  if (!input) return fail(input.error());
  const auto evaluation =
      analysis::evaluate_methods(input->table, input->target, options.parameter, *parse_methods(options.methods));
  if (!evaluation) return fail(Error{.what = evaluation.error().what, .path = input->name});
  return print_or_fail(options.json ? report::evaluation_json(*evaluation)
                                    : report::wrapped(report::evaluation_text(input->name, input->target,
                                                                              options.parameter, *evaluation)));
}

// foretask model evaluate: predictions by several methods of the rows of a table.
Command add_model_evaluate(CLI::App& model) {
  auto options = std::make_shared<EvaluateCommand>();
  options->methods = method_names();
  CLI::App* command =
      model.add_subcommand("evaluate", "Compare what several methods would have predicted for measured times");
  add_model_input(*command, options->file, options->kernel);
  command->add_option("--target", options->target, "The column of measured times (default for a run: time, in ns)");
  command
      ->add_option("--params", options->parameter,
                   "The column that the times depend on, such as a size or an instruction count")
      ->required();
  command->add_option("--methods", options->methods, "The methods to compare, as in first,best (default: all)")
      ->check(CLI::Validator(check<parse_methods>, "LIST"));
  command->add_flag("--json", options->json, "Write JSON");
  return {command, [options] { return run(*options); }};
}

struct ShowCommand {
  std::string kernel;
  std::vector<std::string> values;
  bool all_machines = false;
  bool json = false;
};

// "n=512" as a name and a number.
Result<std::pair<std::string, double>> parse_value(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const bool has_both = equals != std::string::npos && equals != 0 && equals + 1 != text.size();
  char* end = nullptr;
  const double value = has_both ? std::strtod(text.c_str() + equals + 1, &end) : 0;
  if (!has_both || *end != '\0' || !std::isfinite(value)) return Error{"'" + text + "' is not NAME=NUMBER"};
  return std::pair(text.substr(0, equals), value);
}

int run(const ShowCommand& options) {
  if (!options.values.empty() && options.kernel.empty())
    return wrong_usage("--set needs a kernel: foretask model show KERNEL --set NAME=NUMBER");
  analysis::StoreQuery query{.kernel = options.kernel, .all_machines = options.all_machines};
  for (const std::string& value : options.values) query.values.push_back(*parse_value(value));
  const auto listing = analysis::read_model_store(query);
  if (!listing) return fail(listing.error());
  return print_or_fail(options.json ? report::model_store_json(*listing)
                                    : report::wrapped(report::model_store_text(*listing, !options.kernel.empty())));
}

// foretask model show: the stored models of kernels and their predictions.
Command add_model_show(CLI::App& model) {
  auto options = std::make_shared<ShowCommand>();
  CLI::App* command = model.add_subcommand("show", "Show the stored kernel models and what they predict");
  command->add_option("KERNEL", options->kernel, "The kernel's name (default: all kernels)");
  command
      ->add_option("--set", options->values,
                   "Predict for these parameter values, as in n=512,m=64. Each parameter needs one")
      ->delimiter(',')
      ->check(CLI::Validator(check<parse_value>, "NAME=NUMBER"));
  command->add_flag("--all-machines", options->all_machines, "Show the models of all machines, not of this one only");
  command->add_flag("--json", options->json, "Write JSON");
  return {command, [options] { return run(*options); }};
}

}  // namespace

Command add_model(CLI::App& app) {
  CLI::App* model = app.add_subcommand("model", "Model how long a kernel takes, from its parameters");
  model->require_subcommand(1);
  const std::vector<Command> commands{add_model_fit(*model), add_model_evaluate(*model), add_model_show(*model)};
  return {model, [commands] {
            for (const Command& command : commands)
              if (command.app->parsed()) return command.run();
            return kExitUsage;
          }};
}

}  // namespace foretask::cli
