// SPDX-License-Identifier: Apache-2.0
// Where foretask was built without PAPI: every counter that is asked for has a status, and none is read.
#include "runtime/counters/counter_source.hpp"

namespace foretask::runtime {
namespace {

class NullSource final : public CounterSource {
 public:
  explicit NullSource(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      statuses_.push_back({name, trace::kCounterUnsupported, "foretask was built without PAPI"});
  }
  [[nodiscard]] const std::vector<trace::Counter>& statuses() const noexcept override { return statuses_; }
  [[nodiscard]] std::unique_ptr<ThreadCounters> open_thread() noexcept override { return nullptr; }

 private:
  std::vector<trace::Counter> statuses_;
};

}  // namespace

std::unique_ptr<CounterSource> open_counter_source(const std::vector<std::string>& names) {
  return std::make_unique<NullSource>(names);
}

}  // namespace foretask::runtime
