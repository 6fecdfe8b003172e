// SPDX-License-Identifier: Apache-2.0
#include "simulate/teams/pooled_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <queue>
#include <utility>

namespace foretask::simulate {

using analysis::LoopPiece;
using Cuts = std::vector<std::int64_t>;

namespace {

constexpr int kMostSweeps = 20;
constexpr double kSettled = 1e-3;
// Of a block's cost: recordings differ by as much when nothing has changed.
constexpr double kNoise = 0.05;
// Replays deal a loop out in fewer chunks.
constexpr std::uint64_t kMostParts = 1 << 16;

std::int64_t iterations_of(const LoopExecution& execution) {
  return static_cast<std::int64_t>(execution.recorded().iterations);
}

bool is_within(const LoopPiece& piece, std::int64_t iterations) {
  return 0 <= piece.first && piece.first <= piece.last && piece.last < iterations;
}

bool costs_something(const LoopExecution& execution) {
  return std::ranges::any_of(piece_costs(execution), [](double cost) { return cost > 0; });
}

// The cuts inside a piece.
std::span<const std::int64_t> inside(const Cuts& cuts, const LoopPiece& piece) {
  const auto begin = std::upper_bound(cuts.begin(), cuts.end(), piece.first);
  const auto end = std::upper_bound(begin, cuts.end(), piece.last);
  return {begin, end};
}

// Where the pieces may be split, so that there are not too many parts.
Cuts bounded(Cuts cuts, std::span<const LoopPiece> pieces) {
  std::uint64_t splits = 0;
  for (const LoopPiece& piece : pieces) splits += inside(cuts, piece).size();
  const std::uint64_t step = splits / kMostParts + 1;
  if (step == 1) return cuts;
  Cuts kept;
  for (std::size_t i = 0; i < cuts.size(); i += step) kept.push_back(cuts[i]);
  return kept;
}

// A part of one piece, between two cuts.
struct Part {
  std::size_t piece = 0;
  std::int64_t first = 0;
  std::int64_t end = 0;
  double cost = 0;
};

// What another recording says of the parts: those between two of its cuts cost together so much.
struct Demand {
  std::vector<std::uint32_t> block;  // of each part
  std::vector<double> cost;          // of each block
};

class Fit {
 public:
  Fit(const LoopExecution& own, const Cuts& cuts)
      : pieces_(own.pieces()), piece_cost_(piece_costs(own)), iterations_(iterations_of(own)) {
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) split(piece, cuts);
    const bool has_slopes = own.recorded().schedule == analysis::LoopSchedule::kStatic;
    const LoopCost slopes = has_slopes ? recorded_cost(own) : LoopCost(0);
    for (Part& part : parts_) {
      const auto begin = static_cast<double>(part.first);
      const auto end = static_cast<double>(part.end);
      part.cost = has_slopes ? std::max(0.0, slopes.before(end) - slopes.before(begin)) : end - begin;
    }
    meet_own();
  }

  // `cuts`: some of the other's.
  void add(const LoopExecution& other, const Cuts& cuts) {
    const LoopCost recorded = recorded_cost(other);
    double total = 0;
    for (const double cost : piece_cost_) total += cost;
    const double others_total = recorded.before(recorded.iterations());
    if (cuts.empty() || !(others_total > 0)) return;
    Demand& demand = demands_.emplace_back();
    double before = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
      const double up_to = recorded.before(i < cuts.size() ? static_cast<double>(cuts[i]) : recorded.iterations());
      demand.cost.push_back(std::max(0.0, up_to - before) * total / others_total);
      before = up_to;
    }
    for (const Part& part : parts_)
      demand.block.push_back(
          static_cast<std::uint32_t>(std::upper_bound(cuts.begin(), cuts.end(), part.first) - cuts.begin()));
    if (is_met(demand)) demands_.pop_back();
  }

