// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "codelet_kernel.hpp"

namespace foretask::starpu {
namespace {

constexpr std::size_t kMostSizes = 1024;
// A sample that takes less than this part of its prediction contradicts it.
constexpr double kContradicts = 0.5;
// A model follows within some ten samples.
constexpr std::uint32_t kMostDoubts = 32;
constexpr double kLeastGain = 20;

}  // namespace

// Null for sizes beyond those that are watched.
UnusedClasses::Size* UnusedClasses::find(std::uint64_t size) {
  if (const auto found = sizes_.find(size); found != sizes_.end()) return &found->second;
  return sizes_.size() < kMostSizes ? &sizes_[size] : nullptr;
}

void UnusedClasses::add(std::uint64_t size, int worker_class, double ns) {
  const std::lock_guard lock(mutex_);
  Size* const all = find(size);
  if (!all) return;
  ++all->samples;
  for (Use& use : all->uses) use.elsewhere_ns += ns;
  Use& own = all->uses[static_cast<std::size_t>(worker_class)];
  if (own.predicted_ns > 0) {
    const bool contradicts = ns < kContradicts * own.predicted_ns;
    own.wait = contradicts ? kFirst : 2 * own.wait;
    own.doubts = contradicts ? kMostDoubts : 0;
    own.predicted_ns = 0;
  }
  own.seen_at = all->samples;
  own.elsewhere_ns = 0;
  own.latest_ns = ns;
}

bool UnusedClasses::should_try(std::uint64_t size, int worker_class, double predicted_ns) {
  const std::lock_guard lock(mutex_);
  Size* const all = find(size);
  if (!all) return false;
  Use& own = all->uses[static_cast<std::size_t>(worker_class)];
  if (own.doubts > 0) {
    if (own.latest_ns < kContradicts * predicted_ns) {
      --own.doubts;
      return true;
    }
    own.doubts = 0;
  }
  const bool is_unused = all->samples - own.seen_at >= own.wait && all->samples - own.tried_at >= own.wait;
  if (!is_unused) return false;
  if (own.wait > kFirst && own.elsewhere_ns < kLeastGain * predicted_ns) return false;
  own.tried_at = all->samples;
  own.predicted_ns = predicted_ns;
  return true;
}

}  // namespace foretask::starpu
