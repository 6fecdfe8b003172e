// SPDX-License-Identifier: Apache-2.0
// The machine, as hwloc sees it: where each processor is, and a fingerprint that two runs on one machine share.
#pragma once

#include "trace/process_facts.hpp"

namespace foretask::runtime {

// Some 5 ms. An unreadable topology gives what the operating system says, with no places.
[[nodiscard]] trace::Machine read_machine();

}  // namespace foretask::runtime
