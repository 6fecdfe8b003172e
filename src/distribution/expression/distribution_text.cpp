// SPDX-License-Identifier: Apache-2.0
// Syntax trees to distributions: what the arguments mean, and whether they can be.
#include "foretask/analysis/distribution_text.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "distribution/expression/expression_text.hpp"

namespace foretask::distribution {
namespace {

using analysis::Distribution;
using analysis::DistributionSources;
using Kind = ExpressionNode::Kind;

constexpr double kSumTolerance = 1e-9;  // of probabilities

// A number as a user wrote it.
std::string shown(double number) { return base::number_text(number, 12); }

Result<Distribution> of_times(analysis::MeasuredTimes times) {
  if (times.ended.empty()) return Distribution::of_samples(std::move(times.values));
  return Distribution::of_censored_samples(std::move(times.values), std::move(times.ended));
}

class Builder {
 public:
  Builder(std::string_view text, const Expression& expression, const DistributionSources& sources)
      : text_(text), nodes_(expression.nodes), sources_(sources), made_(nodes_.size()) {}

  // Arguments come first: one pass, no recursion.
  Result<analysis::ParsedDistribution> build() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const ExpressionNode& node = nodes_[i];
      if (node.kind == Kind::kNumber) continue;  // whoever has it as an argument knows what it is
      auto made = node.kind == Kind::kCall ? of_call(node) : of_source(node);
      if (!made) return made.error();
      made_[i] = std::move(*made);
    }
    auto whole = part(nodes_.size() - 1);
    if (!whole) return whole.error();
    analysis::ParsedDistribution parsed{std::move(*whole), {}};
    const ExpressionNode& root = nodes_.back();
    if (root.kind == Kind::kCall && counts_copies(root)) {
      auto copied = part(root.arguments[1].node);
      if (!copied) return copied.error();
      parsed.copies = {root.function->operation == Operation::kOr, static_cast<std::uint64_t>(argument(root, 0).number),
                       std::move(*copied)};
    }
    return parsed;
  }

 private:
  [[nodiscard]] Error fail(const ExpressionNode& node, const std::string& what) const {
    return error_at(text_, node.place, what);
  }
  // What was made, or why not, with its place.
  [[nodiscard]] Result<Distribution> placed(const ExpressionNode& node, Result<Distribution> made) const {
    if (!made) return fail(node, made.error().message());
    return made;
  }

  [[nodiscard]] const ExpressionNode& argument(const ExpressionNode& call, std::size_t i) const {
    return nodes_[call.arguments[i].node];
  }
  [[nodiscard]] bool counts_copies(const ExpressionNode& call) const {
    const Operation operation = call.function->operation;
    return (operation == Operation::kAnd || operation == Operation::kOr) && call.arguments.size() == 2 &&
           argument(call, 0).kind == Kind::kNumber;
  }

  // The distribution of an argument; a plain number is a constant.
  Result<Distribution> part(std::size_t index) const {
    if (made_[index]) return *made_[index];
    return placed(nodes_[index], Distribution::constant(nodes_[index].number));
  }

  Result<Distribution> of_source(const ExpressionNode& node) {
    const bool is_file = node.kind == Kind::kFile;
    const auto known = read_.find({is_file, node.text});
    if (known != read_.end()) return known->second;
    const auto& source = is_file ? sources_.file : sources_.kernel;
    if (!source) return fail(node, is_file ? "files cannot be read here" : "recordings cannot be read here");
    auto times = source(node.text);
    if (!times) return fail(node, times.error().message());
    auto made = placed(node, of_times(std::move(*times)));
    if (made) read_.emplace(std::pair{is_file, node.text}, *made);
    return made;
  }

  Result<Distribution> of_call(const ExpressionNode& call) {
    switch (call.function->operation) {
      case Operation::kFamily:
        return of_numbers(call);
      case Operation::kBranch:
        return of_branch(call);
      case Operation::kLoop:
        return of_loop(call);
      case Operation::kNth:
        return of_nth(call);
      case Operation::kSeq:
      case Operation::kAnd:
      case Operation::kOr:
        break;
    }
    return of_parts(call);
  }

  Result<std::vector<Distribution>> parts_of(const ExpressionNode& call) const {
    std::vector<Distribution> parts;
    parts.reserve(call.arguments.size());
    for (const Argument& argument : call.arguments) {
      auto made = part(argument.node);
      if (!made) return made.error();
      parts.push_back(std::move(*made));
    }
    return parts;
  }

