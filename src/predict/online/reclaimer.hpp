// SPDX-License-Identifier: Apache-2.0
// Frees snapshots once no reader can hold them any more (read_section.hpp). One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "predict/online/snapshot.hpp"

namespace foretask::predict {

class Reclaimer {
 public:
  // Replaced already: no reader that begins now finds it.
  void retire(std::unique_ptr<const Snapshot> snapshot) { fresh_.push_back(std::move(snapshot)); }

  // Frees what can be freed; never waits. One system call where something was retired since the last time.
  void collect();

  [[nodiscard]] std::size_t pending() const noexcept { return fresh_.size() + waiting_.size(); }

 private:
  using Batch = std::vector<std::unique_ptr<const Snapshot>>;

  [[nodiscard]] bool all_left() const noexcept;
  void ask_for_membarrier() noexcept;

  Batch fresh_;
  Batch waiting_;
  std::vector<std::pair<std::size_t, std::uint64_t>> inside_;  // slots that were inside when the barrier was passed
  bool crowd_inside_ = false;
  bool has_asked_ = false;
  bool has_membarrier_ = false;
};

}  // namespace foretask::predict
