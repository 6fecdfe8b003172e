// SPDX-License-Identifier: Apache-2.0
// How many cores this process may use: its affinity, and what its control groups leave it. Cold.
#pragma once

#include <sched.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foretask::base {

// The folders of this process's control group for `controller` ("cpu") and of those around it, innermost first, of
// version 2 and of version 1. A fresh reading a call, some 50 us. `root`: where they are looked for; tests have
// another.
[[nodiscard]] std::vector<std::string> control_groups(std::string_view controller, const std::string& root = {});

// So many cores' time is what the groups leave it at most, the tightest of all; 0: there is no limit.
[[nodiscard]] double core_quota(const std::string& root = {});

// How long these groups, by then, had been held up by such a limit: the time of all processors, the most of any group.
// 0 where nothing tells.
[[nodiscard]] std::int64_t throttled_ns(const std::string& root = {});

// Of threads with these affinities: how many have no processor that another of them could not take, though there are
// so many processors. O(masks^2).
[[nodiscard]] std::uint32_t threads_beyond_processors(const std::vector<cpu_set_t>& affinities,
                                                      std::uint32_t processors);

// The processors that it may run on; 0: not known.
[[nodiscard]] unsigned allowed_cores();

// A short name for the kind of processors that this machine has, and for how many: where times are comparable. Some
// 50 us, where runtime::read_machine() takes ms.
[[nodiscard]] std::string processor_key();

}  // namespace foretask::base
