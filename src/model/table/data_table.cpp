// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/data_table.hpp"

#include <algorithm>

namespace foretask::analysis {

const std::vector<double>* DataTable::column(std::string_view name) const noexcept {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &columns[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace foretask::analysis
