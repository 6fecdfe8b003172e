// SPDX-License-Identifier: Apache-2.0
// What is learned of one kernel, by class of workers: the models, which the learner alone touches, and the snapshots
// that everybody reads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "model/online/kernel_model.hpp"
#include "predict/online/read_section.hpp"
#include "predict/online/snapshot.hpp"

namespace foretask::predict {

inline constexpr std::size_t kMaxWorkerClasses = 8;

class LearnedKernel {
 public:
  explicit LearnedKernel(model::KernelShape shape) : shape_(std::move(shape)) {}
  LearnedKernel(const LearnedKernel&) = delete;
  LearnedKernel& operator=(const LearnedKernel&) = delete;
  // No reader may be inside.
  ~LearnedKernel() {
    for (auto& snapshot : snapshots_) delete snapshot.load(std::memory_order_relaxed);
  }

  [[nodiscard]] const model::KernelShape& shape() const noexcept { return shape_; }

  // HOT: any thread; wait-free. `parameters` as many as the shape has, finite. `samples` is set where there are any.
  [[nodiscard]] Prediction predict(std::size_t worker_class, const double* parameters,
                                   std::uint64_t& samples) const noexcept {
    const ReadSection section;
    // Acquire: pairs with publish(), so that the snapshot is seen whole.
    const Snapshot* const snapshot = snapshots_[worker_class].load(std::memory_order_acquire);
    if (!snapshot) return {};
    samples = snapshot->samples();
    return snapshot->predict(parameters);
  }

  // HOT: the same of anything else that a snapshot answers: `ask` is given it. NaN where there is none.
  template <typename Ask>
  [[nodiscard]] double ask(std::size_t worker_class, const Ask& ask) const noexcept {
    const ReadSection section;
    const Snapshot* const snapshot = snapshots_[worker_class].load(std::memory_order_acquire);  // as above
    return snapshot ? ask(*snapshot) : std::numeric_limits<double>::quiet_NaN();
  }

  // ---- With the learner's models locked ----

  // The class's model, made when there is none.
  [[nodiscard]] model::KernelModel& model(std::size_t worker_class) {
    auto& model = models_[worker_class];
    if (!model) model = std::make_unique<model::KernelModel>(shape_);
    return *model;
  }
  // Null when there is none.
  [[nodiscard]] const model::KernelModel* find_model(std::size_t worker_class) const noexcept {
    return models_[worker_class].get();
  }
  [[nodiscard]] bool has_unsaved() const noexcept {
    return std::any_of(models_.begin(), models_.end(),
                       [](const auto& model) { return model && model->samples() > model->stored_samples(); });
  }
  [[nodiscard]] bool has_models() const noexcept {
    return std::any_of(models_.begin(), models_.end(), [](const auto& model) { return model != nullptr; });
  }
  void mark_stored() noexcept {
    for (const auto& model : models_)
      if (model) model->mark_stored();
  }
  void make_stale() noexcept {
    for (const auto& model : models_)
      if (model) model->make_stale();
  }
  void set_model(std::size_t worker_class, std::unique_ptr<model::KernelModel> model) noexcept {
    models_[worker_class] = std::move(model);
  }

  // Makes what the model knows now what everybody reads; returns what they read before, to be retired.
  [[nodiscard]] std::unique_ptr<const Snapshot> publish(std::size_t worker_class) {
    const auto& model = models_[worker_class];
    if (!model || model->samples() == 0) return nullptr;
    auto snapshot = Snapshot::of(*model);
    return std::unique_ptr<const Snapshot>(
        snapshots_[worker_class].exchange(snapshot.release(), std::memory_order_acq_rel));
  }

  // What the learner writes with every batch is kept apart from what every prediction reads.
  // Bits of the classes that have learned since they were published. The learner's.
  alignas(kOwnLines) std::uint32_t unpublished = 0;
  // Bits of the classes whose searches for terms are due and have not begun. The learner's.
  std::uint32_t searching = 0;
  // The learner's, while it goes through a batch.
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t last_in_batch = kNone;

 private:
  alignas(kOwnLines) model::KernelShape shape_;
  std::array<std::atomic<const Snapshot*>, kMaxWorkerClasses> snapshots_{};
  std::array<std::unique_ptr<model::KernelModel>, kMaxWorkerClasses> models_;
};

}  // namespace foretask::predict
