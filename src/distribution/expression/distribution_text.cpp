// SPDX-License-Identifier: Apache-2.0
// Syntax trees to distributions: what the arguments mean, and whether they can be.
#include "foretask/analysis/distribution_text.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "distribution/expression/expression_leaf.hpp"
#include "distribution/expression/expression_picture.hpp"
#include "distribution/expression/expression_text.hpp"

namespace foretask::distribution {
namespace {

using analysis::Distribution;
using analysis::DistributionSources;

constexpr double kSumTolerance = 1e-9;  // of probabilities

// Equal parts get the same key: what they are, numbers, and which distributions they are made of.
class Key {
 public:
  explicit Key(const ExpressionNode& node) {
    text_ += static_cast<char>('0' + static_cast<int>(node.kind));
    text_ += static_cast<char>('0' + static_cast<int>(node.function));
    text_ += node.text;
  }
  void add(double number) { add_bytes(&number, sizeof number); }
  void add(const Distribution& part) {
    const auto address = reinterpret_cast<std::uintptr_t>(part.node().get());
    add_bytes(&address, sizeof address);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add_bytes(const void* bytes, std::size_t size) { text_.append(static_cast<const char*>(bytes), size); }
  std::string text_;
};

class Builder {
 public:
  Builder(std::string_view text, const Expression& expression, const DistributionSources& sources)
      : text_(text), nodes_(expression.nodes), sources_(sources), made_(nodes_.size()) {}

  // Arguments come first: one pass, no recursion.
  Result<analysis::ParsedDistribution> build() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kind == ExpressionNode::Kind::kNumber) continue;  // whoever has it as an argument knows what it is
      auto made = nodes_[i].kind == ExpressionNode::Kind::kCall ? of_call(nodes_[i]) : of_source(nodes_[i]);
      if (!made) return made.error();
      made_[i] = std::move(*made);
    }
    auto whole = part(nodes_.size() - 1);
    if (!whole) return whole.error();
    analysis::ParsedDistribution parsed{std::move(*whole), {}};
    const ExpressionNode& root = nodes_.back();
    if (is_parallel(root) && counts_copies(root)) {
      auto copied = part(root.arguments[1].node);
      if (!copied) return copied.error();
      parsed.copies = {root.function == Function::kOr,
                       static_cast<std::uint64_t>(nodes_[root.arguments[0].node].number), std::move(*copied)};
    }
    return parsed;
  }

 private:
  [[nodiscard]] Error fail(const ExpressionNode& node, const std::string& what) const {
    return error_at(text_, node.place, what);
  }
  [[nodiscard]] const ExpressionNode& argument(const ExpressionNode& call, std::size_t i) const {
    return nodes_[call.arguments[i].node];
  }
  static bool is_parallel(const ExpressionNode& node) {
    return node.kind == ExpressionNode::Kind::kCall &&
           (node.function == Function::kAnd || node.function == Function::kOr);
  }
  [[nodiscard]] bool counts_copies(const ExpressionNode& call) const {
    return call.arguments.size() == 2 && argument(call, 0).kind == ExpressionNode::Kind::kNumber;
  }

  // What was made of an equal part before, else what `make` gives.
  template <typename Make>
  Result<Distribution> intern(const ExpressionNode& node, const Key& key, const Make& make) {
    const auto found = known_.find(key.text());
    if (found != known_.end()) return found->second;
    Result<Distribution> made = make();
    if (!made) return fail(node, made.error().message());
    known_.emplace(key.text(), *made);
    return made;
  }

  // The distribution of an argument; a plain number is a constant.
  Result<Distribution> part(std::size_t index) {
    if (made_[index]) return *made_[index];
    const ExpressionNode& node = nodes_[index];
    Key key(node);
    key.add(node.number);
    return intern(node, key, [&node] { return Distribution::constant(node.number); });
  }

  Result<Distribution> of_source(const ExpressionNode& node) {
    return intern(node, Key(node), [&]() -> Result<Distribution> {
      const bool is_file = node.kind == ExpressionNode::Kind::kFile;
      const auto& source = is_file ? sources_.file : sources_.kernel;
      if (!source) return Error{is_file ? "files cannot be read here" : "recordings cannot be read here"};
      auto times = source(node.text);
      if (!times) return times.error();
      return of_times(std::move(*times));
    });
  }

  Result<Distribution> of_call(const ExpressionNode& call) {
    if (info_of(call.function).takes_numbers) return of_numbers(call);
    switch (call.function) {
      case Function::kBranch:
        return of_branch(call);
      case Function::kLoop:
        return of_loop(call);
      case Function::kNth:
        return of_nth(call);
      case Function::kAnd:
      case Function::kOr:
        if (counts_copies(call)) return of_copies(call);
        // Of 16 what? It would be a part that takes 16, which nobody means who writes it first.
        if (argument(call, 0).kind == ExpressionNode::Kind::kNumber)
          return fail(argument(call, 0),
                      "a number before several parts: write " + std::string(info_of(call.function).name) +
                          "(N, E) for N times the same, or const(" + shown(argument(call, 0).number) +
                          ") for a part that always takes so long");
        break;
      default:
        break;
    }
    Key key(call);
    auto parts = parts_of(call, key);
    if (!parts) return parts.error();
    return intern(call, key, [&] {
      return call.function == Function::kSeq   ? Distribution::sequence(std::move(*parts))
             : call.function == Function::kAnd ? Distribution::all_of(std::move(*parts))
                                               : Distribution::first_of(std::move(*parts));
    });
  }

