// SPDX-License-Identifier: Apache-2.0
#include "report/predict/composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "report/json_output.hpp"
#include "report/plain_text.hpp"
#include "report/units.hpp"

namespace foretask::report {

FORETASK_JSON_FIELDS(OtherCopies, n, mean, p90, mean_error, p90_error, beyond_sample, p90_beyond)

namespace {

constexpr int kDigitsOfKnown = 6;  // of a figure that has no error
constexpr int kFewestDigits = 2;   // of a figure that has one, however large
constexpr double kSmallestPlain = 1e-4;
constexpr double kLargestPlain = 1e7;

int order_of(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

bool counts(const std::optional<double>& error) { return error && std::isfinite(*error) && *error > 0; }

bool unknown(const std::optional<double>& error) { return error && !std::isfinite(*error); }

// Two digits of one that begins with 1 or 2, else one.
int place_of_error(double error) {
  const int order = order_of(error);
  return error / std::pow(10, order) < 3 ? order - 1 : order;
}

// The decimal place, as a power of ten, that the last shown digit of a figure has.
int last_place(double value, std::optional<double> error) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) return 0;
  const int finest = size > 0 ? order_of(size) - 15 : -300;  // what a double holds
  const int coarsest = size > 0 ? order_of(size) - kFewestDigits + 1 : 300;
  if (unknown(error)) return size > 0 ? coarsest : 0;
  if (!counts(error)) return size > 0 ? order_of(size) - kDigitsOfKnown + 1 : 0;
  return std::min(std::max(place_of_error(*error), finest), coarsest);
}

std::string at_place(double value, int place, double scale) {
  if (!std::isfinite(value)) return "-";
  if (scale != 0 && (scale < kSmallestPlain || scale >= kLargestPlain)) {
    // With the digits down to `place`, at least one.
    const int digits = value == 0 ? 0 : std::max(0, order_of(value) - place);
    return fmt::format("{:.{}e}", value, digits);
  }
  const double step = std::pow(10, std::max(0, place));
  return fmt::format("{:.{}f}", place > 0 ? std::round(value / step) * step : value, std::max(0, -place));
}

// "0.352 ± 0.012": with two standard errors, both to the same digit, unless the figure would lose all of its own.
std::string with_error(double value, std::optional<double> error) {
  if (unknown(error)) return std::isfinite(value) ? rounded(value, error) + " ± unknown" : rounded(value, error);
  if (!counts(error) || !std::isfinite(value)) return rounded(value, std::nullopt);
  const double twice = 2 * *error;
  const int place = last_place(value, twice);
  const double scale = value != 0 ? std::abs(value) : twice;
  return fmt::format("{} ± {}", at_place(value, place, scale),
                     at_place(twice, std::max(place, place_of_error(twice)), scale));
}

std::optional<double> error_of(const analysis::Composition& result, std::size_t quantile) {
  if (!result.errors) return std::nullopt;
  return result.errors->quantiles[quantile];
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string method_in_words(const std::string& method) {
  std::string words;
  const auto add = [&](std::string_view name, std::string_view meaning) {
    if (has(method, name)) words += fmt::format("{}{}", words.empty() ? "" : "; ", meaning);
  };
  if (has(method, "empirical with fitted tail"))
    add("empirical with fitted tail",
        "the measured times as they are, and beyond them a tail fitted to the outermost ones");
  else
    add("empirical", "the measured times as they are, each as likely as it was measured");
  add("exact", "known families, computed exactly");
  add("numeric", "known families, computed numerically");
  add("gld", "each part is replaced by the generalized lambda distribution with the same four moments");
  add("mixture", "measured times are replaced by normal distributions fitted to them");
  return words;
}

void write_status(Text& text, const analysis::Composition& result) {
  if (result.beyond_sample)
    add(text, "Beyond the sample: {}\n",
        has(result.method, "fitted tail") || has(result.method, "mixture") || has(result.method, "gld")
            ? "this many copies reach times that are rarer than any that was measured. Such figures rest on a fitted "
              "curve. Measure more times to check them."
            : "this many copies reach times that are rarer than any that was measured. The method counts no time "
              "outside of the measured ones. Measure more times to know them.");
  if (result.several_modes)
    add(text,
        "Several modes: the measured times gather around more than one value. The mean alone says little. "
        "Look at the quantiles.\n");
  if (result.no_such_distribution)
    add(text,
        "No such distribution: no generalized lambda distribution has the moments of a part. Another method "
        "was used for it.\n");
  for (const std::string& note : result.notes) add(text, "Note: {}\n", one_line(note));
}

void write_others(Text& text, const ComposedExpression& composed) {
  if (composed.copies == 0 || composed.others.empty()) return;
  const analysis::Composition& result = composed.result;
  std::vector<OtherCopies> rows = composed.others;
  OtherCopies own{.n = composed.copies,
                  .mean = result.mean,
                  .p90 = result.quantiles[6],
                  .mean_error = {},
                  .p90_error = error_of(result, 6),
                  .beyond_sample = result.beyond_sample,
                  .p90_beyond = result.beyond[6]};
  if (result.errors) own.mean_error = result.errors->mean;
  rows.push_back(own);
  std::sort(rows.begin(), rows.end(), [](const auto& left, const auto& right) { return left.n < right.n; });
  add(text, "\nWith other numbers of workers, each on a copy of its own, until the {} ends:\n",
      composed.first_ends ? "first of them" : "last of them");
  add(text, "{:>12}  {:<24}  90 % take at most\n", "workers", "mean");
  for (const OtherCopies& row : rows) {
    // A sign of two bytes and one column.
    const std::string mean = with_error(row.mean, row.mean_error);
    const std::size_t columns = mean.size() - (has(mean, "±") ? 1 : 0);
    add(text, "{:>12}  {}{}  {}{}{}\n", format_count(row.n), mean, std::string(columns < 24 ? 24 - columns : 0, ' '),
        with_error(row.p90, row.p90_error), row.p90_beyond ? " *" : "",
        row.beyond_sample ? "  (beyond the sample)" : "");
  }
}

std::string quantile_name(std::size_t i) { return fmt::format("p{:02.0f}", 100 * analysis::kComposeQuantiles[i]); }

Json quantiles(const std::array<double, 9>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) json[quantile_name(i)] = values[i];
  return json;
}

}  // namespace

