// SPDX-License-Identifier: Apache-2.0
#include "trace/run_costs.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/store_home.hpp"
#include "trace/run_fields.hpp"

namespace foretask::trace {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20;

}  // namespace

std::string runtime_costs_path(const std::string& home, const std::string& fingerprint, const std::string& library) {
  return home + "/costs/" + fingerprint + "-" + library + ".json";
}

std::vector<std::string> runtime_libraries(const std::vector<Module>& modules, const analysis::RuntimeRules& rules) {
  std::vector<std::string> found;
  for (const Module& module : modules) {
    const std::string name = std::filesystem::path(module.path).filename().string();
    // Put in libgomp's place, LLVM's may be called as that is.
    const bool is_it = rules.library.empty()
                           ? name.starts_with("libomp") || name.starts_with("libiomp") || name.starts_with("libgomp")
                           : name.starts_with(rules.library);
    if (is_it && !module.build_id.empty()) found.push_back(module.build_id);
  }
  return found;
}

RuntimeCosts stored_runtime_costs(const std::string& fingerprint, const std::vector<Module>& modules,
                                  const analysis::RuntimeRules& rules) {
  const std::string home = base::store_home();
  if (home.empty() || fingerprint.empty()) return {};
  for (const std::string& library : runtime_libraries(modules, rules)) {
    Result<RuntimeCosts> costs = read_runtime_costs(runtime_costs_path(home, fingerprint, library));
    if (costs && costs->library == library && costs->fingerprint == fingerprint) return *std::move(costs);
  }
  return {};
}

Result<RuntimeCosts> read_runtime_costs(const std::string& path) {
  const auto root = base::read_json<nlohmann::json>(path, {.size_bytes = kLargestFile});
  if (!root) return root.error();
  std::vector<std::string> wrong;
  RuntimeCosts costs;
  FieldReader fields(*root, "", wrong);
  runtime_costs_fields(fields, costs);
  if (!wrong.empty()) return Error{"has a wrong value: " + wrong.front(), path};
  if (!costs.is_known()) return Error{"holds no costs of a runtime", path};
  return costs;
}

std::string runtime_costs_json(const RuntimeCosts& costs) {
  FieldWriter fields;
  runtime_costs_fields(fields, costs);
  return fields.take().dump(1) + "\n";
}

}  // namespace foretask::trace
