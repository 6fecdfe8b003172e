// SPDX-License-Identifier: Apache-2.0
#include "trace/kernel_file.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/number_text.hpp"
#include "foretask/foretask.h"

namespace foretask::trace {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestFile = std::size_t{64} << 20;

bool read_line(std::string_view line, KernelDefinition& definition) {
  const Result<json> parsed = base::parse_json<json>(line);
  if (!parsed) return false;
  const json& root = *parsed;
  if (!root.is_object() || !root.contains("kernel") || !root["kernel"].is_number_unsigned() ||
      root["kernel"].get<std::uint64_t>() > 0xffffffffU)
    return false;
  const json name = root.value("name", json());
  const json parameters = root.value("parameters", json::array());
  if (!name.is_string() || !parameters.is_array() || parameters.size() > FORETASK_MAX_PARAMETERS) return false;
  definition.id = root["kernel"].get<std::uint32_t>();
  definition.name = name.get<std::string>();
  for (const json& parameter : parameters) {
    if (!parameter.is_string()) return false;
    definition.parameters.push_back(parameter.get<std::string>());
  }
  return !definition.name.empty();
}

}  // namespace

std::string kernel_line(const KernelDefinition& definition) {
  const json line{{"kernel", definition.id}, {"name", definition.name}, {"parameters", definition.parameters}};
  return line.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
}

std::vector<KernelDefinition> read_kernel_file(const std::string& path, std::size_t& skipped) {
  skipped = 0;
  std::vector<KernelDefinition> definitions;
  const Result<std::string> content = base::read_file(path, kLargestFile);
  if (!content) return definitions;
  std::set<std::uint32_t> seen;
  for (std::string_view rest = *content; !rest.empty();) {
    const std::string_view line = base::take_part(rest, '\n');
    if (line.empty()) continue;
    KernelDefinition definition;
    if (!read_line(line, definition) || !seen.insert(definition.id).second) {
      ++skipped;
      continue;
    }
    definitions.push_back(std::move(definition));
  }
  return definitions;
}

}  // namespace foretask::trace
