// SPDX-License-Identifier: Apache-2.0
#include "analysis/described_runs.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "predict/program/table_checks.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::wiring {
namespace {

namespace fs = std::filesystem;

using Parameters = std::map<std::string, std::string>;

Parameters parameters_of(const trace::RunFile& run) {
  Parameters parameters;
  for (const auto& [name, value] : run.params) parameters[name] = value;
  return parameters;
}

std::optional<double> number_of(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::string code_of(const trace::RunFile& run) {
  for (const trace::Module& module : run.modules)
    if (module.path == run.program) return module.build_id;
  return {};
}

std::string machine_words(const trace::Machine& machine) {
  return (machine.host.empty() ? "a machine" : machine.host) + " (" + machine.processor_model + ", " +
         std::to_string(machine.processors) + " processors, fingerprint " + machine.fingerprint + ")";
}

// The values of each parameter that any of the runs has; one that a run lacks is an empty value.
std::map<std::string, std::set<std::string>> values_of(const std::vector<Described>& all) {
  std::map<std::string, std::set<std::string>> values;
  std::vector<Parameters> parameters;
  for (const Described& one : all) parameters.push_back(parameters_of(one.run));
  for (const Parameters& one : parameters)
    for (const auto& [name, value] : one) values[name];
  for (const Parameters& one : parameters) {
    for (auto& [name, known] : values) {
      const auto found = one.find(name);
      known.insert(found == one.end() ? std::string() : found->second);
    }
  }
  return values;
}

bool are_numbers(const std::set<std::string>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const std::string& value) { return number_of(value).has_value(); });
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string names_of(const Parameters& parameters) {
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters) names.push_back(name);
  return list_of(names);
}

// Which of a campaign's runs can stand in one table, where they differ in `name` besides n: as their folders' names
// have it ("n=1024,b=16,p=2,1").
std::string one_setting(const Described& one, const std::string& name) {
  const fs::path folder = fs::path(one.folder).lexically_normal();
  const std::string text = folder.filename().string();
  const std::size_t begin = text.find("," + name + "=");
  if (begin == std::string::npos) return {};
  const std::size_t end = std::min(text.find(',', begin + 1), text.size());
  // So that the campaign's tables, whose names have the setting too, are none of them.
  const bool is_last = text.compare(end, 3, ",p=") == 0;
  return "; predict one of them: predict " + (folder.parent_path() / "*").string() + text.substr(begin, end - begin) +
         (is_last ? ",p=*" : ",*,p=*");
}

std::string first_setting(const Described& one, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::string words = one_setting(one, name); !words.empty()) return words;
  return {};
}

}  // namespace

model::InputNumbers numbers_of(const trace::RunFile& run) {
  model::InputNumbers numbers;
  for (const auto& [name, text] : parameters_of(run))
    if (const auto number = number_of(text)) numbers[name] = *number;
  return numbers;
}

Result<std::vector<Described>> describe(const std::vector<std::string>& paths) {
  const auto folders = analysis::recordings_in(paths);
  if (!folders) return folders.error();
  std::vector<Described> all;
  for (const std::string& folder : *folders) {
    auto run = trace::read_run_file(folder + "/run.json");
    if (!run) return run.error();
    all.push_back({folder, std::move(*run)});
  }
  return all;
}

std::string program_of(const trace::RunFile& run) { return fs::path(run.program).filename().string(); }

Result<void> check_one_program(const std::vector<Described>& all) {
  const Described& first = all.front();
  for (const Described& one : all) {
    if (program_of(one.run) != program_of(first.run))
      return Error{
          .what = "is of another program than " + first.folder + ": " + one.run.program + ", not " + first.run.program,
          .path = one.folder};
    if (one.run.machine.fingerprint != first.run.machine.fingerprint)
      return Error{.what = "is of another machine than " + first.folder + ": " + machine_words(one.run.machine) +
                           ", not " + machine_words(first.run.machine),
                   .path = one.folder};
    if (one.run.ranks > 1)
      return Error{.what = "is one of " + std::to_string(one.run.ranks) +
                           " processes that ran together. A table takes programs of one process only",
                   .path = one.folder};
  }
  return {};
}

void note_versions(const std::vector<Described>& all, analysis::ProgramTable& table) {
  const std::string code = code_of(all.front().run);
  std::size_t others = 0;
  const Described* first_other = nullptr;
  for (const Described& one : all) {
    if (code_of(one.run) == code) continue;
    if (others++ == 0) first_other = &one;
  }
  if (others == 0) {
    table.build_id = code;
    return;
  }
  table.warnings.push_back(first_other->folder + (others == 1 ? "" : " and " + std::to_string(others - 1) + " more") +
                           ": of another version of " + table.program + " (build id) than " + all.front().folder);
}

Result<double> size_of(const Described& one, const std::string& size_name) {
  const Parameters parameters = parameters_of(one.run);
  const auto found = parameters.find(size_name);
  if (found == parameters.end())
    return Error{.what = "has no parameter '" + size_name + "'" +
                         (parameters.empty() ? ": record it with --param " + size_name + "=1024"
                                             : "; it has " + names_of(parameters)),
                 .path = one.folder};
  const auto n = number_of(found->second);
  if (!n)
    return Error{.what = "parameter '" + size_name + "' is no number: '" + found->second + "'", .path = one.folder};
  if (const std::string problem = predict::wrong_size(*n); !problem.empty())
    return Error{.what = "parameter '" + size_name + "' is " + found->second + ": " + problem, .path = one.folder};
  return *n;
}

Result<std::string> size_name_of(const std::vector<Described>& all, const std::string& asked) {
  const auto values = values_of(all);
  std::string size = asked;
  if (size.empty()) {
    std::vector<std::string> varying;
    std::vector<std::string> numbers;
    for (const auto& [name, known] : values) {
      if (!are_numbers(known)) continue;
      numbers.push_back(name);
      if (known.size() > 1) varying.push_back(name);
    }
    if (varying.size() > 1)
      return Error{"several parameters vary (" + list_of(varying) + "): only one may vary within a table" +
                   first_setting(all.front(), varying)};
    if (varying.empty() && numbers.size() > 1)
      return Error{"which parameter is the size of the input? None of these varies: " + list_of(numbers)};
    if (numbers.empty())
      return Error{
          .what = "has no parameter that is a number: record it with --param NAME=NUMBER, such as --param n=2048",
          .path = all.front().folder};
    size = varying.empty() ? numbers.front() : varying.front();
  }
  for (const Described& one : all)
    if (const auto n = size_of(one, size); !n) return n.error();
  for (const auto& [name, known] : values) {
    if (name == size || known.size() < 2) continue;
    const Parameters first = parameters_of(all.front().run);
    for (const Described& one : all) {
      const Parameters own = parameters_of(one.run);
      const auto mine = own.find(name);
      const auto theirs = first.find(name);
      const std::string here = mine == own.end() ? "" : mine->second;
      const std::string there = theirs == first.end() ? "" : theirs->second;
      if (here == there) continue;
      return Error{.what = "parameter '" + name + "' is '" + here + "', but '" + there + "' in " + all.front().folder +
                           ": except for " + size + ", all runs of a table need the same parameters" +
                           one_setting(one, name),
                   .path = one.folder};
    }
  }
  return size;
}

bool have_same_parameters(const std::vector<Described>& all) {
  return std::all_of(all.begin(), all.end(), [first = parameters_of(all.front().run)](const Described& one) {
    return parameters_of(one.run) == first;
  });
}

}  // namespace foretask::wiring
