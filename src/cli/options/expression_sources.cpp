// SPDX-License-Identifier: Apache-2.0
#include "cli/options/expression_sources.hpp"

#include <filesystem>
#include <utility>

#include "cli/command.hpp"
#include "cli/options/input.hpp"
#include "foretask/analysis/sample_file.hpp"
#include "foretask/analysis/task_times.hpp"

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

// Where the run's folder ends: at the last slash before which there is a folder, else npos.
std::size_t end_of_run(const std::string& text) {
  if (is_folder(text)) return text.size();
  for (std::size_t slash = text.rfind('/'); slash != std::string::npos && slash > 0; slash = text.rfind('/', slash - 1))
    if (is_folder(text.substr(0, slash))) return slash;
  return std::string::npos;
}

}  // namespace

Result<analysis::MeasuredTimes> ExpressionSources::file(const std::string& text) {
  std::string path = text;
  std::string column;
  if (!is_there(path)) {
    for (std::size_t colon = text.rfind(':'); colon != std::string::npos && colon > 0;
         colon = text.rfind(':', colon - 1)) {
      if (!is_there(text.substr(0, colon))) continue;
      path = text.substr(0, colon);
      column = text.substr(colon + 1);
      if (column.empty()) return Error{.what = "the column's name after the colon is missing", .path = path};
      break;
    }
  }
  auto samples = analysis::read_samples(path, column);
  if (!samples) return samples.error();
  for (const std::string& warning : samples->warnings) note("warning: " + warning);
  return analysis::MeasuredTimes{std::move(samples->values), {}};
}

Result<analysis::MeasuredTimes> ExpressionSources::kernel(const std::string& text) {
  const std::size_t end = end_of_run(text);
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

analysis::DistributionSources ExpressionSources::callables() {
  return {.file = [](const std::string& text) { return file(text); },
          .kernel = [this](const std::string& text) { return kernel(text); }};
}

}  // namespace foretask::cli
