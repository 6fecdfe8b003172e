// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "report/json_output.hpp"
#include "report/simulate/json_sampling.hpp"
#include "report/whatif/whatif.hpp"

namespace foretask::report {
namespace {

Json row_json(const char* what, const std::vector<WhatIfKernel>& kernels, const WhatIfRow& row) {
  Json json = {{what, kernels[row.kernel].name}};
  if (row.factor <= std::numeric_limits<double>::max()) json["factor"] = row.factor;
  json["cores"] = row.cores;
  json["base_ns"] = row.base_ns;
  json["makespan_ns"] = row.makespan_ns;
  json["speedup"] = row.speedup();
  json["below_overhead"] = row.below_overhead;
  if (row.sampled) json["gain"] = {{"p05", row.sampled->p05}, {"p50", row.sampled->p50}, {"p95", row.sampled->p95}};
  return json;
}

}  // namespace

std::string whatif_json(const WhatIf& whatif) {
  Json json = {{"policy", analysis::policy_name(whatif.policy)}};
  Json rows = Json::array();
  for (const WhatIfRow& row : whatif.rows) rows.push_back(row_json("kernel", whatif.kernels, row));
  json["rows"] = std::move(rows);
  Json removed = Json::array();
  for (const WhatIfRow& row : whatif.removed) removed.push_back(row_json("kernel", whatif.kernels, row));
  json["removed"] = std::move(removed);
  Json more_cores = Json::array();
  for (const MoreCores& row : whatif.more_cores) {
    more_cores.push_back({{"cores", row.cores},
                          {"more", row.more},
                          {"base_ns", row.base_ns},
                          {"makespan_ns", row.makespan_ns},
                          {"speedup", row.speedup()}});
  }
  json["more_cores"] = std::move(more_cores);
  Json kernels = Json::array();
  for (const WhatIfKernel& kernel : whatif.kernels) {
    kernels.push_back(
        {{"name", kernel.name}, {"tasks", kernel.tasks}, {"work_ns", kernel.work_ns}, {"share", kernel.share}});
  }
  json["kernels"] = std::move(kernels);
  Json functions = Json::array();
  for (const WhatIfKernel& function : whatif.functions)
    functions.push_back({{"name", function.name}, {"work_ns", function.work_ns}, {"share", function.share}});
  json["functions"] = std::move(functions);
  Json function_rows = Json::array();
  for (const WhatIfRow& row : whatif.function_rows)
    function_rows.push_back(row_json("function", whatif.functions, row));
  json["function_rows"] = std::move(function_rows);
  json["input"] = whatif.input;
  json["machine"] = whatif.machine;
  json["tasks"] = whatif.tasks;
  json["work_ns"] = whatif.work_ns;
  json["span_ns"] = whatif.span_ns;
  json["replays"] = whatif.replays;
  if (whatif.sampled) json["sampled"] = sampling_json(*whatif.sampled);
  return json_text(json);
}

}  // namespace foretask::report
