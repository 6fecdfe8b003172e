// SPDX-License-Identifier: Apache-2.0
#include "model/online/tuple_means.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "statistics/quantile.hpp"

namespace foretask::model {
namespace {

// So many more samples of a tuple must be far off than not to outvote the other models. One sample in twenty an
// outlier, five in a row are one tuple in three million.
constexpr int kOutvote = 5;
// Samples that a tuple's mean is of, so that it follows slow changes.
constexpr double kMemory = 256;
// What remains of them after a change.
constexpr double kAfterChange = 4;
constexpr std::size_t kFirstSlots = 16;
// With the table full, one new tuple in so many replaces one that was long not met: a kernel whose tuples never come
// back does not rewrite it with every sample.
constexpr std::uint64_t kInsertOneIn = 8;
constexpr int kCandidates = 8;

// Of kFirst at most.
double median_of(std::span<const float> values) {
  std::array<double, TupleMeans::kFirst> copy;
  const auto end = std::copy(values.begin(), values.end(), copy.begin());
  return statistics::quantile_in_place({copy.begin(), end}, 0.5);
}

// The mean of values drawn in to no more than three times the median deviation's share from the median.
double bounded_mean(std::span<const float> values) {
  const double middle = median_of(values);
  std::array<float, TupleMeans::kFirst> off;
  for (std::size_t i = 0; i < values.size(); ++i) off[i] = static_cast<float>(std::abs(values[i] - middle));
  const double reach = 3 * 1.4826 * median_of(std::span(off).first(values.size()));
  double sum = 0;
  for (const float value : values) sum += std::clamp(static_cast<double>(value), middle - reach, middle + reach);
  return sum / static_cast<double>(values.size());
}

}  // namespace

bool TupleMeans::Tuple::is_believed(double longest) const noexcept {
  if (is_settled || mean <= longest) return true;
  int votes = 0;
  for (const float time : times()) votes += time > longest ? 1 : -1;
  return votes >= kOutvote;
}

void TupleMeans::Tuple::keep(float time) noexcept {
  if (kept == kFirst) std::copy(latest.begin() + 1, latest.end(), latest.begin());
  kept = std::min<std::uint32_t>(kept + 1, kFirst);
  latest[kept - 1] = time;
}

void TupleMeans::Tuple::sum_up() {
  mean = kept == kFirst ? bounded_mean(times()) : median_of(times());
  weight = kept;
}

std::uint64_t hash_tuple(Parameters parameters) noexcept {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (const double value : parameters) {
    hash ^= std::bit_cast<std::uint64_t>(value + 0.0);  // -0 and 0 are equal
    // A whole number's lower half is 0, and a product's lower bits are those of its factors' lower bits alone.
    hash ^= hash >> 32;
    hash *= 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32;
  }
  return hash;
}

std::size_t TupleMeans::slot_of(Parameters parameters, std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::uint32_t index = slots_[slot];
    if (index == kFree) return slot;
    if (hashes_[index] == hash && std::equal(parameters.begin(), parameters.end(), key(index).begin())) return slot;
  }
}

const TupleMeans::Tuple* TupleMeans::find(Parameters parameters) const noexcept {
  if (tuples_.empty()) return nullptr;
  const std::uint32_t index = slots_[slot_of(parameters, hash_tuple(parameters))];
  return index == kFree ? nullptr : &tuples_[index];
}

std::optional<double> TupleMeans::predict(Parameters parameters) const noexcept {
  const Tuple* const tuple = find(parameters);
  if (tuple == nullptr || !(tuple->mean > 0)) return std::nullopt;
  return tuple->mean;
}

void TupleMeans::grow() {
  const std::size_t size = std::max(kFirstSlots, 2 * slots_.size());
  slots_.assign(size, kFree);
  for (std::uint32_t i = 0; i < tuples_.size(); ++i) {
    std::size_t slot = hashes_[i] & (size - 1);
    while (slots_[slot] != kFree) slot = (slot + 1) & (size - 1);
    slots_[slot] = i;
  }
}

// Later entries of the same run of slots move up, so that no gap hides them.
void TupleMeans::free_slot(std::size_t slot) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t gap = slot;
  for (std::size_t next = (gap + 1) & mask; slots_[next] != kFree; next = (next + 1) & mask) {
    const std::size_t home = hashes_[slots_[next]] & mask;
    if (((next - home) & mask) >= ((next - gap) & mask)) {
      slots_[gap] = slots_[next];
      gap = next;
    }
  }
  slots_[gap] = kFree;
}