std::string rounded(double value, std::optional<double> error) {
  const double size = std::abs(value);
  if (counts(error) || unknown(error) || !std::isfinite(value)) return at_place(value, last_place(value, error), size);
  // Nothing is uncertain: zeros at the end say nothing, and whole numbers stay whole.
  if (value == 0 || (size >= kSmallestPlain && size < kLargestPlain)) {
    std::string text = at_place(value, std::min(0, last_place(value, error)), size);
    if (has(text, ".")) text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }
  return fmt::format("{:.{}g}", value, kDigitsOfKnown);
}

std::string composition_text(const ComposedExpression& composed) {
  const analysis::Composition& result = composed.result;
  std::optional<double> mean_error;
  std::optional<double> sd_error;
  if (result.errors) {
    mean_error = result.errors->mean;
    sd_error = result.errors->sd;
  }
  Text text;
  if (!std::isfinite(result.mean))
    add(text, "{}\n",
        has(result.method, "fitted tail")
            ? "There is no mean: in the fitted tail, long times are too likely. Look at the quantiles, or measure "
              "more times."
            : "There is no mean: long times are too likely. Look at the quantiles.");
  else
    add(text, "Mean {}{}, standard deviation {}\n", with_error(result.mean, mean_error),
        composed.has_recorded_times ? " (recorded times are in seconds)" : "",
        std::isfinite(result.sd) ? with_error(result.sd, sd_error) : "without bound");
  add(text, "\n{:>12}  take at most\n", "of all times");
  for (std::size_t i = 0; i < result.quantiles.size(); ++i)
    add(text, "{:>10.0f} %  {}{}\n", 100 * analysis::kComposeQuantiles[i],
        with_error(result.quantiles[i], error_of(result, i)), result.beyond[i] ? " *" : "");
  add(text, "\n");
  const bool others_beyond = std::any_of(composed.others.begin(), composed.others.end(),
                                         [](const OtherCopies& other) { return other.p90_beyond; });
  if (others_beyond || std::find(result.beyond.begin(), result.beyond.end(), true) != result.beyond.end())
    add(text,
        "*: rests on fewer than five of the measured times beyond it. Another measurement may give another figure.\n");
  if (result.errors) add(text, "± is two standard errors: about 95 % of such intervals contain the true value.\n");
  const std::string words = method_in_words(result.method);
  add(text, "Method: {}{}{}.\n", result.method, words.empty() ? "" : ": ", words);
  write_status(text, result);
  write_others(text, composed);
  return fmt::to_string(text);
}

std::string composition_json(const ComposedExpression& composed) {
  const analysis::Composition& result = composed.result;
  Json json = {{"mean", result.mean},
               {"sd", result.sd},
               {"moments", result.moments},
               {"quantiles", quantiles(result.quantiles)},
               {"method", result.method},
               {"status", result.status()},
               {"expression", composed.expression},
               {"skewness", result.skewness},
               {"kurtosis", result.kurtosis}};
  json["errors"] = nullptr;
  if (result.errors)
    json["errors"] = {{"mean", result.errors->mean},
                      {"sd", result.errors->sd},
                      {"moments", result.errors->moments},
                      {"quantiles", quantiles(result.errors->quantiles)}};
  if (std::find(result.beyond.begin(), result.beyond.end(), true) != result.beyond.end()) {
    for (std::size_t i = 0; i < result.beyond.size(); ++i)
      if (result.beyond[i]) json["beyond"].push_back(quantile_name(i));
  }
  json["notes"] = result.notes;
  json["copies"] = nullptr;
  if (composed.copies != 0) {
    json["copies"] = {
        {"ends", composed.first_ends ? "first" : "last"}, {"n", composed.copies}, {"others", composed.others}};
  }
  return json_text(json);
}

}  // namespace foretask::report
