// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/leaf_limits.hpp"

#include <cmath>
#include <utility>

#include "base/number_text.hpp"

namespace foretask::distribution {

Parameter place(std::string name, double value) { return {std::move(name), value, -kMostSize, kMostSize}; }

Parameter spread(std::string name, double value) { return {std::move(name), value, kLeastSpread, kMostSize}; }

std::optional<Error> refused(const std::string& family, const Parameter& parameter) {
  const auto& [name, value, least, most] = parameter;
  if (!std::isfinite(value)) return wrong(family, name, "finite", value);
  if (least >= 0 && !(value > 0)) return wrong(family, name, "above 0", value);
  if (!(value >= least && value <= most))
    return wrong(family, name, "from " + number(least) + " to " + number(most), value);
  return std::nullopt;
}

std::string number(double value) { return base::number_text(value, 6); }

Error wrong(const std::string& family, const std::string& name, const std::string& should, double value) {
  return Error{family + ": " + name + " must be " + should + ", not " + number(value)};
}

}  // namespace foretask::distribution