// Of a few tuples at random the one that was longest not met.
void TupleMeans::evict() noexcept {
  std::size_t victim = 0;
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < kCandidates; ++i) {
    const std::size_t candidate = random_.below(tuples_.size());
    if (tuples_[candidate].used < oldest) {
      oldest = tuples_[candidate].used;
      victim = candidate;
    }
  }
  free_slot(slot_of(key(victim), hashes_[victim]));
  const std::size_t last = tuples_.size() - 1;
  if (victim != last) {
    slots_[slot_of(key(last), hashes_[last])] = static_cast<std::uint32_t>(victim);
    tuples_[victim] = tuples_[last];
    hashes_[victim] = hashes_[last];
    std::copy_n(keys_.begin() + static_cast<std::ptrdiff_t>(last * stride_), stride_,
                keys_.begin() + static_cast<std::ptrdiff_t>(victim * stride_));
  }
  tuples_.pop_back();
  hashes_.pop_back();
  keys_.resize(last * stride_);
}

TupleMeans::Tuple* TupleMeans::insert(Parameters parameters) {
  if (2 * (tuples_.size() + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_tuple(parameters);
  std::size_t slot = slot_of(parameters, hash);
  if (slots_[slot] != kFree) return &tuples_[slots_[slot]];
  if (tuples_.size() == kMaxTuples) {
    if (++refused_ % kInsertOneIn != 0) return nullptr;
    evict();
    slot = slot_of(parameters, hash);
  }
  slots_[slot] = static_cast<std::uint32_t>(tuples_.size());
  tuples_.emplace_back();
  hashes_.push_back(hash);
  keys_.insert(keys_.end(), parameters.begin(), parameters.end());
  return &tuples_.back();
}

void TupleMeans::learn(Parameters parameters, double time, double noise, double spike, double longest) {
  Tuple* const tuple = insert(parameters);
  if (tuple == nullptr) return;
  tuple->used = ++clock_;
  ++tuple->samples;
  tuple->keep(static_cast<float>(time));
  if (!tuple->is_settled) {
    tuple->sum_up();
    tuple->is_settled = tuple->kept == kFirst && tuple->is_believed(longest);
    return;
  }
  // Of this tuple alone; a change of the whole kernel is found sooner, by all of its samples (rescale). It takes more
  // samples than are kept, so that these are of the new level.
  if (tuple->change.step(std::log(time / tuple->mean) / noise, ChangeDetector::kLate)) {
    tuple->change.reset();
    tuple->sum_up();
    return;
  }
  const double reach = std::exp(spike);
  tuple->weight = std::min(tuple->weight + 1, kMemory);
  tuple->mean += (std::clamp(time, tuple->mean / reach, tuple->mean * reach) - tuple->mean) / tuple->weight;
}

void TupleMeans::rescale(double factor, double weight) noexcept {
  for (Tuple& tuple : tuples_) {
    tuple.mean *= factor;
    for (float& time : tuple.latest) time *= static_cast<float>(factor);
    tuple.weight = std::min(tuple.weight, std::max(weight, kAfterChange));
    tuple.change.reset();
  }
}

void TupleMeans::join(Parameters parameters, const Tuple& other, std::uint64_t fresh, double spike) {
  Tuple* const tuple = insert(parameters);
  if (tuple == nullptr) return;
  tuple->used = ++clock_;
  tuple->samples += fresh;
  const double weight = std::min(other.weight, static_cast<double>(fresh));
  if (tuple->is_settled) {
    const double reach = std::exp(spike);
    const double mean =
        other.is_settled ? other.mean : std::clamp(other.mean, tuple->mean / reach, tuple->mean * reach);
    tuple->mean += (mean - tuple->mean) * weight / (tuple->weight + weight);
    tuple->weight = std::min(tuple->weight + weight, kMemory);
  } else if (other.is_settled) {
    tuple->mean = other.mean;
    tuple->weight = weight;
    tuple->is_settled = true;
  } else {
    for (const float time : other.times().last(std::min<std::uint64_t>(other.kept, fresh))) tuple->keep(time);
    tuple->sum_up();
  }
}

void TupleMeans::mark_stored() noexcept {
  for (Tuple& tuple : tuples_) tuple.stored = tuple.samples;
}

}  // namespace foretask::model
