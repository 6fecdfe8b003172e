// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/program_model.hpp"

#include <optional>
#include <utility>

#include "predict/program/program_model_impl.hpp"

namespace foretask::analysis {

Result<ProgramModel> ProgramModel::fit(const ProgramTable& table, const ProgramModelOptions& options) {
  auto impl = Impl::fit(table, options, {}, std::nullopt);
  if (!impl) return impl.error();
  return ProgramModel(*std::move(impl));
}

ProgramModel::ProgramModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProgramModel::ProgramModel(ProgramModel&&) noexcept = default;
ProgramModel& ProgramModel::operator=(ProgramModel&&) noexcept = default;
ProgramModel::~ProgramModel() = default;

Result<ProgramPrediction> ProgramModel::predict(double n, double p) const { return impl_->predict(n, p); }
const std::string& ProgramModel::chosen() const { return impl_->chosen().name(); }
const std::vector<ProgramModelScore>& ProgramModel::scores() const { return impl_->scores(); }
std::vector<std::string> ProgramModel::warnings(const std::vector<ProgramPoint>& questions) const {
  return impl_->warnings(questions);
}

}  // namespace foretask::analysis
