// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/campaign.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cli/options/lists.hpp"
#include "foretask/analysis/program_table.hpp"
#include "foretask/analysis/run.hpp"
#include "report/json_output.hpp"
#include "report/output.hpp"
#include "report/units.hpp"

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;
using report::Json;

constexpr const char* kCampaignFile = "/campaign.json";
constexpr const char* kVersionKey = "foretask_campaign";
constexpr std::size_t kMaxRuns = 100'000;
constexpr std::size_t kLongestName = 200;  // of a folder; file systems take 255 bytes

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), is_word);
}

// A value as a part of a folder's name, in which '=', ',' and '/' are not its own.
std::string as_folder(const std::string& value) {
  std::string text;
  for (const char c : value)
    text += is_word(c) || c == '.' || c == '+' || c == '-' ? std::string(1, c)
                                                           : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return text;
}

// Calls `found` with each {name} of `text` and what it gives is put in its place; where it gives nothing the text
// stays. A shell's ${name} is its own.
template <typename Found>
std::string replace_names(const std::string& text, Found&& found) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = text[at] == '{' && (at == 0 || text[at - 1] != '$');
    const std::size_t end = begins ? text.find('}', at) : std::string::npos;
    if (end != std::string::npos) {
      const std::string name = text.substr(at + 1, end - at - 1);
      const std::optional<std::string> value = is_name(name) ? found(name) : std::nullopt;
      if (value) {
        result += *value;
        at = end + 1;
        continue;
      }
    }
    result += text[at++];
  }
  return result;
}

std::string wrong_size_values(const CampaignParameter& size) {
  for (const std::string& value : size.values) {
    const auto number = report::parse_number<double>(value);
    if (!number || !std::isfinite(*number) || *number <= 0)
      return fmt::format("--set {}={}: the first parameter is the input size, and must be a number above 0", size.name,
                         value);
  }
  return {};
}

// Of the braces in the program's arguments.
std::string wrong_use(const Campaign& campaign) {
  std::vector<std::string> used;
  std::vector<std::string> unknown;
  for (std::size_t i = 1; i < campaign.command.size(); ++i) {
    (void)replace_names(campaign.command[i], [&](const std::string& name) -> std::optional<std::string> {
      const bool is_known = name == "p" || std::any_of(campaign.parameters.begin(), campaign.parameters.end(),
                                                       [&](const auto& one) { return one.name == name; });
      (is_known ? used : unknown).push_back(name);
      return std::nullopt;
    });
  }
  for (const std::string& name : unknown) {
    if (name == "P") return "{P} is no parameter; the number of workers is {p}";
    for (const CampaignParameter& parameter : campaign.parameters)
      if (::strcasecmp(name.c_str(), parameter.name.c_str()) == 0)
        return fmt::format("{{{}}} is no parameter, but {{{}}} is", name, parameter.name);
  }
  for (const CampaignParameter& parameter : campaign.parameters) {
    // One value may be a label for what is built into the program.
    if (std::ranges::count(used, parameter.name) != 0 || parameter.values.size() < 2) continue;
    return fmt::format(
        "--set {0}: no argument of the program holds {{{0}}}, so all its values would give the same run{1}",
        parameter.name, unknown.empty() ? "" : fmt::format(". The arguments hold {{{}}}", fmt::join(unknown, "}, {")));
  }
  if (unknown.empty()) return {};
  return fmt::format("an argument of the program holds {{{0}}}, and there is no --set {0}=...: add --set {0}=VALUES",
                     unknown.front());
}

Json to_json(const Campaign& campaign) {
  Json parameters = Json::array();
  for (const CampaignParameter& parameter : campaign.parameters)
    parameters.push_back({{"name", parameter.name}, {"values", parameter.values}});
  return {{kVersionKey, 1},
          {"program", campaign.path},
          {"command", campaign.command},
          {"parameters", std::move(parameters)},
          {"cores", campaign.cores},
          {"repeat", campaign.repeat}};
}

// Null where there is none that can be read.
Json read_json(const std::string& folder) {
  Result<Json> json = report::read_json<Json>(folder + kCampaignFile);
  return json ? std::move(*json) : Json();
}

template <typename Value>
void join(std::vector<Value>& values, const Json& before) {
  if (!before.is_array()) return;
  std::vector<Value> all;
  const auto add = [&all](const Value& value) {
    if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
  };
  for (const Json& one : before)
    if constexpr (std::is_arithmetic_v<Value>) {
      if (one.is_number_unsigned() && one.get<std::uint64_t>() <= std::numeric_limits<Value>::max())
        add(one.get<Value>());
    } else {
      if (one.is_string()) add(one.get<Value>());
    }
  for (const Value& value : values) add(value);
  values = std::move(all);
}

