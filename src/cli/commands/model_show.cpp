// SPDX-License-Identifier: Apache-2.0
// foretask model show: what is stored of kernels, and what it predicts.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/model.hpp"
#include "foretask/analysis/model_store.hpp"
#include "report/model/model_store.hpp"
#include "report/plain_text.hpp"

namespace foretask::cli {
namespace {

struct Options {
  std::string kernel;
  std::vector<std::string> values;
  bool all_machines = false;
  bool json = false;
};

// "n=512" as a name and a number; an empty name where it is none.
std::pair<std::string, double> parse_value(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) return {};
  char* end = nullptr;
  const double value = std::strtod(text.c_str() + equals + 1, &end);
  if (*end != '\0' || !std::isfinite(value)) return {};
  return {text.substr(0, equals), value};
}

std::string check_value(const std::string& text) {
  return parse_value(text).first.empty() ? "'" + text + "' is not NAME=NUMBER" : std::string();
}

int run(const Options& options) {
  if (!options.values.empty() && options.kernel.empty())
    return wrong_usage("--set needs a kernel: foretask model show KERNEL --set NAME=NUMBER");
  analysis::StoreQuery query{.kernel = options.kernel, .all_machines = options.all_machines};
  for (const std::string& value : options.values) query.values.push_back(parse_value(value));
  const auto listing = analysis::read_model_store(query);
  if (!listing) return fail(listing.error());
  return print_or_fail(options.json ? report::model_store_json(*listing)
                                    : report::wrapped(report::model_store_text(*listing, !options.kernel.empty())));
}

}  // namespace

Command add_model_show(CLI::App& model) {
  auto options = std::make_shared<Options>();
  CLI::App* command = model.add_subcommand("show", "Show the stored kernel models and what they predict");
  command->add_option("KERNEL", options->kernel, "The kernel's name (default: all kernels)");
  command
      ->add_option("--set", options->values,
                   "Predict for these parameter values, as in n=512,m=64. Each parameter needs one")
      ->delimiter(',')
      ->check(CLI::Validator(check_value, "NAME=NUMBER"));
  command->add_flag("--all-machines", options->all_machines, "Show the models of all machines, not of this one only");
  command->add_flag("--json", options->json, "Write JSON");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
