// SPDX-License-Identifier: Apache-2.0
#include "report/run/kernel_counters.hpp"

namespace foretask::report {
namespace {

Json quartiles_json(const analysis::Quartiles& row) {
  return {{"tasks", row.tasks}, {"low", row.low}, {"median", row.median}, {"high", row.high}};
}

const char* verdict_name(analysis::SpreadVerdict verdict) {
  switch (verdict) {
    case analysis::SpreadVerdict::kTooFew:
      return "too few tasks";
    case analysis::SpreadVerdict::kRegular:
      return "regular";
    case analysis::SpreadVerdict::kExplained:
      return "explained";
    case analysis::SpreadVerdict::kPartly:
      return "explained in part";
    default:
      return "not explained";
  }
}

Json variability_json(const analysis::Variability& variability) {
  const bool names_source = variability.verdict == analysis::SpreadVerdict::kExplained ||
                            variability.verdict == analysis::SpreadVerdict::kPartly;
  Json factors = Json::array();
  for (const analysis::SpreadFactor& factor : variability.factors) {
    Json entry{{"source", analysis::spread_source_name(factor.source)}, {"judged", factor.judged}, {"by", factor.by}};
    entry["share"] = factor.judged ? Json(factor.share) : Json();
    entry["p"] = factor.judged ? Json(factor.p) : Json();
    if (!factor.detail.empty()) entry["detail"] = factor.detail;
    factors.push_back(std::move(entry));
  }
  return {{"tasks", variability.tasks},
          {"spread", variability.spread},
          {"verdict", verdict_name(variability.verdict)},
          {"source", names_source ? Json(analysis::spread_source_name(variability.factors.front().source)) : Json()},
          {"factors", std::move(factors)},
          {"text", variability.text}};
}

}  // namespace

void add_counters_json(const analysis::KernelSummary& kernel, Json& json) {
  Json counters = Json::array();
  for (const analysis::CounterSummary& counter : kernel.counters)
    counters.push_back({{"name", counter.name},
                        {"run", counter.run},
                        {"tasks", counter.tasks},
                        {"mean", counter.mean},
                        {"cv", counter.cv}});
  Json ratios = Json::array();
  for (const analysis::CounterRatio& ratio : kernel.ratios) {
    Json entry{{"name", ratio.name}, {"value", ratio.value}};
    if (!ratio.spread.empty()) entry["spread"] = quartiles_json(ratio.spread.front());
    Json by_workers = Json::array();
    for (std::size_t i = 1; i < ratio.spread.size(); ++i) {
      Json row{{"workers", ratio.spread[i].workers}};
      row.update(quartiles_json(ratio.spread[i]));
      by_workers.push_back(std::move(row));
    }
    entry["by_active_workers"] = std::move(by_workers);
    ratios.push_back(std::move(entry));
  }
  Json active = Json::array();
  for (const analysis::ActiveWorkers& row : kernel.active_workers)
    active.push_back({{"workers", row.workers},
                      {"tasks", row.tasks},
                      {"mean_ns", row.mean_ns},
                      {"inflation", row.inflation},
                      {"inflation_error", row.inflation_error}});
  json["counters"] = std::move(counters);
  json["ratios"] = std::move(ratios);
  json["active_workers"] = std::move(active);
  json["variability"] = variability_json(kernel.variability);
}

void add_counters_json(const analysis::Report& report, Json& json) {
  Json counters = Json::array();
  for (const analysis::RecordedCounter& counter : report.counters) {
    Json entry{{"name", counter.name}, {"status", counter.status}, {"run", counter.run}};
    if (!counter.reason.empty()) entry["reason"] = counter.reason;
    counters.push_back(std::move(entry));
  }
  json["counters"] = std::move(counters);
  json["counter_sampling"] = report.counter_sampling;
  Json samples = Json::array();
  for (const analysis::SampledKernel& kernel : report.samples)
    samples.push_back({{"name", kernel.name},
                       {"parameters", kernel.parameters},
                       {"count", kernel.count},
                       {"total_ns", kernel.total_ns},
                       {"mean_ns", kernel.mean_ns},
                       {"cv", kernel.cv}});
  json["samples"] = std::move(samples);
}

}  // namespace foretask::report
