// SPDX-License-Identifier: Apache-2.0
#include "report/whatif/whatif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/csv_field.hpp"
#include "report/json_output.hpp"
#include "report/plain_text.hpp"
#include "report/simulate/json_parts.hpp"

namespace foretask::report {

FORETASK_JSON_FIELDS(WhatIfKernel, name, tasks, work_ns, share)
FORETASK_JSON_FIELDS(SampledGain, p05, p50, p95)

static void to_json(Json& json, const MoreCores& one) {
  FORETASK_ADD_JSON_FIELDS(cores, more, base_ns, makespan_ns)
  json["speedup"] = one.speedup();
}
namespace {

double ratio_of(std::int64_t base_ns, std::int64_t makespan_ns) noexcept {
  if (makespan_ns == base_ns) return 1;
  return makespan_ns == 0 ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(base_ns) / static_cast<double>(makespan_ns);
}

Json rows_json(const char* what, const std::vector<WhatIfKernel>& kernels, const std::vector<WhatIfRow>& rows) {
  Json list = Json::array();
  for (const WhatIfRow& one : rows) {
    Json& json = list.emplace_back(Json{{what, kernels[one.kernel].name}});
    if (one.factor <= std::numeric_limits<double>::max()) FORETASK_ADD_JSON_FIELDS(factor)
    FORETASK_ADD_JSON_FIELDS(cores, base_ns, makespan_ns)
    json["speedup"] = one.speedup();
    FORETASK_ADD_JSON_FIELDS(below_overhead)
    if (one.sampled) json["gain"] = one.sampled;
  }
  return list;
}

}  // namespace

double WhatIfRow::speedup() const noexcept { return ratio_of(base_ns, makespan_ns); }
double ReplayGain::speedup() const noexcept { return ratio_of(base_ns, makespan_ns); }

std::string gain_spread(const WhatIfRow& row) {
  return row.sampled ? fmt::format(" ± {:.1f}", 50 * (row.sampled->p95 - row.sampled->p05)) : std::string{};
}

std::vector<std::size_t> ReplayedInput::places_by_cores() const {
  std::vector<std::size_t> places(cores.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::sort(places, {}, [this](std::size_t place) { return cores[place]; });
  return places;
}

std::string WhatIf::label(std::size_t kernel) const {
  const ShortNames shown(kernels, ShortNames::kSentenceColumns);
  const auto function = [&shown](const WhatIfKernel& one) {
    return std::string(parts_of(shown.of(one.name)).function);
  };
  const std::string own = function(kernels[kernel]);
  const bool is_of_several = std::any_of(kernels.begin(), kernels.end(), [&](const WhatIfKernel& other) {
    return other.name != kernels[kernel].name && function(other) == own;
  });
  return is_of_several ? shown.of(kernels[kernel].name) : own;
}

std::string whatif_csv(const WhatIf& whatif) {
  Text text;
  const bool sampled = !whatif.rows.empty() && whatif.rows.front().sampled;
  add(text, "kernel,factor,cores,base_ns,makespan_ns,speedup,below_overhead{}\n",
      sampled ? ",gain_p05,gain_p50,gain_p95" : "");
  for (const auto* rows : {&whatif.rows, &whatif.removed}) {
    for (const WhatIfRow& row : *rows) {
      add(text, "{},{},{},{},{},{:.9g},{}", base::csv_field(whatif.kernels[row.kernel].name), row.factor, row.cores,
          row.base_ns, row.makespan_ns, row.speedup(), row.below_overhead ? 1 : 0);
      if (row.sampled) add(text, ",{:.9g},{:.9g},{:.9g}", row.sampled->p05, row.sampled->p50, row.sampled->p95);
      add(text, "\n");
    }
  }
  return fmt::to_string(text);
}

std::string whatif_json(const WhatIf& one) {
  Json json = {{"policy", analysis::policy_name(one.policy)}};
  json["rows"] = rows_json("kernel", one.kernels, one.rows);
  json["removed"] = rows_json("kernel", one.kernels, one.removed);
  FORETASK_ADD_JSON_FIELDS(more_cores, kernels)
  Json& functions = json["functions"] = Json::array();
  for (const WhatIfKernel& function : one.functions)
    functions.push_back({{"name", function.name}, {"work_ns", function.work_ns}, {"share", function.share}});
  json["function_rows"] = rows_json("function", one.functions, one.function_rows);
  FORETASK_ADD_JSON_FIELDS(input, machine, tasks, work_ns, span_ns, replays)
  if (one.sampled) FORETASK_ADD_JSON_FIELDS(sampled)
  return json_text(json);
}

}  // namespace foretask::report
