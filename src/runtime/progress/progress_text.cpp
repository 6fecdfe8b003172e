// SPDX-License-Identifier: Apache-2.0
#include "runtime/progress/progress_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/number_text.hpp"

namespace foretask::runtime {
namespace {

using base::text_of;

// More workers help where at least so much is gained, and in full from there on.
constexpr double kHelps = 1.1;
constexpr double kFully = 1.9;

struct Unit {
  double ns;
  const char* name;
};

Unit unit_of(double ns) {
  if (ns < 1e9) return {1e6, "ms"};
  if (ns < 600e9) return {1e9, "s"};
  if (ns < 36'000e9) return {60e9, "min"};
  return {3600e9, "h"};
}

std::string in_unit(double ns, const Unit& unit) {
  return unit.ns > 1e6 ? base::three_digits(ns / unit.ns) : text_of("%.0f", ns / unit.ns);
}

std::string workers_text(std::uint32_t workers) { return text_of("%u worker%s", workers, workers == 1 ? "" : "s"); }

std::string doubling_text(const foretask_progress_state& state) {
  if (state.workers == 0 || std::isnan(state.speedup_low)) return {};
  const std::uint32_t twice = 2 * state.workers;
  if (state.speedup_low < kHelps && state.speedup_high >= kFully) return {};  // all that there could be
  if (state.speedup_high < kHelps) return text_of("; %u would not help", twice);
  if (state.speedup_low >= kFully) return text_of("; %u would be %.1f times as fast", twice, state.speedup_low);
  if (state.speedup_high - state.speedup_low < 0.1)
    return text_of("; %u would be %.1f times as fast", twice, (state.speedup_low + state.speedup_high) / 2);
  return text_of("; %u would be %.1f to %.1f times as fast", twice, state.speedup_low, state.speedup_high);
}

void add(std::string& json, const char* key, double value) {
  if (std::isfinite(value)) json += text_of(", \"%s\": %.6g", key, value);
}

const char* knowledge_text(std::uint32_t knowledge) {
  static constexpr std::array kTexts{"off", "learning", "predicted", "grown"};
  static_assert(kTexts.size() == FORETASK_PROGRESS_GROWN + 1);
  return knowledge < kTexts.size() ? kTexts[knowledge] : "off";
}

}  // namespace

std::string progress_text(const foretask_progress_state& state, std::size_t most) {
  std::vector<std::string> parts;
  if (state.knowledge == FORETASK_PROGRESS_LEARNING) {
    parts = {base::format_ns(state.elapsed_ns)};
    if (state.tasks != 0) parts.push_back(text_of(", %llu tasks", static_cast<unsigned long long>(state.tasks)));
  } else {
    const Unit unit = unit_of(state.remaining_ns);
    parts = {text_of("%.0f %% done, ", std::floor(100 * state.done)) + in_unit(state.remaining_ns, unit) + " " +
                 unit.name + " left",
             " (" + in_unit(state.low_ns, unit) + " to " + in_unit(state.high_ns, unit) + ")"};
  }
  if (state.workers != 0) {
    parts.push_back(", " + workers_text(state.workers));
    parts.push_back(doubling_text(state));
  }
  std::string text = parts.front().substr(0, most);
  for (std::size_t i = 1; i < parts.size() && text.size() + parts[i].size() <= most; ++i) text += parts[i];
  return text;
}

std::string progress_end_text(const foretask_progress_state& state, const std::string& kept) {
  std::string text = "done in " + base::format_ns(state.elapsed_ns);
  if (state.workers != 0) text += ", " + workers_text(state.workers) + doubling_text(state);
  return kept.empty() ? text : text + "; " + kept;
}

std::string progress_json(const foretask_progress_state& state, bool is_end) {
  std::string json = text_of("{\"foretask_progress\": \"%s\", \"elapsed_ns\": %.0f, \"tasks\": %llu, \"workers\": %u",
                             is_end ? "end" : knowledge_text(state.knowledge), state.elapsed_ns,
                             static_cast<unsigned long long>(state.tasks), state.workers);
  add(json, "done", state.done);
  add(json, "remaining_ns", state.remaining_ns);
  add(json, "low_ns", state.low_ns);
  add(json, "high_ns", state.high_ns);
  add(json, "speedup_low", state.speedup_low);
  add(json, "speedup_high", state.speedup_high);
  return json + "}";
}

}  // namespace foretask::runtime
