// SPDX-License-Identifier: Apache-2.0
// HOT: a set of workers with constant-time insert, erase and pick by place. The order of places depends on nothing but
// the history of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace foretask::simulate {

class WorkerSet {
 public:
  explicit WorkerSet(std::size_t workers) : place_(workers, kAbsent) { members_.reserve(workers); }

  [[nodiscard]] bool empty() const noexcept { return members_.empty(); }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(members_.size()); }
  [[nodiscard]] bool contains(std::uint32_t worker) const noexcept { return place_[worker] != kAbsent; }
  [[nodiscard]] std::uint32_t operator[](std::uint32_t place) const noexcept { return members_[place]; }

  void insert(std::uint32_t worker) noexcept {
    if (contains(worker)) return;
    place_[worker] = size();
    members_.push_back(worker);
  }
  void erase(std::uint32_t worker) noexcept {
    if (!contains(worker)) return;
    const std::uint32_t last = members_.back();
    members_[place_[worker]] = last;
    place_[last] = place_[worker];
    place_[worker] = kAbsent;
    members_.pop_back();
  }

 private:
  static constexpr std::uint32_t kAbsent = 0xffffffffU;

  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> place_;
};

}  // namespace foretask::simulate
