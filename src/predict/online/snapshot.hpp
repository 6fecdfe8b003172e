// SPDX-License-Identifier: Apache-2.0
// HOT: what is known of a kernel on one class of workers at one moment, never changed once it is made. predict(): any
// thread, a few multiplications; no lock, no allocation, no system call.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "model/online/axis_models.hpp"
#include "model/online/kernel_model.hpp"
#include "model/online/ratio_window.hpp"

namespace foretask::predict {

// Memory of its own cache lines, for what many read: something else's writes beside it would be theirs to wait for.
//
// Two lines, as processors fetch them in pairs.
inline constexpr std::size_t kOwnLines = 128;

template <typename T>
struct OwnLinesAllocator {
  using value_type = T;

  OwnLinesAllocator() = default;
  template <typename U>
  OwnLinesAllocator(const OwnLinesAllocator<U>&) noexcept {}  // NOLINT: an allocator converts

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t lines = (count * sizeof(T) + kOwnLines - 1) / kOwnLines;
    return static_cast<T*>(::operator new (lines* kOwnLines, std::align_val_t{kOwnLines}));
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept {
    ::operator delete (memory, std::align_val_t{kOwnLines});
  }

  bool operator==(const OwnLinesAllocator&) const = default;
};

template <typename T>
using OwnLinesVector = std::vector<T, OwnLinesAllocator<T>>;

// As foretask.h numbers them.
enum class Status : std::uint32_t { kReady, kUncalibrated, kExtrapolating, kRankDeficient, kStale };

struct Prediction {
  double value = 0;  // above 0
  double low = 0;    // 95 of 100 times lie from here
  double high = 0;   // to here
  Status status = Status::kUncalibrated;
  model::ModelKind kind = model::ModelKind::kNone;
  std::uint32_t nearby = 0;  // samples: of history with these parameters, else nearby in each parameter
};

class alignas(kOwnLines) Snapshot {
 public:
  // Of a model with at least one sample. Allocates.
  [[nodiscard]] static std::unique_ptr<const Snapshot> of(const model::KernelModel& model);

  // `parameters`: as many as the kernel has, finite.
  [[nodiscard]] Prediction predict(const double* parameters) const noexcept;

  // The mean time, outliers with their full length; what a share `probability` of the times, in (0, 1), stays below;
  // the share of the times above `time`. Where a prediction's interval is wider for being uncertain, these are as well.
  // Slower than predict().
  [[nodiscard]] double mean(const double* parameters) const noexcept;
  [[nodiscard]] double quantile(const double* parameters, double probability) const noexcept;
  [[nodiscard]] double exceeds(const double* parameters, double time) const noexcept;

  [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }

 private:
  // From what is known of a ratio's distribution: factors on the value, and their logarithms.
  struct Interval {
    model::LogInterval logs;
    double low = 1;
    double high = 1;
    model::RatioSpread spread;
    // For extrapolations: outliers of smaller samples say nothing of how far a prediction may be off.
    model::LogInterval shortest;
    double reach = 0;
  };

  // The linear model: evaluated with its leverage, which says how sure its coefficients are here.
  struct Linear {
    model::LinearForm form;
    std::array<double, model::kMaxLinearTerms> coefficients{};
    // RunningQr::whitening() by columns, each padded to a multiple of kBlock.
    OwnLinesVector<double> whitening;
    std::size_t height = 0;  // of such a column
    int power = 2;           // of the weights
    bool is_there = false;
  };
  static constexpr std::size_t kBlock = 4;
  struct Value {
    double time = 0;
    double leverage = 0;  // over scale
    double scale = 1;
  };
  [[nodiscard]] Value linear_at(const double* parameters) const noexcept;
  [[nodiscard]] double leverage_of_more_slow(const double* parameters) const noexcept;

  struct Tuples {
    OwnLinesVector<double> keys;
    OwnLinesVector<double> means;
    OwnLinesVector<std::uint32_t> samples;
    OwnLinesVector<std::uint64_t> hashes;
    OwnLinesVector<std::uint32_t> slots;  // open addressing, at most half full; kFree where there is none
  };
  static constexpr std::uint32_t kFree = 0xffffffff;

  static constexpr std::size_t kForms = 3;  // the best general model, the second best, and the level

  [[nodiscard]] const Interval& interval_of(const Prediction& prediction) const noexcept {
    return prediction.kind == model::ModelKind::kHistory ? known_ : general_;
  }
  static Interval interval_of(const model::RatioWindow& window);
  void take_tuples(const model::KernelModel& model);
  void take_general(const model::KernelModel& model);
  void take_linear(const model::LinearModel& linear, bool tied);
  void take_delays(const std::vector<model::RetainedRow>& rows);

  // The tuple's number; kFree where it is not known.
  [[nodiscard]] std::uint32_t find(const double* parameters) const noexcept;
  // Where parameters lie among the samples.
  struct Place {
    std::uint32_t near = 0;  // samples as near as an octave in each parameter, of the parameter that has fewest
    bool is_within = true;   // the limits, with samples nearby
  };
  [[nodiscard]] Place place_of(const double* parameters) const noexcept {
    Place place{.near = all_};
    const std::uint32_t* counts = nearby_.data();
    for (std::size_t i = 0; i < parameters_; ++i, counts += model::OctaveCounts::kOctaves) {
      place.is_within &= static_cast<int>(parameters[i] >= low_[i]) & static_cast<int>(parameters[i] <= high_[i]);
      place.near = std::min(place.near, counts[model::OctaveCounts::place_of(parameters[i])]);
    }
    place.is_within &= static_cast<int>(place.near > 0);
    return place;
  }
  [[nodiscard]] double evaluate_slow(model::ModelKind kind, const double* parameters) const noexcept;
  void widen_slow(Prediction& prediction, const double* parameters, double leverage, bool within,
                  bool fell_back) const noexcept;
  [[nodiscard]] Prediction predict_slow(const double* parameters, const Place& place) const noexcept;
  [[nodiscard]] std::uint32_t octaves_off(std::size_t parameter, double value) const noexcept;
  [[nodiscard]] double distance(const double* parameters) const noexcept;
  void grow_slow(Prediction& prediction, const double* parameters) const noexcept;

  std::size_t parameters_ = 0;
  std::array<model::ModelKind, kForms> forms_{};
  bool prefers_history_ = false;
  Status linear_status_ = Status::kReady;
  Status status_ = Status::kReady;
  Interval general_;
  Interval known_;
  model::Delays delays_;
  // Limits of what is no extrapolation.
  std::array<double, model::kMaxParameters> low_{};
  std::array<double, model::kMaxParameters> high_{};
  std::array<double, model::kMaxParameters> largest_{};
  std::array<std::optional<model::KernelModel::Growth>, model::kMaxParameters> growths_;
  Linear linear_;
  std::size_t axis_ = 0;
  double level_ = 0;
  std::uint64_t samples_ = 0;
  std::uint32_t all_ = 0;                 // of the samples, as many as 32 bits hold
  OwnLinesVector<std::uint32_t> nearby_;  // by parameter and octave
  Tuples tuples_;
  OwnLinesVector<model::Point> curve_;
  model::Ends ends_;
  OwnLinesVector<model::Point> groups_;
  model::PowerLine::Coefficients power_;
};

}  // namespace foretask::predict
