// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/program.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

#include "distribution/family/log_odds.hpp"
#include "distribution/family/order_map.hpp"

namespace foretask::distribution {
namespace {

struct Rank {
  double rank = 1;
  double n = 1;
};

// Which of how many equal ones of `part` the step is after. The last of different ones is so of each alone: where they
// are alike, all their samples together reach as far as is asked.
Rank rank_of(const Step& step, const Part& part) {
  const auto count = static_cast<double>(part.count);
  switch (step.kind) {
    case NodeKind::order:
      return {static_cast<double>(step.rank), static_cast<double>(step.n)};
    case NodeKind::all_of:
      return {count, count};
    case NodeKind::first_of:
      return {1, count};
    default:
      return {};
  }
}

// 1 - (1 - p)^n.
double once_of(double p, double n) { return p < 1 ? -std::expm1(n * std::log1p(-p)) : 1; }

double share_of_step(const Step& step, const std::vector<double>& shares) {
  double none = 1;
  double all = 1;
  double mixed = 0;
  bool some = false;
  for (const Part& part : step.parts) {
    const double p = shares[part.step];
    const auto count = static_cast<double>(part.count);
    none *= 1 - once_of(p, count);
    mixed += (step.kind == NodeKind::branch ? part.share : 1) * p;
    if (p > 0) all *= std::pow(p, count);
    some = some || p > 0;
  }
  if (!some) return 0;
  switch (step.kind) {
    case NodeKind::order:
      // That n - rank + 1 of n are among the largest.
      return upper(OrderMap(step.rank, step.n).order_of(z_of(1 - mixed, mixed)));
    case NodeKind::first_of:
      return all;
    case NodeKind::branch:
      return mixed;
    case NodeKind::random_loop:
      return 1;
    default:
      return 1 - none;
  }
}

using Node = analysis::Distribution::Node;

constexpr std::uint64_t kMostOrder = analysis::kMostCopies;
constexpr std::uint64_t kMostSummed = 9'000'000'000'000'000'000;

bool nests(NodeKind kind) {
  return kind == NodeKind::sequence || kind == NodeKind::branch || kind == NodeKind::all_of ||
         kind == NodeKind::first_of;
}

// Whether that many of so many are no more than one step holds; otherwise they stay nested.
bool is_held(std::uint64_t a, std::uint64_t b, std::uint64_t most) { return b == 0 || a <= most / b; }

using NodePtr = std::shared_ptr<const Node>;

// The nodes, children first, each once, and how often each is used.
struct Listing {
  std::vector<NodePtr> nodes;
  std::unordered_map<const Node*, std::size_t> index;
  std::vector<std::size_t> uses;
  std::vector<NodeKind> parent;  // the last one's kind
};

// Without recursion.
Listing listing_of(const NodePtr& root) {
  Listing list;
  std::vector<std::pair<NodePtr, std::size_t>> open{{root, 0}};
  std::unordered_map<const Node*, bool> seen{{root.get(), true}};
  while (!open.empty()) {
    auto& [node, next] = open.back();
    if (next < node->children.size()) {
      const NodePtr& child = node->children[next++];
      if (seen.emplace(child.get(), true).second) open.emplace_back(child, 0);
    } else {
      list.index.emplace(node.get(), list.nodes.size());
      list.nodes.push_back(node);
      open.pop_back();
    }
  }
  list.uses.assign(list.nodes.size(), 0);
  list.parent.assign(list.nodes.size(), NodeKind::constant);
  for (const NodePtr& node : list.nodes)
    for (const NodePtr& child : node->children) {
      const std::size_t at = list.index.at(child.get());
      ++list.uses[at];
      list.parent[at] = node->kind;
    }
  return list;
}

// Sets the uses and reaches of all steps, from the answer down. O(steps and parts).
void set_reaches(Program& program) {
  std::vector<Step>& steps = program.steps;
  std::vector<char> needed(steps.size(), 0);
  needed.back() = 1;
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (needed[i] == 0) continue;
    const Step& step = steps[i];
    program.sums += step.parts.size();
    for (const Part& part : step.parts) {
      Step& of = steps[part.step];
      needed[part.step] = 1;
      ++of.uses;
      const auto [rank, n] = rank_of(step, part);
      const double share = step.kind == NodeKind::branch ? part.share : 1;
      // P(order statistic <= x) ~ (n F / rank)^rank far below, and likewise above.
      const double lower = n / rank * std::pow(step.lower_reach * share, 1 / rank);
      const double upper = n / (n - rank + 1) * std::pow(step.upper_reach * share, 1 / (n - rank + 1));
      of.lower_reach = std::max(of.lower_reach, lower);
      of.upper_reach = std::max(of.upper_reach, upper);
    }
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (needed[i] == 0) steps[i].uses = 0;
}

class Builder {
 public:
  explicit Builder(const NodePtr& root) : list_(listing_of(root)), step_of_(list_.nodes.size(), 0) {}