  Result<std::vector<Distribution>> parts_of(const ExpressionNode& call, Key& key) {
    std::vector<Distribution> parts;
    parts.reserve(call.arguments.size());
    for (const Argument& argument : call.arguments) {
      auto made = part(argument.node);
      if (!made) return made.error();
      key.add(*made);
      parts.push_back(std::move(*made));
    }
    return parts;
  }

  Result<Distribution> of_numbers(const ExpressionNode& call) {
    std::vector<double> numbers;
    Key key(call);
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const ExpressionNode& node = argument(call, i);
      if (node.kind != ExpressionNode::Kind::kNumber)
        return fail(node, std::string(info_of(call.function).form) + " takes plain numbers");
      numbers.push_back(node.number);
      key.add(node.number);
    }
    return intern(call, key, [&] { return distribution::of_numbers(call.function, numbers); });
  }

  Result<Distribution> of_branch(const ExpressionNode& call) {
    Key key(call);
    auto parts = parts_of(call, key);
    if (!parts) return parts.error();
    std::vector<std::pair<double, Distribution>> cases;
    double sum = 0;
    for (std::size_t i = 0; i < parts->size(); ++i) {
      const ExpressionNode& probability = nodes_[*call.arguments[i].probability];
      if (!(probability.number >= 0 && probability.number <= 1))
        return fail(probability, "the probability " + shown(probability.number) + " is not from 0 to 1");
      sum += probability.number;
      key.add(probability.number);
      cases.emplace_back(probability.number, std::move((*parts)[i]));
    }
    if (std::abs(sum - 1) > kSumTolerance) return fail(call, "probabilities sum to " + shown(sum) + ", not 1");
    return intern(call, key, [&] { return Distribution::branch(std::move(cases)); });
  }

  // A whole number that counts something.
  Result<std::uint64_t> count(const ExpressionNode& node, const char* what, double least) const {
    if (node.kind == ExpressionNode::Kind::kNumber && node.number >= least &&
        node.number <= static_cast<double>(analysis::kMostCopies) && node.number == std::floor(node.number))
      return static_cast<std::uint64_t>(node.number);
    return fail(node, std::string(what) + " has to be a whole number from " + shown(least) + " to 1e18" +
                          (node.kind == ExpressionNode::Kind::kNumber ? ", not " + shown(node.number) : ""));
  }

  Result<Distribution> of_copies(const ExpressionNode& call) {
    const auto n = count(argument(call, 0), "the number of copies", 1);
    if (!n) return n.error();
    auto body = part(call.arguments[1].node);
    if (!body) return body.error();
    Key key(call);
    key.add(static_cast<double>(*n));
    key.add(*body);
    return intern(call, key, [&] {
      return call.function == Function::kAnd ? Distribution::all_of(*n, *body) : Distribution::first_of(*n, *body);
    });
  }

  // A plain number of times is fixed; anything else is a matter of chance.
  Result<Distribution> of_loop(const ExpressionNode& call) {
    const ExpressionNode& times = argument(call, 0);
    auto body = part(call.arguments[1].node);
    if (!body) return body.error();
    Key key(call);
    key.add(*body);
    if (times.kind == ExpressionNode::Kind::kNumber) {
      const auto n = count(times, "the number of times", 0);
      if (!n) return n.error();
      key.add(static_cast<double>(*n));
      return intern(call, key, [&] { return Distribution::loop(*n, *body); });
    }
    auto chance = part(call.arguments[0].node);
    if (!chance) return chance.error();
    key.add(*chance);
    key.add(0);  // tells it from a fixed number of times
    return intern(call, key, [&] { return Distribution::loop(*chance, *body); });
  }

  Result<Distribution> of_nth(const ExpressionNode& call) {
    const auto rank = count(argument(call, 0), "the rank", 1);
    if (!rank) return rank.error();
    const auto n = count(argument(call, 1), "the number of copies", 1);
    if (!n) return n.error();
    if (*rank > *n)
      return fail(argument(call, 0), "there is no " + std::to_string(*rank) + "th to end of " + std::to_string(*n));
    auto body = part(call.arguments[2].node);
    if (!body) return body.error();
    Key key(call);
    key.add(static_cast<double>(*rank));
    key.add(static_cast<double>(*n));
    key.add(*body);
    return intern(call, key, [&] { return Distribution::nth_of(*rank, *n, *body); });
  }

  std::string_view text_;
  const std::vector<ExpressionNode>& nodes_;
  const DistributionSources& sources_;
  std::vector<std::optional<Distribution>> made_;
  std::unordered_map<std::string, Distribution> known_;
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
