// SPDX-License-Identifier: Apache-2.0
// foretask compose: the time of what is made of parts whose times are a matter of chance.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/expression_sources.hpp"
#include "foretask/analysis/compose.hpp"
#include "foretask/analysis/distribution_text.hpp"
#include "report/plain_text.hpp"
#include "report/predict/composition.hpp"

namespace foretask::cli {
namespace {

constexpr std::uint32_t kMostResamplings = 100'000;
// Of the lines beside the answer: enough to know how many of their digits count.
constexpr std::uint32_t kResamplingsOfOthers = 40;

struct Options {
  std::string expression;
  std::string method = "auto";
  std::uint32_t resamplings = analysis::ComposeOptions{}.resamplings;
  std::uint64_t seed = analysis::ComposeOptions{}.seed;
  bool json = false;
};

std::string check_method(const std::string& text) {
  return analysis::compose_method_from_name(text)
             ? std::string{}
             : "'" + text + "' is not a method: choose auto, empirical, gld or mixture";
}

Error at_compose(const Error& error) { return Error{.what = error.message(), .path = "compose"}; }

// Half as many, twice and four times as many.
Result<std::vector<report::OtherCopies>> other_copies(const analysis::ParallelCopies& copies,
                                                      analysis::ComposeOptions options) {
  options.resamplings = std::min(options.resamplings, kResamplingsOfOthers);
  std::vector<std::uint64_t> counts;
  if (copies.n > 1) counts.push_back(copies.n / 2);
  for (const std::uint64_t factor : {2, 4})
    if (copies.n <= analysis::kMostCopies / factor) counts.push_back(copies.n * factor);
  std::vector<report::OtherCopies> others;
  for (const std::uint64_t n : counts) {
    const auto other = copies.first_ends ? analysis::Distribution::first_of(n, copies.part)
                                         : analysis::Distribution::all_of(n, copies.part);
    if (!other) return other.error();
    const auto result = analysis::compose(*other, options);
    if (!result) return result.error();
    report::OtherCopies row{.n = n, .mean = result->mean, .p90 = result->quantiles[6]};
    row.beyond_sample = result->beyond_sample;
    row.p90_beyond = result->beyond[6];
    if (result->errors) {
      row.mean_error = result->errors->mean;
      row.p90_error = result->errors->quantiles[6];
    }
    others.push_back(row);
  }
  return others;
}

int run(const Options& options) {
  ExpressionSources sources;
  const auto parsed = analysis::parse_expression(options.expression, sources.callables());
  if (!parsed) return fail(at_compose(parsed.error()));
  const analysis::ComposeOptions settings{.method = *analysis::compose_method_from_name(options.method),
                                          .resamplings = options.resamplings,
                                          .seed = options.seed};
  auto result = analysis::compose(parsed->distribution, settings);
  if (!result) return fail(at_compose(result.error()));

  report::ComposedExpression composed;
  composed.expression = options.expression;
  composed.result = std::move(*result);
  composed.has_recorded_times = sources.has_recorded_times();
  if (parsed->copies) {
    auto others = other_copies(*parsed->copies, settings);
    if (!others) return fail(at_compose(others.error()));
    composed.first_ends = parsed->copies->first_ends;
    composed.copies = parsed->copies->n;
    composed.others = std::move(*others);
  }
  return print_or_fail(options.json ? composition_json(composed) : report::wrapped(composition_text(composed)));
}

}  // namespace

Command add_compose(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "compose",
      "Combine random task times: sums, branches, first of N, last of N. All parts count as independent, "
      "identical ones too");
  command
      ->add_option("EXPRESSION", options->expression,
                   "For example 'seq(exp(1), or(16, file:search.csv), branch(0.3: normal(2,0.1), 0.7: const(1)))'")
      ->required();
  command->add_option("--method", options->method, "How measured times become a distribution (default auto)")
      ->check(CLI::Validator(check_method, "{auto,empirical,gld,mixture}"));
  command
      ->add_option("--resamplings", options->resamplings,
                   "Number of bootstrap resamples for the standard errors (default 200; 0: no standard errors)")
      ->check(CLI::Validator(whole_number(0, kMostResamplings), "N"));
  command->add_option("--seed", options->seed, "Random seed (default 1)")->check(CLI::Validator(whole_number(), "N"));
  command->add_flag("--json", options->json, "Write JSON");
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