  Program run() {
    for (std::size_t i = 0; i < list_.nodes.size(); ++i)
      if (!absorbed(i)) step_of_[i] = step_for(*list_.nodes[i], list_.nodes[i]);
    const std::size_t root = step_of_.back();
    program_.steps.resize(root + 1);  // what comes after it is not needed by it
    set_reaches(program_);
    return std::move(program_);
  }

 private:
  // Part of its only parent, which is of the same kind.
  [[nodiscard]] bool absorbed(std::size_t i) const {
    return list_.uses[i] == 1 && nests(list_.nodes[i]->kind) && list_.parent[i] == list_.nodes[i]->kind;
  }

  // All children that are not absorbed, those of absorbed ones included, with their probability.
  std::vector<Part> flat_parts(const Node& root) {
    std::vector<Part> parts;
    std::vector<std::pair<const Node*, double>> open{{&root, 1.0}};
    while (!open.empty()) {
      const auto [node, share] = open.back();
      open.pop_back();
      for (std::size_t c = 0; c < node->children.size(); ++c) {
        const std::size_t at = list_.index.at(node->children[c].get());
        const double its = node->kind == NodeKind::branch ? share * node->probabilities[c] : 0;
        if (absorbed(at)) {
          open.emplace_back(node->children[c].get(), its);
        } else {
          parts.push_back({step_of_[at], 1, its});
        }
      }
    }
    return parts;
  }

  static void join_equal(std::vector<Part>& parts, std::uint64_t most) {
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.step < b.step; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (kept > 0 && parts[kept - 1].step == parts[i].step && parts[kept - 1].count <= most - parts[i].count) {
        parts[kept - 1].count += parts[i].count;
        parts[kept - 1].share += parts[i].share;
      } else {
        parts[kept++] = parts[i];
      }
    }
    parts.resize(kept);
  }

  std::size_t step_for(const Node& node, const NodePtr& pointer) {
    switch (node.kind) {
      case NodeKind::sequence:
        return sum(flat_parts(node));
      case NodeKind::loop:
        return sum({{child(node, 0), node.n, 0}});
      case NodeKind::branch:
        return branch(flat_parts(node));
      case NodeKind::all_of:
      case NodeKind::first_of:
        return extreme(node.kind, flat_parts(node));
      case NodeKind::order:
        return order(node.rank, node.n, child(node, 0));
      case NodeKind::random_loop:
        return random_loop(child(node, 0), child(node, 1));
      case NodeKind::constant:
        return constant(node.a);
      default:
        return leaf(node, pointer);
    }
  }

  [[nodiscard]] std::size_t child(const Node& node, std::size_t c) const {
    return step_of_[list_.index.at(node.children[c].get())];
  }

  std::size_t constant(double value) { return unique({.kind = NodeKind::constant, .shift = value}); }

  std::size_t sum(const std::vector<Part>& all) {
    Step step{.kind = NodeKind::sequence};
    for (const Part& part : all) {
      const Step& of = program_.steps[part.step];
      if (of.kind == NodeKind::constant) {
        step.shift += of.shift * static_cast<double>(part.count);
      } else if (of.kind == NodeKind::sequence && of.parts.size() == 1 &&
                 is_held(of.parts[0].count, part.count, kMostSummed)) {  // a loop
        step.shift += of.shift * static_cast<double>(part.count);
        step.parts.push_back({of.parts[0].step, of.parts[0].count * part.count, 0});
      } else {
        step.parts.push_back(part);
      }
    }
    join_equal(step.parts, kMostSummed);
    if (step.parts.empty()) return constant(step.shift);
    if (step.parts.size() == 1 && step.parts[0].count == 1 && step.shift == 0) return step.parts[0].step;
    return unique(std::move(step));
  }

