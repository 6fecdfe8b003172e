// SPDX-License-Identifier: Apache-2.0
// What libforetask_simgrid.so offers, found by its name. It is loaded in the process of one replay: SimGrid's engine is
// one a process, and its library needs many others, which nobody else should have to load.
#pragma once

#include <functional>
#include <string>

#include "foretask/analysis/platform.hpp"
#include "simulate/network/network.hpp"

namespace foretask::simulate {

inline constexpr const char* kSimgridLibrary = "libforetask_simgrid.so";
inline constexpr const char* kSimgridEntry = "foretask_simgrid_replay";

// Calls `replay` once, with a network that carries messages between the hosts of the platform's XML file. `problem` is
// what kept it from being called, else as it was. Once a process.
using SimgridEntry = void(const analysis::Platform& platform, const std::function<void(Network&)>& replay,
                          std::string& problem);

}  // namespace foretask::simulate
