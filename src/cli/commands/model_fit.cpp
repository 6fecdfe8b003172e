// SPDX-License-Identifier: Apache-2.0
// foretask model fit: which terms of a kernel's parameters explain its time.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands/model.hpp"
#include "cli/options/lists.hpp"
#include "cli/options/model_input.hpp"
#include "foretask/analysis/data_table.hpp"
#include "foretask/analysis/model_fit.hpp"
#include "foretask/analysis/model_store.hpp"
#include "report/model/model_fit.hpp"
#include "report/plain_text.hpp"

namespace foretask::cli {
namespace {

struct Options {
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

int run(const Options& options) {
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

}  // namespace

Command add_model_fit(CLI::App& model) {
  auto options = std::make_shared<Options>();
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

}  // namespace foretask::cli
