// SPDX-License-Identifier: Apache-2.0
#include "simgrid_reference.hpp"

namespace foretask::benchmarks {

bool has_simgrid() noexcept { return false; }

std::optional<SimgridReplay> simgrid_replay(const analysis::TaskGraph&, std::uint32_t, SimgridWork) { return {}; }

}  // namespace foretask::benchmarks
