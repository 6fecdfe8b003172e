// SPDX-License-Identifier: Apache-2.0
// The method's eight kernels as foretask knows them: their names, and the parameters that their times depend on.
//
// Most parameters are direct: whoever creates a task has them at hand. Four kernels have indirect ones as well, how
// many interactions, sums or particle pairs there are, which takes a walk over the cells: their bodies count and tell
// them.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "foretask/foretask.h"

namespace fmm {

enum KernelId { kP2m, kM2m, kM2lIn, kM2lOut, kL2l, kL2p, kP2pIn, kP2pOut, kKernelCount };

using Parameters = std::array<double, 6>;

struct Task {
  KernelId kernel;
  int depth;   // of the level whose group is the target
  int target;  // group
  int source;  // group of the same level; a child's or parent's one for m2m and l2l; the pair's number for *_out
  Parameters parameters{};  // as the kernel names them, indirect ones last
  std::int64_t duration_ns = 0;
  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
};

class Kernels {
 public:
  // Without `indirect`, four kernels are defined without those parameters and under another name. The expansions' order
  // is part of the code's version: what is learned of one says nothing about another.
  Kernels(bool indirect, int order);

  [[nodiscard]] foretask_kernel* handle(KernelId id) const { return entries_[id].handle; }
  [[nodiscard]] const std::string& name(KernelId id) const { return entries_[id].name; }
  // As foretask knows them: without the indirect ones where they are left out.
  [[nodiscard]] const std::vector<const char*>& parameters(KernelId id) const { return entries_[id].parameters; }
  // How many of them only the body tells.
  [[nodiscard]] std::size_t indirect(KernelId id) const { return entries_[id].indirect; }

  // What foretask says of the task, all of whose parameters are there.
  void predict(Task& task) const;

 private:
  struct Entry {
    std::string name;
    std::vector<const char*> parameters;
    std::size_t indirect = 0;
    foretask_kernel* handle = nullptr;
  };
  std::array<Entry, kKernelCount> entries_;
};

// From its construction to its end a task's body is timed, by foretask and for the table that this program prints.
class TimedBody {
 public:
  TimedBody(const Kernels& kernels, Task& task);
  ~TimedBody();
  TimedBody(const TimedBody&) = delete;
  TimedBody& operator=(const TimedBody&) = delete;

  // The indirect parameters, all of them, in their order.
  void set_indirect(std::initializer_list<double> values);

 private:
  const Kernels& kernels_;
  Task& task_;
  foretask_scope scope_;
  std::int64_t begin_ns_;
};

}  // namespace fmm
