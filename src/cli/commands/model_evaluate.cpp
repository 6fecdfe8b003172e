// SPDX-License-Identifier: Apache-2.0
// foretask model evaluate: what methods of prediction would have said of a table's rows.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/model.hpp"
#include "cli/options/lists.hpp"
#include "cli/options/model_input.hpp"
#include "foretask/analysis/evaluate.hpp"
#include "report/model/evaluation.hpp"
#include "report/plain_text.hpp"

namespace foretask::cli {
namespace {

using analysis::EvaluationMethod;

struct Options {
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

int run(const Options& options) {
  if (!has_target(options.file, options.target)) return kExitUsage;
  const auto input = load_model_input(options.file, options.kernel, options.target);
  if (!input) return fail(input.error());
  const auto evaluation =
      analysis::evaluate_methods(input->table, input->target, options.parameter, *parse_methods(options.methods));
  if (!evaluation) return fail(Error{.what = evaluation.error().what, .path = input->name});
  return print_or_fail(options.json ? report::evaluation_json(*evaluation)
                                    : report::wrapped(report::evaluation_text(
                                          {input->name, input->target, options.parameter}, *evaluation)));
}

}  // namespace

Command add_model_evaluate(CLI::App& model) {
  auto options = std::make_shared<Options>();
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

}  // namespace foretask::cli
