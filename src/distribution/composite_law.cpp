// SPDX-License-Identifier: Apache-2.0
#include "distribution/composite_law.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretask::distribution {

CompositeLaw::CompositeLaw(OddsOfX odds, std::vector<LawPtr> parts, TablePtr table)
    : odds_(std::move(odds)), parts_(std::move(parts)), table_(std::move(table)) {}

double CompositeLaw::quantile(double z) const {
  const double near = table_->quantile(z);
  if (std::isinf(z) || !std::isfinite(near)) return near;
  double high = near;
  double low = near;
  double step = std::max(table_->quantile(z + 0.02) - table_->quantile(z - 0.02), 1e-9 * std::fabs(near));
  for (int i = 0; i < 60 && high < table_->high() && odds_(high, false) < z; ++i, step *= 2)
    high = std::min(table_->high(), near + step);
  step = std::max(high - near, step);
  for (int i = 0; i < 60 && low > table_->low() && !(odds_(low, false) < z); ++i, step *= 2)
    low = std::max(table_->low(), near - step);
  if (!(odds_(high, false) >= z)) return near;  // beyond what rounding tells apart
  for (int i = 0; i < 200 && high - low > 1e-14 * std::max(std::fabs(low), std::fabs(high)); ++i) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    (odds_(middle, false) >= z ? high : low) = middle;
  }
  return high;
}

TablePtr table_of(const LawPtr& law) {
  if (const auto composite = std::dynamic_pointer_cast<const CompositeLaw>(law)) return composite->table();
  return std::dynamic_pointer_cast<const TableLaw>(law);
}

}  // namespace foretask::distribution
