// SPDX-License-Identifier: Apache-2.0
#include "predict/program/recorded_offsets.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace foretask::predict {
namespace {

constexpr double kFadingOctaves = 1;  // of n, within which an offset falls to exp(-1)

double nearness(double octaves) { return std::exp(-std::abs(octaves) / kFadingOctaves); }

}  // namespace

RecordedOffsets::RecordedOffsets(std::span<const ProgramCell> cells,
                                 const std::function<double(double, double)>& time) {
  for (const ProgramCell& cell : cells)
    if (const double said = time(cell.n, cell.p); said > 0)
      lines_[std::log2(cell.p)][std::log2(cell.n)] = std::log(cell.time / said);
}

RecordedOffsets::Offset RecordedOffsets::along(const Line& line, double octave) {
  const auto above = line.lower_bound(octave);
  if (above == line.end() || (above == line.begin() && octave < above->first)) {
    const auto& [end, log_ratio] = above == line.end() ? *line.rbegin() : *above;
    return {log_ratio * nearness(octave - end), nearness(octave - end)};
  }
  if (above->first == octave) return {above->second, 1};
  const auto below = std::prev(above);
  const double share = (octave - below->first) / (above->first - below->first);
  return {below->second + share * (above->second - below->second),
          nearness(std::min(octave - below->first, above->first - octave))};
}

RecordedOffsets::Offset RecordedOffsets::at(double n, double p) const {
  const auto above = lines_.lower_bound(std::log2(p));
  if (above == lines_.end()) return {};
  const Offset high = along(above->second, std::log2(n));
  if (above->first == std::log2(p) || above == lines_.begin()) return above->first == std::log2(p) ? high : Offset{};
  const auto below = std::prev(above);
  const Offset low = along(below->second, std::log2(n));
  const double share = (std::log2(p) - below->first) / (above->first - below->first);
  return {low.log_ratio + share * (high.log_ratio - low.log_ratio), std::min(low.known, high.known) / 2};
}

}  // namespace foretask::predict