// With the values, cores and repetitions that campaign.json had.
Campaign joined(Campaign campaign, const Json& before) {
  if (!before.is_object()) return campaign;
  const Json parameters = before.value("parameters", Json::array());
  for (const Json& one : parameters) {
    if (!one.is_object()) continue;
    for (CampaignParameter& parameter : campaign.parameters)
      if (one.contains("name") && one["name"] == parameter.name && one.contains("values"))
        join(parameter.values, one["values"]);
  }
  if (before.contains("cores")) join(campaign.cores, before["cores"]);
  if (before.contains("repeat") && before["repeat"].is_number_unsigned() &&
      before["repeat"].get<std::uint64_t>() <= kMaxRuns)
    campaign.repeat = std::max(campaign.repeat, before["repeat"].get<std::uint32_t>());
  return campaign;
}

// "b=16,c=x": each parameter besides the first, in their order.
bool is_of_others(std::string_view text, const Campaign& campaign) {
  for (std::size_t i = 1; i < campaign.parameters.size(); ++i) {
    const std::string begin = campaign.parameters[i].name + "=";
    const std::size_t end = std::min(text.find(','), text.size());
    if (!text.starts_with(begin) || (end == text.size()) != (i + 1 == campaign.parameters.size())) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return campaign.parameters.size() > 1;
}

bool is_empty_or_hidden(const std::string& folder) {
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem); !problem && at != fs::directory_iterator(); at.increment(problem))
    if (!at->path().filename().string().starts_with('.')) return false;
  return !problem;
}

}  // namespace

Result<CampaignParameter> parse_campaign_parameter(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return Error{fmt::format("'{}' is not NAME=VALUES, as in n=1024,2048", text)};
  CampaignParameter parameter{text.substr(0, equals), {}};
  if (!is_name(parameter.name))
    return Error{
        fmt::format("'{}' is not a parameter's name: use letters, digits and _, no digit first", parameter.name)};
  if (parameter.name == "p") return Error{"p is the number of workers: set it with --cores"};
  if (analysis::is_program_table_column(parameter.name))
    return Error{fmt::format("'{}' is a column of the run table: give the parameter another name", parameter.name)};
  auto values = parse_value_list(text.substr(equals + 1));
  if (!values) return values.error();
  for (const std::string& value : *values)
    if (value.find('\n') != std::string::npos) return Error{"a value must be one line"};
  parameter.values = std::move(*values);
  return parameter;
}

std::string wrong_campaign(const Campaign& campaign) {
  double count = campaign.repeat * static_cast<double>(campaign.cores.size());
  std::size_t longest = 0;
  for (std::size_t i = 0; i < campaign.parameters.size(); ++i) {
    const CampaignParameter& parameter = campaign.parameters[i];
    for (std::size_t before = 0; before < i; ++before)
      if (campaign.parameters[before].name == parameter.name)
        return fmt::format("--set {} is given twice: write all its values in one --set, separated by commas",
                           parameter.name);
    count *= static_cast<double>(parameter.values.size());
    std::size_t widest = 0;
    for (const std::string& value : parameter.values) widest = std::max(widest, as_folder(value).size());
    longest += parameter.name.size() + widest + 2;
  }
  if (count > static_cast<double>(kMaxRuns)) return fmt::format("{} runs are too many: {} at most", count, kMaxRuns);
  if (longest > kLongestName) return "the names and values of --set are too long for a folder's name";
  if (std::find(campaign.cores.begin(), campaign.cores.end(), 1U) == campaign.cores.end())
    return "--cores has no 1. Add it: the other runs are compared with the work on one worker";
  if (std::string wrong = wrong_size_values(campaign.parameters.front()); !wrong.empty()) return wrong;
  return wrong_use(campaign);
}

std::vector<CampaignRun> runs_of(const Campaign& campaign) {
  std::vector<std::vector<std::string>> combinations{{}};
  for (const CampaignParameter& parameter : campaign.parameters) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& combination : combinations) {
      for (const std::string& value : parameter.values) {
        longer.push_back(combination);
        longer.back().push_back(value);
      }
    }
    combinations = std::move(longer);
  }
  std::vector<std::uint32_t> cores = campaign.cores;
  std::sort(cores.begin(), cores.end());
  std::vector<CampaignRun> runs;
  for (std::uint32_t repetition = 1; repetition <= campaign.repeat; ++repetition) {
    for (const std::uint32_t count : cores) {
      for (const auto& combination : combinations) {
        CampaignRun run{combination, count, repetition, ""};
        for (std::size_t i = 0; i < combination.size(); ++i)
          run.name += campaign.parameters[i].name + "=" + as_folder(combination[i]) + ",";
        run.name += fmt::format("p={},{}", count, repetition);
        runs.push_back(std::move(run));
      }
    }
  }
  return runs;
}

