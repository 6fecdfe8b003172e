// SPDX-License-Identifier: Apache-2.0
// The mean time of every exact tuple of parameters (as StarPU's history models keep it), bounded in number, following
// slow changes of a tuple's own and sudden ones. One thread; a sample costs a hash and a few operations.
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
    std::array<float, kFirst> first{};  // times over `scale`, as many as `kept`
    double scale = 0;
    std::size_t kept = 0;

    // Its mean is no more of a few samples alone.
    [[nodiscard]] bool is_settled() const noexcept { return kept == kFirst; }
    std::uint64_t used = 0;  // the sample at which it was last met
  };

  // Nothing for a tuple that was never seen.
  [[nodiscard]] const Tuple* find(Parameters parameters) const noexcept;
  [[nodiscard]] std::optional<double> predict(Parameters parameters) const noexcept;

  // `noise`: standard deviation of ln(time / prediction), for telling a change; `spike`: a time further off than that
  // is drawn in, but for a tuple's first samples.
  void learn(Parameters parameters, double time, double noise, double spike);

  void rescale(double factor, double weight) noexcept;

  // Another process's samples of a tuple, or the store's: joined with what there is of it.
  void join(Parameters parameters, double mean, double weight, std::uint64_t samples);

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
