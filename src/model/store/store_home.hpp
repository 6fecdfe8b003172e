// SPDX-License-Identifier: Apache-2.0
// Where the store is that a user means.
#pragma once

#include <string>

#include "foretask/result.hpp"
#include "model/store/store.hpp"

namespace foretask::model {

// `given`, or where it is empty the place that foretask_save() finds. The error: there is none.
[[nodiscard]] inline Result<std::string> store_home(const std::string& given) {
  std::string home = given.empty() ? Store::default_home() : given;
  if (home.empty()) return Error{.what = "there is no store: none of FORETASK_HOME, XDG_DATA_HOME and HOME is set"};
  return home;
}

}  // namespace foretask::model