std::vector<std::string> command_of(const Campaign& campaign, const CampaignRun& run) {
  std::vector<std::string> command = campaign.command;
  for (std::size_t i = 1; i < command.size(); ++i) {
    command[i] = replace_names(command[i], [&](const std::string& name) -> std::optional<std::string> {
      if (name == "p") return std::to_string(run.cores);
      for (std::size_t at = 0; at < run.values.size(); ++at)
        if (campaign.parameters[at].name == name) return run.values[at];
      return std::nullopt;
    });
  }
  return command;
}

std::vector<std::string> parameters_of(const Campaign& campaign, const CampaignRun& run) {
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < run.values.size(); ++i)
    parameters.push_back(campaign.parameters[i].name + "=" + run.values[i]);
  return parameters;
}

std::map<std::string, std::vector<std::string>> finished_runs(const std::string& folder) {
  std::map<std::string, std::vector<std::string>> groups;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem); !problem && at != fs::directory_iterator(); at.increment(problem)) {
    const std::string name = at->path().filename().string();
    const std::size_t workers = name.rfind(",p=");
    const std::size_t size = name.find(',');
    if (name.starts_with('.') || workers == std::string::npos || !analysis::is_run_folder(at->path().string()))
      continue;
    groups[size < workers ? name.substr(size + 1, workers - size - 1) : ""].push_back(name);
  }
  for (auto& [others, names] : groups) std::sort(names.begin(), names.end());
  return groups;
}

std::vector<std::string> stale_tables(const std::string& folder, const Campaign& campaign,
                                      const std::map<std::string, std::vector<std::string>>& groups) {
  constexpr std::string_view kBegin = "table,";
  constexpr std::string_view kEnd = ".csv";
  std::vector<std::string> stale;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem); !problem && at != fs::directory_iterator(); at.increment(problem)) {
    const std::string name = at->path().filename().string();
    if (name.size() < kBegin.size() + kEnd.size() || !name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
    const std::string others = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    if ((groups.size() == 1 || !groups.contains(others)) && is_of_others(others, campaign))
      stale.push_back(at->path().string());
  }
  return stale;
}

Result<void> check_same_campaign(const std::string& folder, const Campaign& campaign) {
  const std::string path = folder + kCampaignFile;
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return {};
  if (!fs::is_directory(folder, ignored)) return Error{.what = "is no folder", .path = folder};
  if (!fs::exists(path, ignored)) {
    if (is_empty_or_hidden(folder)) return {};
    return Error{.what = "is not a campaign's folder: it has no campaign.json. Choose another --out", .path = folder};
  }
  const Json json = read_json(folder);
  if (!json.is_object() || !json.contains(kVersionKey)) return Error{.what = "describes no campaign", .path = path};
  if (json[kVersionKey] != 1) return Error{.what = "was written by another version of foretask", .path = path};
  Result<Json> as_written = report::parse_json<Json>(report::json_text(to_json(campaign)));
  if (!as_written) return as_written.error();
  const Json& own = *as_written;
  const auto of = [](const Json& parameters) {
    std::vector<std::string> names;
    for (const Json& one : parameters)
      if (one.is_object() && one.contains("name") && one["name"].is_string())
        names.push_back(one["name"].get<std::string>());
    return names;
  };
  for (const std::string key : {"command", "program"})
    if (!json.contains(key) || json[key] != own[key])
      return Error{.what = fmt::format("is of another {}: {}, not {}. Choose another --out", key,
                                       json.value(key, Json()).dump(), own[key].dump()),
                   .path = folder};
  const Json parameters = json.value("parameters", Json::array());
  if (of(parameters) != of(own["parameters"]))
    return Error{.what = fmt::format("has the parameters {}, not {}. Choose another --out",
                                     fmt::join(of(parameters), ", "), fmt::join(of(own["parameters"]), ", ")),
                 .path = folder};
  return {};
}

Result<void> write_campaign(const std::string& folder, const Campaign& campaign,
                            const std::vector<report::CampaignFailure>& failed) {
  Json json = to_json(joined(campaign, read_json(folder)));
  json["failed"] = Json::array();
  for (const report::CampaignFailure& one : failed) json["failed"].push_back({{"run", one.run}, {"why", one.why}});
  auto output = report::Output::open(folder + kCampaignFile);
  if (!output) return output.error();
  output->write(report::json_text(json));
  return output->finish();
}

}  // namespace foretask::cli