  void run() {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      const std::vector<Part> before = parts_;
      for (const Demand& demand : demands_) meet(demand);
      meet_own();
      const bool is_settled = std::equal(
          parts_.begin(), parts_.end(), before.begin(),
          [](const Part& now, const Part& old) { return std::abs(now.cost - old.cost) <= kSettled * old.cost; });
      if (is_settled) return;
    }
  }

  [[nodiscard]] std::vector<LoopPiece> pieces() const {
    std::vector<LoopPiece> result;
    result.reserve(parts_.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      const LoopPiece& whole = pieces_[part.piece];
      LoopPiece& piece = result.emplace_back(whole);
      if (part.first == whole.first && part.end - 1 == whole.last) continue;
      piece.first = part.first;
      piece.last = part.end - 1;
      piece.iterations = iterations_before(whole, part.end) - iterations_before(whole, part.first);
      piece.weight = whole.weight * part.cost / piece_cost_[part.piece];
    }
    return result;
  }

 private:
  void split(std::size_t number, const Cuts& cuts) {
    const LoopPiece& piece = pieces_[number];
    std::int64_t first = piece.first;
    if (piece_cost_[number] > 0 && is_within(piece, iterations_)) {
      for (const std::int64_t cut : inside(cuts, piece)) {
        parts_.push_back({number, first, cut, 0});
        first = cut;
      }
    }
    parts_.push_back({number, first, piece.last + 1, 0});
  }

  // Of a piece with others' iterations in between, as if they were evenly spread.
  static std::uint64_t iterations_before(const LoopPiece& piece, std::int64_t end) {
    const double share = static_cast<double>(end - piece.first) / static_cast<double>(piece.last - piece.first + 1);
    return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(piece.iterations)));
  }

  [[nodiscard]] std::vector<double> costs_of_blocks(const Demand& demand) const {
    std::vector<double> costs(demand.cost.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) costs[demand.block[i]] += parts_[i].cost;
    return costs;
  }

  // To meet noise would make uneven what is even: costs between near cuts are small differences of large sums.
  [[nodiscard]] bool is_met(const Demand& demand) const {
    const std::vector<double> costs = costs_of_blocks(demand);
    return std::equal(costs.begin(), costs.end(), demand.cost.begin(), [](double now, double wanted) {
      return std::abs(now - wanted) <= kNoise * std::max(now, wanted);
    });
  }

  void meet(const Demand& demand) {
    std::vector<double> factor = costs_of_blocks(demand);
    for (std::size_t block = 0; block < factor.size(); ++block)
      factor[block] = factor[block] > 0 ? demand.cost[block] / factor[block] : 1;
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].cost *= factor[demand.block[i]];
  }

  // A piece of which all parts are to cost nothing costs something all the same: its parts are alike then.
  void meet_own() {
    for (std::size_t begin = 0; begin < parts_.size();) {
      const std::size_t piece = parts_[begin].piece;
      double sum = 0;
      std::size_t end = begin;
      for (; end < parts_.size() && parts_[end].piece == piece; ++end) sum += parts_[end].cost;
      const double wanted = piece_cost_[piece];
      if (end - begin == 1) {
        parts_[begin++].cost = wanted;
        continue;
      }
      const auto length = static_cast<double>(parts_[end - 1].end - parts_[begin].first);
      for (; begin < end; ++begin) {
        Part& part = parts_[begin];
        part.cost = sum > 0 ? part.cost * wanted / sum : wanted * static_cast<double>(part.end - part.first) / length;
      }
    }
  }

  std::span<const LoopPiece> pieces_;
  std::vector<double> piece_cost_;
  std::int64_t iterations_;
  std::vector<Part> parts_;  // by piece, then in order of iterations
  std::vector<Demand> demands_;
};

struct Range {
  std::int64_t first = 0;
  std::int64_t end = 0;

  [[nodiscard]] std::int64_t length() const noexcept { return end - first; }
  [[nodiscard]] bool operator<(const Range& other) const noexcept { return length() < other.length(); }
};

// Goes through a loop's iterations, and decides where to cut.
class Cutter {
 public:
  // Before the first edge behind range.first.
  void begin(const Range& range) {
    begun_.push(range);
    reach_ = std::max(reach_, range.end);
  }

  // An end of some range, ascending.
  void pass(std::int64_t edge) {
    while (!begun_.empty() && begun_.top().end <= last_) begun_.pop();
    const bool is_short = !begun_.empty() && edge - last_ < begun_.top().length();
    const bool is_between = reach_ <= edge;  // no range lies on both sides
    if (is_short && !is_between) return;
    if (is_short && !cuts_.empty()) cuts_.pop_back();
    cuts_.push_back(edge);
    last_ = edge;
  }

  // Without the loop's end.
  [[nodiscard]] Cuts cuts(std::int64_t iterations) && {
    while (!cuts_.empty() && cuts_.back() >= iterations) cuts_.pop_back();
    return std::move(cuts_);
  }

 private:
  std::priority_queue<Range> begun_;  // the longest first; some of them have ended
  std::int64_t reach_ = 0;
  std::int64_t last_ = 0;
  Cuts cuts_;
};

}  // namespace

Cuts cuts_of(const LoopExecution& execution) {
  const std::int64_t iterations = iterations_of(execution);
  std::vector<Range> ranges;
  Cuts edges{iterations};
  for (const LoopPiece& piece : execution.pieces()) {
    // What claims others' iterations may be of any.
    const Range range = is_within(piece, iterations) ? Range{piece.first, piece.last + 1} : Range{0, iterations};
    ranges.push_back(range);
    edges.push_back(range.first);
    edges.push_back(range.end);
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  Cutter cutter;
  auto next = ranges.begin();
  for (const std::int64_t edge : edges) {
    if (edge <= 0) continue;
    for (; next != ranges.end() && next->first < edge; ++next) cutter.begin(*next);
    cutter.pass(edge);
  }
  return std::move(cutter).cuts(iterations);
}

std::vector<LoopPiece> pooled_pieces(const LoopExecution& own, std::span<const LoopExecution> others) {
  std::vector<Cuts> cuts_of_others;
  Cuts all;
  for (const LoopExecution& other : others) {
    cuts_of_others.push_back(costs_something(other) ? cuts_of(other) : Cuts{});
    all.insert(all.end(), cuts_of_others.back().begin(), cuts_of_others.back().end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  all = bounded(std::move(all), own.pieces());
  Fit fit(own, all);
  for (std::size_t i = 0; i < others.size(); ++i) {
    Cuts kept;
    std::set_intersection(cuts_of_others[i].begin(), cuts_of_others[i].end(), all.begin(), all.end(),
                          std::back_inserter(kept));
    fit.add(others[i], kept);
  }
  fit.run();
  return fit.pieces();
}

}  // namespace foretask::simulate
