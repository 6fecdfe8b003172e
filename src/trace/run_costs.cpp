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

// They are parts of a file's name, and a recording may be anybody's.
bool is_hexadecimal(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::string runtime_costs_path(const std::string& home, const std::string& fingerprint, const std::string& library) {
  return home + "/costs/" + fingerprint + "-" + library + ".json";
}

const Module* runtime_module(const std::vector<Module>& modules, const analysis::RuntimeRules& rules) {
  const Module* under_other_name = nullptr;
  if (rules.library.empty() && !rules.is_openmp) return nullptr;
  for (const Module& module : modules) {
    const std::string name = std::filesystem::path(module.path).filename().string();
    // Programs may be called as runtimes are.
    if (module.build_id.empty() || name.find(".so") == std::string::npos) continue;
    const bool is_llvm = name.starts_with("libomp") || name.starts_with("libiomp");
    if (rules.library.empty() ? is_llvm : name.starts_with(rules.library)) return &module;
    // LLVM's may be called as libgomp is, where a user has it answer that one's calls.
    if (rules.library.empty() && name.starts_with("libgomp")) under_other_name = &module;
  }
  return under_other_name;
}

RuntimeCosts stored_runtime_costs(const std::string& fingerprint, const std::vector<Module>& modules,
                                  const analysis::RuntimeRules& rules) {
  const std::string home = base::store_home();
  const Module* const module = runtime_module(modules, rules);
  if (home.empty() || module == nullptr || !is_hexadecimal(fingerprint) || !is_hexadecimal(module->build_id)) return {};
  Result<RuntimeCosts> costs = read_runtime_costs(runtime_costs_path(home, fingerprint, module->build_id));
  if (!costs || costs->library != module->build_id || costs->fingerprint != fingerprint) return {};
  return *std::move(costs);
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
