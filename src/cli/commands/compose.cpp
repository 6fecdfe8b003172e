// SPDX-License-Identifier: Apache-2.0
// foretask compose: the time of what is made of parts whose times are a matter of chance.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/input.hpp"
#include "foretask/analysis/compose.hpp"
#include "foretask/analysis/distribution_text.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/analysis/sample_file.hpp"
#include "foretask/analysis/task_times.hpp"
#include "foretask/result.hpp"
#include "report/plain_text.hpp"
#include "report/predict/composition.hpp"

namespace foretask::cli {
namespace {

constexpr double kSecondsPerNs = 1e-9;

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// Where the longest path that `exists` ends: with the text, or before a separator; npos: there is none.
std::size_t end_of_path(const std::string& text, char separator, bool (*exists)(const std::string&)) {
  if (exists(text)) return text.size();
  for (std::size_t at = text.rfind(separator); at != std::string::npos && at > 0; at = text.rfind(separator, at - 1))
    if (exists(text.substr(0, at))) return at;
  return std::string::npos;
}

// Where the leaves of an expression of distributions come from: files and recordings. One thread.
class ExpressionSources {
 public:
  // PATH or PATH:COLUMN; a file whose name holds a colon comes first. In the file's own unit. Its warnings are said.
  [[nodiscard]] static Result<analysis::MeasuredTimes> file(const std::string& text) {
    const std::size_t end = std::min(end_of_path(text, ':', is_there), text.size());
    const std::string path = text.substr(0, end);
    const std::string column = end < text.size() ? text.substr(end + 1) : std::string();
    if (end < text.size() && column.empty())
      return Error{.what = "the column's name after the colon is missing", .path = path};
    auto samples = analysis::read_samples(path, column);
    if (!samples) return samples.error();
    for (const std::string& warning : samples->warnings) note("warning: " + warning);
    return analysis::MeasuredTimes{std::move(samples->values), {}};
  }

  // RUN/NAME, RUN the longest part that is a folder: the kernel's tasks, in seconds. Each run is opened once, its
  // warnings are said.
  [[nodiscard]] Result<analysis::MeasuredTimes> kernel(const std::string& text) {
    const std::size_t end = end_of_path(text, '/', is_folder);
    if (end == std::string::npos) return Error{.what = "no part of it is the folder of a recorded run", .path = text};
    const std::string path = text.substr(0, end);
    const std::string name = end < text.size() ? text.substr(end + 1) : std::string();
    if (name.empty()) return Error{.what = "the kernel's name is missing: write kernel:RUN/NAME", .path = path};
    auto known = runs_.find(path);
    if (known == runs_.end()) {
      auto run = load_run(path);
      if (!run) return run.error();
      for (const std::string& warning : run->report().warnings) note("warning: " + warning);
      known = runs_.emplace(path, std::move(*run)).first;
    }
    auto times = analysis::task_times(known->second, name);
    if (!times) return Error{.what = times.error().message(), .path = path};
    for (const analysis::SpeculativeSection& section : known->second.report().speculative)
      if (section.name == times->kernel && section.ended != 0)
        note(section.name + ": " + std::to_string(section.ended) +
             " of its searches ended without a solution. Their times count as complete");
    for (double& value : times->ns) value *= kSecondsPerNs;
    return analysis::MeasuredTimes{std::move(times->ns), std::move(times->ended)};
  }

  [[nodiscard]] bool has_recorded_times() const { return !runs_.empty(); }

  // Of this object, which has to stay.
  [[nodiscard]] analysis::DistributionSources callables() {
    return {.file = [](const std::string& text) { return file(text); },
            .kernel = [this](const std::string& text) { return kernel(text); }};
  }

 private:
  std::map<std::string, analysis::Run> runs_;
};

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
