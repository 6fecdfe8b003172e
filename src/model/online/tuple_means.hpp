// SPDX-License-Identifier: Apache-2.0
// The mean time of every exact tuple of parameters (as StarPU's history models keep it), bounded in number, following
// slow changes of a tuple's own and sudden ones. The first few samples of a tuple may all be outliers: until it is
// settled it is weighed against what the other models say of it. One thread; a sample costs a hash and a few
// operations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/online/change_detector.hpp"
#include "model/online/observation.hpp"
#include "statistics/random.hpp"

namespace foretask::model {

[[nodiscard]] std::uint64_t hash_tuple(Parameters parameters) noexcept;

class TupleMeans {
 public:
  static constexpr std::size_t kMaxTuples = 1024;
  // The first samples of a tuple count by their median, so that none of them is taken for the mean.
  static constexpr std::size_t kFirst = 7;

  explicit TupleMeans(std::size_t parameters) noexcept : stride_(parameters) {}

  struct Tuple {
    double mean = 0;
    double weight = 0;          // samples that the mean is of
    std::uint64_t samples = 0;  // in all
    std::uint64_t stored = 0;   // of them from the store
    ChangeDetector change;
    std::array<float, kFirst> latest{};  // times, as many as `kept`, oldest first
    std::uint32_t kept = 0;
    bool is_settled = false;  // the mean is of more than a few samples, or they were believed
    std::uint64_t used = 0;   // the sample at which it was last met

    [[nodiscard]] std::span<const float> times() const noexcept { return std::span(latest).first(kept); }
    // Whether its mean is to answer. To the other models a time above `longest` is an outlier: a task that was held up.
    // Too short a time is none, since nothing makes a task faster.
    [[nodiscard]] bool is_believed(double longest) const noexcept;
    void keep(float time) noexcept;
    // The mean of the times that are kept.
    void sum_up();
  };

  // Nothing for a tuple that was never seen.
  [[nodiscard]] const Tuple* find(Parameters parameters) const noexcept;
  [[nodiscard]] std::optional<double> predict(Parameters parameters) const noexcept;

  // `noise`: standard deviation of ln(time / prediction), for telling a change; `spike`: a time further off than that
  // is drawn in, but for a tuple's first samples; `longest` as above.
  void learn(Parameters parameters, double time, double noise, double spike, double longest);

  void rescale(double factor, double weight) noexcept;

  // Another process's tuple, or the store's: its latest `fresh` samples are joined with what there is of it. `spike` as
  // in learn().
  void join(Parameters parameters, const Tuple& other, std::uint64_t fresh, double spike);

  [[nodiscard]] std::size_t tuples() const noexcept { return tuples_.size(); }
  [[nodiscard]] Parameters key(std::size_t index) const noexcept {
    return Parameters(keys_).subspan(index * stride_, stride_);
  }
  [[nodiscard]] const Tuple& tuple(std::size_t index) const noexcept { return tuples_[index]; }
  // From now on all samples so far count as stored.
  void mark_stored() noexcept;

 private:
  static constexpr std::uint32_t kFree = 0xffffffff;

  [[nodiscard]] std::size_t slot_of(Parameters parameters, std::uint64_t hash) const noexcept;
  [[nodiscard]] Tuple* insert(Parameters parameters);
  void grow();
  void evict() noexcept;
  void free_slot(std::size_t slot) noexcept;

  std::size_t stride_;
  std::vector<double> keys_;
  std::vector<Tuple> tuples_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  // open addressing, at most half full
  std::uint64_t clock_ = 0;
  std::uint64_t refused_ = 0;
  statistics::Random random_{1};
};

}  // namespace foretask::model