  std::size_t branch(std::vector<Part> parts) {
    std::erase_if(parts, [](const Part& part) { return part.share <= 0; });
    for (Part& part : parts) part.count = 1;
    join_equal(parts, kMostOrder);
    for (Part& part : parts) part.count = 1;
    if (parts.size() == 1) return parts[0].step;
    return unique({.kind = NodeKind::branch, .parts = std::move(parts)});
  }

  std::size_t extreme(NodeKind kind, std::vector<Part> parts) {
    const bool last = kind == NodeKind::all_of;
    double constant_part = 0;
    bool has_constant = false;
    std::vector<Part> kept;
    for (const Part& part : parts) {
      const Step& of = program_.steps[part.step];
      if (of.kind == NodeKind::constant) {
        constant_part = !has_constant ? of.shift
                        : last        ? std::max(constant_part, of.shift)
                                      : std::min(constant_part, of.shift);
        has_constant = true;
      } else if (of.kind == NodeKind::order && of.rank == (last ? of.n : 1) && is_held(of.n, part.count, kMostOrder)) {
        kept.push_back({of.parts[0].step, of.n * part.count, 0});
      } else {
        kept.push_back(part);
      }
    }
    if (has_constant) kept.push_back({constant(constant_part), 1, 0});
    join_equal(kept, kMostOrder);
    if (kept.size() == 1) return order(last ? kept[0].count : 1, kept[0].count, kept[0].step);
    return unique({.kind = kind, .parts = std::move(kept)});
  }

  std::size_t order(std::uint64_t rank, std::uint64_t n, std::size_t part) {
    const Step& of = program_.steps[part];
    if (n == 1 || of.kind == NodeKind::constant) return part;
    if (of.kind == NodeKind::order && of.n <= kMostOrder / n &&
        ((rank == 1 && of.rank == 1) || (rank == n && of.rank == of.n))) {
      n *= of.n;
      rank = rank == 1 ? 1 : n;
      part = of.parts[0].step;
    }
    return unique({.kind = NodeKind::order, .rank = rank, .n = n, .parts = {{part, 1, 0}}});
  }

  std::size_t random_loop(std::size_t count, std::size_t body) {
    const Step& of = program_.steps[count];
    if (of.kind == NodeKind::constant) {
      const double whole = std::min(std::round(std::max(0.0, of.shift)), 1e18);
      if (whole < 1) return constant(0);
      return sum({{body, static_cast<std::uint64_t>(whole), 0}});
    }
    return unique({.kind = NodeKind::random_loop, .parts = {{count, 1, 0}, {body, 1, 0}}});
  }

  std::size_t leaf(const Node& node, const NodePtr& pointer) {
    std::string key;
    put(key, node.family);
    put(key, node.a);
    put(key, node.b);
    if (node.kind == NodeKind::samples) {
      put(key, node.samples->hash);
    } else if (node.kind == NodeKind::moments) {
      put(key, node.moments);
    } else if (node.kind == NodeKind::lambda) {
      put(key, static_cast<int>(node.lambda.form));
      for (const double l : {node.lambda.l1, node.lambda.l2, node.lambda.l3, node.lambda.l4}) put(key, l);
    } else if (node.kind == NodeKind::mixture) {
      for (const analysis::MixturePart& part : node.mixture.parts)
        for (const double value : {part.weight, part.mean, part.sd}) put(key, value);
    }
    return unique({.kind = node.kind, .leaf = pointer}, std::move(key));
  }

  template <typename T>
  static void put(std::string& key, const T& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::size_t unique(Step step, std::string key = {}) {
    put(key, step.kind);
    put(key, step.shift);
    put(key, step.rank);
    put(key, step.n);
    for (const Part& part : step.parts) {
      put(key, part.step);
      put(key, part.count);
      put(key, part.share);
    }
    const auto [at, added] = known_.emplace(std::move(key), program_.steps.size());
    if (added) program_.steps.push_back(std::move(step));
    return at->second;
  }

  Listing list_;
  std::vector<std::size_t> step_of_;
  std::unordered_map<std::string, std::size_t> known_;
  Program program_;
};

}  // namespace

double share_of_answer(const Program& program, const std::vector<double>& shares) {
  std::vector<double> known = shares;
  for (std::size_t i = 0; i < program.steps.size(); ++i)
    if (!program.steps[i].parts.empty()) known[i] = share_of_step(program.steps[i], known);
  return known.back();
}

Program program_of(const analysis::Distribution& distribution) { return Builder(distribution.node()).run(); }

}  // namespace foretask::distribution
