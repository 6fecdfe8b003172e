// SPDX-License-Identifier: Apache-2.0
// What the models of T(n, p) take for granted of the noise in their tables, as relative standard deviations.
// Repetitions do not tell it, as they are joined to their median first (program_cells.hpp): it is what is left of the
// runs of one size on several numbers of workers once their dependence on p is taken out.
#pragma once

namespace foretask::predict {

inline constexpr double kNoNoise = 1e-6;      // runs that agree to this are of a table without noise
inline constexpr double kLeastNoise = 0.002;  // of times; no law holds better
inline constexpr double kUsualNoise = 0.01;   // where there are too few runs to tell: always with one p

}  // namespace foretask::predict