  Result<Distribution> of_parts(const ExpressionNode& call) const {
    const Operation operation = call.function->operation;
    if (counts_copies(call)) return of_copies(call);
    // Of 16 what? It would be a part that takes 16, which nobody means who writes it first.
    if (operation != Operation::kSeq && argument(call, 0).kind == Kind::kNumber)
      return fail(argument(call, 0), "a number before several parts: write " + std::string(call.function->name) +
                                         "(N, E) for N times the same, or const(" + shown(argument(call, 0).number) +
                                         ") for a part that always takes so long");
    auto parts = parts_of(call);
    if (!parts) return parts.error();
    return placed(call, operation == Operation::kSeq   ? Distribution::sequence(std::move(*parts))
                        : operation == Operation::kAnd ? Distribution::all_of(std::move(*parts))
                                                       : Distribution::first_of(std::move(*parts)));
  }

  Result<Distribution> of_numbers(const ExpressionNode& call) const {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const ExpressionNode& node = argument(call, i);
      if (node.kind != Kind::kNumber) return fail(node, std::string(call.function->form) + " takes plain numbers");
      numbers.push_back(node.number);
    }
    return placed(call, call.function->make(numbers.data()));
  }

  Result<Distribution> of_branch(const ExpressionNode& call) const {
    auto parts = parts_of(call);
    if (!parts) return parts.error();
    std::vector<std::pair<double, Distribution>> cases;
    double sum = 0;
    for (std::size_t i = 0; i < parts->size(); ++i) {
      const ExpressionNode& probability = nodes_[*call.arguments[i].probability];
      if (!(probability.number >= 0 && probability.number <= 1))
        return fail(probability, "the probability " + shown(probability.number) + " is not from 0 to 1");
      sum += probability.number;
      cases.emplace_back(probability.number, std::move((*parts)[i]));
    }
    if (std::abs(sum - 1) > kSumTolerance) return fail(call, "probabilities sum to " + shown(sum) + ", not 1");
    return placed(call, Distribution::branch(std::move(cases)));
  }

  // A whole number that counts something.
  Result<std::uint64_t> count(const ExpressionNode& node, const char* what, double least) const {
    if (node.kind == Kind::kNumber && node.number >= least &&
        node.number <= static_cast<double>(analysis::kMostCopies) && node.number == std::floor(node.number))
      return static_cast<std::uint64_t>(node.number);
    return fail(node, std::string(what) + " has to be a whole number from " + shown(least) + " to 1e18" +
                          (node.kind == Kind::kNumber ? ", not " + shown(node.number) : ""));
  }

  Result<Distribution> of_copies(const ExpressionNode& call) const {
    const auto n = count(argument(call, 0), "the number of copies", 1);
    if (!n) return n.error();
    auto body = part(call.arguments[1].node);
    if (!body) return body;
    return placed(call, call.function->operation == Operation::kAnd ? Distribution::all_of(*n, *body)
                                                                    : Distribution::first_of(*n, *body));
  }

  // A plain number of times is fixed; anything else is a matter of chance.
  Result<Distribution> of_loop(const ExpressionNode& call) const {
    auto body = part(call.arguments[1].node);
    if (!body) return body;
    if (argument(call, 0).kind == Kind::kNumber) {
      const auto n = count(argument(call, 0), "the number of times", 0);
      if (!n) return n.error();
      return placed(call, Distribution::loop(*n, *body));
    }
    auto times = part(call.arguments[0].node);
    if (!times) return times;
    return placed(call, Distribution::loop(*times, *body));
  }

  Result<Distribution> of_nth(const ExpressionNode& call) const {
    const auto rank = count(argument(call, 0), "the rank", 1);
    if (!rank) return rank.error();
    const auto n = count(argument(call, 1), "the number of copies", 1);
    if (!n) return n.error();
    if (*rank > *n)
      return fail(argument(call, 0), "there is no " + std::to_string(*rank) + "th to end of " + std::to_string(*n));
    auto body = part(call.arguments[2].node);
    if (!body) return body;
    return placed(call, Distribution::nth_of(*rank, *n, *body));
  }

  std::string_view text_;
  const std::vector<ExpressionNode>& nodes_;
  const DistributionSources& sources_;
  std::vector<std::optional<Distribution>> made_;              // of nodes, but for plain numbers
  std::map<std::pair<bool, std::string>, Distribution> read_;  // of files (true) and kernels, by their text
};

}  // namespace
}  // namespace foretask::distribution

namespace foretask::analysis {

Result<ParsedDistribution> parse_expression(std::string_view text, const DistributionSources& sources) {
  const auto expression = distribution::parse_expression_text(text);
  if (!expression) return expression.error();
  return distribution::Builder(text, *expression, sources).build();
}

Result<Distribution> parse_distribution(std::string_view text, const DistributionSources& sources) {
  auto parsed = parse_expression(text, sources);
  if (!parsed) return parsed.error();
  return std::move(parsed->distribution);
}

}  // namespace foretask::analysis
