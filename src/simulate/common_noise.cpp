// SPDX-License-Identifier: Apache-2.0
#include "simulate/common_noise.hpp"

#include <algorithm>
#include <cmath>

namespace foretask::simulate {

using analysis::NodeIndex;
using analysis::TaskGraph;

namespace {

constexpr std::size_t kBlocks = CommonNoise::kBlocks;
// Levels of fewer blocks say too little.
constexpr unsigned kFirstLevel = 3;
// Above what chance gives, in standard deviations: one in a hundred.
constexpr double kDeviations = 2.33;
// Median of a squared standard normal number, and the relative standard deviation, times the root of n, of the median
// of n of them.
constexpr double kMedianSquare = 0.4549;
constexpr double kMedianError = 2.333;
// Quartile distances above the upper quartile: what takes longer was something else on the machine.
constexpr double kFence = 3;
// Blocks of fewer tasks show their tasks, not what they have in common.
constexpr double kFewestOfBlock = 20;
// Octaves of time by which two runs are further apart than the halves of one.
constexpr double kOctavesBetweenRuns = 2;
// Of the run's variance: the recorded one is as far from the mean of all runs as the next.
constexpr double kTwoRuns = 2;

struct Block {
  double expected_ns = 0;
  double excess_ns = 0;
  double variance = 0;  // of the excess, were the tasks independent
  double tasks = 0;
};

// Of a cell's tasks, those beyond the fence taken as at it.
struct Moments {
  double mean = 0;
  double variance = 0;
  double fence = 0;
};

double task_time(const TaskGraph& graph, const TaskStrands& strands, std::uint32_t task) {
  return static_cast<double>(task_time_ns(graph, strands.of(task)));
}

// `members` in order of their times.
Moments moments_of(const TaskGraph& graph, const TaskStrands& strands, std::span<const std::uint32_t> members) {
  const double low = task_time(graph, strands, members[members.size() / 4]);
  const double high = task_time(graph, strands, members[members.size() - 1 - members.size() / 4]);
  Moments moments{.fence = high + kFence * (high - low)};
  double count = 0;
  for (const std::uint32_t task : members) {
    const double time = std::min(task_time(graph, strands, task), moments.fence);
    const double distance = time - moments.mean;
    moments.mean += distance / ++count;
    moments.variance += distance * (time - moments.mean);
  }
  moments.variance /= std::max(count - 1, 1.0);
  return moments;
}

// How much the blocks of a level differ from each other above chance, as the variance of a share: by their median, so
// that one pause of the machine is not taken for its habit.
struct Excess {
  double variance = 0;
  double degrees = 0;
};

Excess excess_of(const std::vector<Block>& blocks) {
  std::vector<double> squares;  // in units of what chance gives
  double weights = 0;
  for (const Block& block : blocks) {
    if (block.tasks < kFewestOfBlock || block.variance <= 0) continue;
    squares.push_back(block.excess_ns * block.excess_ns / block.variance);
    weights += block.expected_ns * block.expected_ns / block.variance;
  }
  const auto used = static_cast<double>(squares.size());
  if (used < 2) return {};
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  const double above = *middle / kMedianSquare - 1;
  const bool is_chance = above <= kDeviations * kMedianError / std::sqrt(used);
  return {.variance = is_chance ? 0 : above * used / weights, .degrees = used - 1};
}

}  // namespace

CommonNoise CommonNoise::of(const TaskGraph& graph, const TaskStrands& strands, const TaskCells& cells) {
  CommonNoise noise;
  std::vector<Moments> moments;
  for (const TaskCell& cell : cells.cells) {
    moments.push_back(cell.size >= kFewestOfCell ? moments_of(graph, strands, cells.members_of(cell)) : Moments{});
  }
  std::vector<std::uint32_t> cell_of_first(graph.size(), kNoCell);  // of a task, at its first strand
  double all_ns = 0;
  for (std::size_t task = 0; task < strands.tasks(); ++task) {
    const std::uint32_t cell = cells.cell_of_task[task];
    if (cell == kNoCell) continue;
    cell_of_first[strands.of(task).front()] = cell;
    all_ns += moments[cell].mean;
  }
  std::vector<Block> blocks(kBlocks);
  double before_ns = 0;
  std::size_t place = 0;
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    const std::uint32_t cell = cell_of_first[node];
    if (cell == kNoCell || moments[cell].mean <= 0) continue;
    while (place + 1 < kBlocks && before_ns >= all_ns * static_cast<double>(place + 1) / static_cast<double>(kBlocks))
      noise.ends_[place++] = node;
    before_ns += moments[cell].mean;
    blocks[place].expected_ns += moments[cell].mean;
    blocks[place].variance += moments[cell].variance;
    blocks[place].tasks += 1;
  }
  for (; place < kBlocks; ++place) noise.ends_[place] = static_cast<std::uint32_t>(graph.size());
  // A task is of the block in which it starts, all its strands.
  for (std::size_t task = 0; task < strands.tasks(); ++task) {
    const std::uint32_t cell = cells.cell_of_task[task];
    if (cell == kNoCell || moments[cell].mean <= 0) continue;
    const auto own = strands.of(task);
    const auto block = static_cast<std::size_t>(
        std::upper_bound(noise.ends_.begin(), noise.ends_.end() - 1, own.front()) - noise.ends_.begin());
    const double time = task_time(graph, strands, static_cast<std::uint32_t>(task));
    blocks[block].excess_ns += std::min(time, moments[cell].fence) - moments[cell].mean;
  }

