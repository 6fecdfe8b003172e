// SPDX-License-Identifier: Apache-2.0
#include "fmm/kernels.hpp"

#include "common.hpp"

namespace fmm {
namespace {

struct Definition {
  const char* name;
  std::vector<const char*> direct;
  std::vector<const char*> indirect;
};

// In the order of KernelId. Cells and particles are those of the target's group; `interval` is how many cells would
// have room from its first to its last; `sums` is how many sums over a leaf's particles there are, `pairs` how many
// terms they have together.
const Definition kDefinitions[kKernelCount] = {
    {"p2m", {"cells", "particles"}, {}},
    {"m2m", {"level", "parents", "children"}, {}},
    {"m2l_in", {"level", "cells", "interval"}, {"interactions"}},
    {"m2l_out", {"level", "cells", "interval"}, {"interactions"}},
    {"l2l", {"level", "parents", "children"}, {}},
    {"l2p", {"cells", "particles"}, {}},
    {"p2p_in", {"cells", "interval", "particles"}, {"sums", "pairs"}},
    {"p2p_out", {"cells", "interval", "particles", "source_particles"}, {"sums", "pairs"}},
};

}  // namespace

Kernels::Kernels(bool indirect, int order) {
  const std::string version = "order " + std::to_string(order);
  for (int id = 0; id < kKernelCount; ++id) {
    const Definition& definition = kDefinitions[id];
    Entry& entry = entries_[id];
    entry.name = definition.name;
    entry.parameters = definition.direct;
    if (indirect) {
      entry.indirect = definition.indirect.size();
      entry.parameters.insert(entry.parameters.end(), definition.indirect.begin(), definition.indirect.end());
    } else if (!definition.indirect.empty()) {
      entry.name += "_direct";
    }
    const foretask_kernel_options options = {sizeof(foretask_kernel_options),
                                             entry.name.c_str(),
                                             entry.parameters.data(),
                                             entry.parameters.size(),
                                             nullptr,
                                             version.c_str()};
    entry.handle = foretask_kernel_define_with(&options, nullptr);
  }
}

void Kernels::predict(Task& task) const {
  const Entry& entry = entries_[task.kernel];
  foretask_predict(entry.handle, task.parameters.data(), entry.parameters.size(), &task.prediction);
}

TimedBody::TimedBody(const Kernels& kernels, Task& task) : kernels_(kernels), task_(task) {
  const std::size_t count = kernels.parameters(task.kernel).size() - kernels.indirect(task.kernel);
  foretask_scope_begin(&scope_, kernels.handle(task.kernel), task.parameters.data(), count);
  begin_ns_ = examples::now_ns();
}

TimedBody::~TimedBody() {
  task_.duration_ns = examples::now_ns() - begin_ns_;
  foretask_scope_end(&scope_);
}

void TimedBody::set_indirect(std::initializer_list<double> values) {
  if (kernels_.indirect(task_.kernel) == 0) return;
  std::size_t index = kernels_.parameters(task_.kernel).size() - values.size();
  for (const double value : values) {
    task_.parameters[index] = value;
    foretask_scope_set(&scope_, index, value);
    ++index;
  }
}

}  // namespace fmm
