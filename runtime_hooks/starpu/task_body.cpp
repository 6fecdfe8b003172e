// SPDX-License-Identifier: Apache-2.0
#include "task_body.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace foretask::starpu {
namespace {

constexpr std::size_t kMostBodies = 512;

// A task carries nothing of ours, and a codelet may be copied: which function is meant is told by ours alone.
std::array<std::atomic<Body>, kMostBodies> originals{};

template <std::size_t number>
void stand_in(void** buffers, void* argument) {
  std::atomic_thread_fence(std::memory_order_acquire);  // StarPU may have read the function from the codelet just now
  run_body(originals[number].load(std::memory_order_relaxed), buffers, argument);
}

template <std::size_t... numbers>
constexpr std::array<Body, sizeof...(numbers)> make_stand_ins(std::index_sequence<numbers...> /*numbers*/) {
  return {stand_in<numbers>...};
}

constexpr std::array kStandIns = make_stand_ins(std::make_index_sequence<kMostBodies>());

// By address, with their numbers.
using Place = std::pair<Body, std::size_t>;
const std::array<Place, kMostBodies>& places() noexcept {
  static const auto sorted = [] {
    std::array<Place, kMostBodies> result;
    for (std::size_t i = 0; i < kMostBodies; ++i) result[i] = {kStandIns[i], i};
    std::sort(result.begin(), result.end());
    return result;
  }();
  return sorted;
}

// kMostBodies: it is none of ours. Ours are of one size, and mostly lie one behind the other.
std::size_t number_of(Body body) noexcept {
  const std::array<Place, kMostBodies>& all = places();
  const auto first = reinterpret_cast<std::uintptr_t>(all.front().first);
  const std::uintptr_t span = reinterpret_cast<std::uintptr_t>(all.back().first) - first;
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(body) - first;
  if (distance > span) return kMostBodies;
  const Place& likely = all[distance / (span / (kMostBodies - 1)) % kMostBodies];
  if (likely.first == body) return likely.second;
  const auto found = std::lower_bound(all.begin(), all.end(), Place{body, 0});
  return found != all.end() && found->first == body ? found->second : kMostBodies;
}

Body stand_in_of(Body body) {
  static std::mutex mutex;
  static std::size_t used = 0;
  const std::lock_guard lock(mutex);
  std::size_t number = 0;
  while (number < used && originals[number].load(std::memory_order_relaxed) != body) ++number;
  if (number == kMostBodies) return body;
  if (number == used) originals[used++].store(body, std::memory_order_relaxed);
  return kStandIns[number];
}

// Other threads may submit tasks of the codelet, and run one. Release: what stands in finds its original.
void stand_before(Body& body) {
  const Body named = __atomic_load_n(&body, __ATOMIC_ACQUIRE);
  if (named && number_of(named) == kMostBodies) __atomic_store_n(&body, stand_in_of(named), __ATOMIC_RELEASE);
}

// The old way to name a single function, which StarPU copies at the codelet's first submission. -1 and the like are
// marks of StarPU's.
void stand_before_old(Body& body) {
  constexpr std::uintptr_t kMarks = 16;
  const auto value = reinterpret_cast<std::uintptr_t>(body);
  if (value != 0 && value < std::uintptr_t{0} - kMarks) stand_before(body);
}

}  // namespace

Body original_body(Body body) noexcept {
  const std::size_t number = number_of(body);
  return number == kMostBodies ? body : originals[number].load(std::memory_order_relaxed);
}

void stand_before_bodies(starpu_codelet& codelet) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  for (Body* const old : {&codelet.cpu_func, &codelet.cuda_func, &codelet.opencl_func}) stand_before_old(*old);
#pragma GCC diagnostic pop
  for (Body* const bodies : {codelet.cpu_funcs, codelet.cuda_funcs, codelet.opencl_funcs})
    for (std::size_t i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) stand_before(bodies[i]);
}

}  // namespace foretask::starpu
