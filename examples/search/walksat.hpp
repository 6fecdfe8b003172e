// SPDX-License-Identifier: Apache-2.0
// A random walk to an assignment that satisfies a formula of clauses with three literals each: WalkSAT (Selman, Kautz
// and Cohen, Noise strategies for improving local search, AAAI 1994). It first descends, which takes about the same
// number of flips each time, then wanders until it happens upon a solution: a shifted, nearly exponential time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common.hpp"

namespace walksat {

// Random numbers of one walk, in order. One thread at a time.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t bits() { return examples::random_bits(seed_, drawn_++); }
  double unit() { return examples::random_unit(seed_, drawn_++); }
  // Uniform in [0, bound), but for a bias of bound / 2^32. The bound is below 2^32.
  std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(((bits() >> 32) * bound) >> 32); }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

// Variable v as it is is literal 2 v, negated 2 v + 1.
using Literal = std::uint32_t;
using Clause = std::array<Literal, 3>;  // of three different variables
using Assignment = std::vector<std::uint8_t>;

inline bool holds(const Assignment& values, Literal literal) { return values[literal >> 1] != (literal & 1); }

class Formula {
 public:
  Formula(std::size_t variables, std::vector<Clause> clauses);

  [[nodiscard]] std::size_t variables() const { return variables_; }
  [[nodiscard]] const std::vector<Clause>& clauses() const { return clauses_; }
  // The clauses that have this literal.
  [[nodiscard]] std::span<const std::uint32_t> clauses_with(Literal literal) const {
    return std::span(occurrences_).subspan(first_[literal], first_[literal + 1] - first_[literal]);
  }
  // Clause by clause, with nothing that a walk keeps.
  [[nodiscard]] bool satisfied_by(const Assignment& values) const;

 private:
  std::size_t variables_;
  std::vector<Clause> clauses_;
  std::vector<std::uint32_t> first_;  // by literal, into occurrences_; one more at the end
  std::vector<std::uint32_t> occurrences_;
};

// Random clauses, each satisfied by a hidden assignment and by its complement too. With one hidden assignment the
// majority of a variable's literals would give it away (Achlioptas, Jia and Moore, Hiding satisfying assignments: two
// are better than one, 2005). At least three variables.
[[nodiscard]] Formula random_formula(std::size_t variables, std::size_t clauses, std::uint64_t seed);

// The formula with its variables renumbered, some of them negated, and its clauses in another order: another input that
// is exactly as hard, because no step of a walk depends on a number, a sign or an order.
[[nodiscard]] Formula disguised(const Formula& formula, std::uint64_t seed);

// One walk from a random assignment. One thread at a time; the formula must outlive it.
class Walk {
 public:
  Walk(const Formula& formula, std::uint64_t seed);

  // Up to so many flips further. Whether the formula is satisfied.
  bool advance(long flips);
  [[nodiscard]] long flips() const { return flips_; }
  [[nodiscard]] const Assignment& values() const { return values_; }

 private:
  void flip(Literal now_true);
  [[nodiscard]] Literal choose(const Clause& clause);

  const Formula& formula_;
  Generator random_;
  Assignment values_;
  std::vector<std::uint32_t> true_literals_;  // by clause: how many
  std::vector<std::uint32_t> unsatisfied_;    // clauses, in any order
  std::vector<std::uint32_t> place_;          // by clause: where it is in unsatisfied_, if it is there
  long flips_ = 0;
};

}  // namespace walksat