  // Blocks of 2^level: drifts give octave * level, brief disturbances brief * (2^level - 1). Least squares of both,
  // neither below 0, levels weighted by their degrees of freedom over the squared size of what they show.
  double dd = 0;
  double db = 0;
  double bb = 0;
  double dy = 0;
  double by = 0;
  for (unsigned level = kLevels; level >= kFirstLevel; --level) {
    const Excess excess = excess_of(blocks);
    const auto count = static_cast<double>(std::size_t{1} << level);
    const double drift = level;
    const double brief = count - 1;
    const double weight = excess.degrees / (count * count);
    dd += weight * drift * drift;
    db += weight * drift * brief;
    bb += weight * brief * brief;
    dy += weight * drift * excess.variance;
    by += weight * brief * excess.variance;
    std::vector<Block> joined(blocks.size() / 2);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      Block& half = joined[i / 2];
      half.expected_ns += blocks[i].expected_ns;
      half.excess_ns += blocks[i].excess_ns;
      half.variance += blocks[i].variance;
      half.tasks += blocks[i].tasks;
    }
    blocks = std::move(joined);
  }
  const double determinant = dd * bb - db * db;
  if (determinant > 1e-12 * dd * bb) {
    noise.octave_ = (dy * bb - by * db) / determinant;
    noise.brief_ = (by * dd - dy * db) / determinant;
  }
  if (!(noise.octave_ > 0)) {
    noise.octave_ = 0;
    noise.brief_ = bb > 0 ? std::max(by / bb, 0.0) : 0;
  } else if (!(noise.brief_ > 0)) {
    noise.brief_ = 0;
    noise.octave_ = dd > 0 ? std::max(dy / dd, 0.0) : 0;
  }
  return noise;
}

double CommonNoise::run_spread() const noexcept { return std::sqrt(kOctavesBetweenRuns * octave_ + brief_); }

std::array<double, kBlocks> CommonNoise::factors(const RandomAt& random) const {
  std::array<double, kBlocks> factors;
  std::uint64_t place = 0;
  const double run = std::sqrt(kTwoRuns) * run_spread() * random.normal(place++);
  const double drift = std::sqrt(octave_);
  std::array<double, 2 * kBlocks> drifts{};  // of a tree of halves: node i has the children 2i and 2i + 1
  drifts[1] = run;
  for (std::size_t i = 2; i < 2 * kBlocks; ++i) drifts[i] = drifts[i / 2] + drift * random.normal(place++);
  // The mean of exp(s z) is exp(s^2 / 2).
  const double variance = kTwoRuns * run_spread() * run_spread() + kLevels * octave_;
  for (std::size_t block = 0; block < kBlocks; ++block)
    factors[block] = std::exp(drifts[kBlocks + block] - variance / 2);
  return factors;
}

}  // namespace foretask::simulate
