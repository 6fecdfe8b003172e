// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of the store: read or refused, never half used. What is read predicts numbers above 0, goes on
// learning, is joined with another, and is saved and read again as it was.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/store/kernel_state.hpp"
#include "model/store/store.hpp"
#include "predict/online/snapshot.hpp"

namespace {

using foretask::model::KernelModel;
using foretask::model::KernelState;
using foretask::model::Store;
using foretask::predict::Snapshot;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

void check_predictions(const KernelModel& model) {
  const auto snapshot = Snapshot::of(model);
  for (const double x : {0.0, 1.0, 64.0, 1e18, -3.0, 1e300}) {
    const std::vector<double> parameters(model.parameters(), x);
    const auto answer = model.predict(parameters);
    check(answer && answer->time > 0 && std::isfinite(answer->time), "a model predicts a number above 0");
    const auto read = snapshot->predict(parameters.data());
    check(read.value > 0 && std::isfinite(read.value), "a snapshot predicts a number above 0");
    check(read.low >= 0 && read.low <= read.high, "an interval has two ends");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("store", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  check(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "the input is written");
  const auto entries = Store::read_entries(path);
  if (!entries) {
    check(entries.error().path == path && !entries.error().what.empty(), "an error names the file and the reason");
    return 0;
  }
  for (const auto& entry : *entries) {
    KernelModel& model = *entry.model;
    check(model.samples() > 0 && model.samples() == model.stored_samples(), "all of it is stored");
    check_predictions(model);
    const auto saved = KernelState::save(model);
    auto again = KernelState::restore(saved, entry.shape);
    check(again.ok(), "what was read can be saved and read");
    check(KernelState::save(**again) == saved, "and is the same then");
    const std::vector<double> parameters(model.parameters(), 64);
    for (int i = 0; i < 20; ++i) model.learn(parameters, 1000 + i);
    check_predictions(model);
    (*again)->join(model);
    check_predictions(**again);
    model.make_stale();
    check_predictions(model);
  }
  return 0;
}
