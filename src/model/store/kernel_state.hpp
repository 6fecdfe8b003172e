// SPDX-License-Identifier: Apache-2.0
// A kernel's models as JSON, for the store, and back. Cold; any thread, each model by one at a time.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "foretask/result.hpp"
#include "model/online/kernel_model.hpp"

namespace foretask::model {

class KernelState {
 public:
  [[nodiscard]] static nlohmann::json save(const KernelModel& model);

  // All of it as stored (KernelModel::mark_stored()). Errors say which part makes no sense; nothing is half restored.
  [[nodiscard]] static Result<std::unique_ptr<KernelModel>> restore(const nlohmann::json& state,
                                                                    const KernelShape& shape);

 private:
  static void restore_parts(const nlohmann::json& state, KernelModel& model);
};

}  // namespace foretask::model
