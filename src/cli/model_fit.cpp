// SPDX-License-Identifier: Apache-2.0
// foretask model fit: which terms of a kernel's parameters explain its time.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/model.hpp"
#include "foretask/analysis/data_table.hpp"
#include "foretask/analysis/model_fit.hpp"
#include "foretask/analysis/model_store.hpp"
#include "report/model_fit.hpp"

namespace foretask::cli {
namespace {

struct Options {
  std::string file;
  std::string target;
  std::string parameters;
  std::string terms;
  std::string save;
  bool json = false;
};

// Parts at commas, without the spaces around them.
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::size_t first = list.find_first_not_of(' ', at);
    std::string part = first < comma ? list.substr(first, comma - first) : std::string();
    part.erase(part.find_last_not_of(' ') + 1);
    parts.push_back(std::move(part));
    at = comma + 1;
  }
  return parts;
}

std::string check_names(const std::string& text) {
  for (const std::string& name : split(text))
    if (name.empty()) return "'" + text + "' has an empty name";
  return {};
}

std::string check_terms(const std::string& text) {
  for (const std::string& term : split(text))
    if (const std::string problem = analysis::check_term(term); !problem.empty()) return problem;
  return {};
}

int run(const Options& options) {
  const auto table = analysis::read_data_table(options.file);
  if (!table) return fail(table.error());
  analysis::FitOptions settings{.target = options.target};
  if (!options.parameters.empty()) settings.parameters = split(options.parameters);
  if (!options.terms.empty()) settings.terms = split(options.terms);
  const auto fit = analysis::fit_model(*table, settings);
  if (!fit) return fail(Error{.what = fit.error().what, .path = options.file});
  if (!options.save.empty()) {
    const auto saved = analysis::save_fitted_model({}, options.save, *table, *fit);
    if (!saved) return fail(saved.error());
    note("saved as the model of kernel '" + options.save + "' in " + *saved);
  }
  return print_or_fail(options.json ? report::model_fit_json(*fit) : report::model_fit_text(*fit));
}

}  // namespace

Command add_model_fit(CLI::App& model) {
  auto options = std::make_shared<Options>();
  CLI::App* command = model.add_subcommand("fit", "Fit a model of named terms, or find the terms");
  command->add_option("FILE", options->file, "Comma-separated values: a line of names, then a row an observation")
      ->required();
  command->add_option("--target", options->target, "The column to explain")
      ->required()
      ->check(CLI::Validator(check_not_empty, "COLUMN"));
  command
      ->add_option("--params", options->parameters, "The columns to explain it with, as in a,b (default: all others)")
      ->check(CLI::Validator(check_not_empty, ""))
      ->check(CLI::Validator(check_names, "LIST"));
  command->add_option("--terms", options->terms, "The terms to fit, as in 1,a,a*b,b^2,log(a),a/b (default: find them)")
      ->check(CLI::Validator(check_terms, "LIST"));
  command
      ->add_option("--save", options->save,
                   "Keep the model in the store for this kernel, to be calibrated by the program (the target is in ns)")
      ->check(CLI::Validator(check_not_empty, "KERNEL"));
  command->add_flag("--json", options->json, "Write JSON");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
