// SPDX-License-Identifier: Apache-2.0
#include "runtime/progress/progress_kernels.hpp"

#include <array>
#include <cstddef>
#include <exception>
#include <mutex>
#include <unordered_map>

#include "base/region_name.hpp"
#include "base/run_aside.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/progress/progress_counters.hpp"
#include "runtime/recording/code_place.hpp"

namespace foretask::runtime {
namespace {

using Kind = base::KernelKind;

struct Places {
  std::mutex mutex;
  std::array<std::unordered_map<const void*, std::uint32_t>, base::kKernelKinds> by_key;
  std::unordered_map<std::string, std::uint32_t> by_name;
  std::vector<std::string> names{"(other kernels)", "(serial part)"};
};

Places& places() {
  static auto* const instance = new Places;
  return *instance;
}

std::string name_of(const void* key, Kind kind) {
  if (kind == Kind::kNamed) return static_cast<const foretask_kernel*>(key)->name;
  return base::kernel_name(place_of_code(key).name, kind);
}

std::uint32_t find_slow(const void* key, Kind kind) {
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  auto& known = all.by_key[static_cast<std::size_t>(kind)];
  if (const auto there = known.find(key); there != known.end()) return there->second;
  const std::string name = name_of(key, kind);
  std::uint32_t place = kOtherKernels;
  if (const auto there = all.by_name.find(name); there != all.by_name.end()) {
    place = there->second;
  } else if (all.names.size() < kMostProgressKernels) {
    place = static_cast<std::uint32_t>(all.names.size());
    all.names.push_back(name);
    all.by_name.emplace(name, place);
  }
  known.emplace(key, place);
  return place;
}

}  // namespace

std::uint32_t progress_place_slow(const void* key, Kind kind) noexcept {
  std::uint32_t place = kOtherKernels;
  static_cast<void>(base::run_aside([&] {
    try {
      place = find_slow(key, kind);
    } catch (const std::exception&) {
    }
  }));
  return place;
}

std::vector<std::string> progress_kernel_names() {
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  return all.names;
}

void lock_progress_kernels() { places().mutex.lock(); }
void unlock_progress_kernels() { places().mutex.unlock(); }

}  // namespace foretask::runtime
