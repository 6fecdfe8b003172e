// SPDX-License-Identifier: Apache-2.0
#include "report/json_output.hpp"

namespace foretask::report {

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json costs_json(const analysis::SchedulingCosts& costs) {
  return {{"create_ns", costs.create_ns}, {"dispatch_ns", costs.dispatch_ns},
          {"steal_ns", costs.steal_ns},   {"deque_capacity", costs.deque_capacity},
          {"thread_ns", costs.thread_ns}, {"recorded_workers", costs.recorded_workers}};
}

}  // namespace foretask::report
