// SPDX-License-Identifier: Apache-2.0
#include "search/walksat.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace walksat {
namespace {

// Where every flip breaks a clause: how often any of the three variables is taken instead of the best.
constexpr double kNoise = 0.5;

template <class Element>
void shuffle(std::vector<Element>& elements, Generator& random) {
  for (std::size_t i = elements.size(); i > 1; --i) std::swap(elements[i - 1], elements[random.below(i)]);
}

Assignment random_assignment(std::size_t variables, Generator& random) {
  Assignment values(variables);
  for (std::uint8_t& value : values) value = static_cast<std::uint8_t>(random.bits() >> 63);
  return values;
}

Clause random_clause(std::size_t variables, Generator& random) {
  Clause clause{};
  do {
    for (Literal& literal : clause) literal = random.below(2 * variables);
  } while (clause[0] >> 1 == clause[1] >> 1 || clause[0] >> 1 == clause[2] >> 1 || clause[1] >> 1 == clause[2] >> 1);
  return clause;
}

}  // namespace

Formula::Formula(std::size_t variables, std::vector<Clause> clauses)
    : variables_(variables),
      clauses_(std::move(clauses)),
      first_(2 * variables + 1),
      occurrences_(3 * clauses_.size()) {
  for (const Clause& clause : clauses_)
    for (const Literal literal : clause) ++first_[literal];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  for (std::size_t i = clauses_.size(); i-- > 0;)
    for (const Literal literal : clauses_[i]) occurrences_[--first_[literal]] = static_cast<std::uint32_t>(i);
}

bool Formula::satisfied_by(const Assignment& values) const {
  return values.size() == variables_ && std::all_of(clauses_.begin(), clauses_.end(), [&](const Clause& clause) {
           return std::any_of(clause.begin(), clause.end(), [&](Literal literal) { return holds(values, literal); });
         });
}

Formula random_formula(std::size_t variables, std::size_t clauses, std::uint64_t seed) {
  Generator random(seed);
  const Assignment hidden = random_assignment(variables, random);
  std::vector<Clause> chosen;
  while (chosen.size() < clauses) {
    const Clause clause = random_clause(variables, random);
    const auto true_ones = std::count_if(clause.begin(), clause.end(), [&](Literal one) { return holds(hidden, one); });
    if (true_ones == 1 || true_ones == 2) chosen.push_back(clause);
  }
  return {variables, std::move(chosen)};
}

Formula disguised(const Formula& formula, std::uint64_t seed) {
  Generator random(seed);
  std::vector<Literal> names(formula.variables());
  std::iota(names.begin(), names.end(), 0u);
  shuffle(names, random);
  for (Literal& name : names) name = 2 * name + static_cast<Literal>(random.bits() >> 63);
  std::vector<Clause> clauses = formula.clauses();
  for (Clause& clause : clauses)
    for (Literal& literal : clause) literal = names[literal >> 1] ^ (literal & 1);
  shuffle(clauses, random);
  return {formula.variables(), std::move(clauses)};
}

Walk::Walk(const Formula& formula, std::uint64_t seed)
    : formula_(formula),
      random_(seed),
      values_(random_assignment(formula.variables(), random_)),
      true_literals_(formula.clauses().size()),
      place_(formula.clauses().size()) {
  for (std::uint32_t i = 0; i < formula.clauses().size(); ++i) {
    for (const Literal literal : formula.clauses()[i]) true_literals_[i] += holds(values_, literal);
    if (true_literals_[i] > 0) continue;
    place_[i] = static_cast<std::uint32_t>(unsatisfied_.size());
    unsatisfied_.push_back(i);
  }
}

bool Walk::advance(long flips) {
  for (long i = 0; i < flips && !unsatisfied_.empty(); ++i)
    flip(choose(formula_.clauses()[unsatisfied_[random_.below(unsatisfied_.size())]]));
  return unsatisfied_.empty();
}

// The literal of an unsatisfied clause to make true: the one that breaks the fewest clauses, ties at random.
Literal Walk::choose(const Clause& clause) {
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
  std::size_t ties = 0;
  Literal best = clause[0];
  for (const Literal literal : clause) {
    std::uint32_t broken = 0;
    for (const std::uint32_t other : formula_.clauses_with(literal ^ 1)) broken += true_literals_[other] == 1;
    if (broken > fewest) continue;
    ties = broken < fewest ? 1 : ties + 1;
    fewest = broken;
    if (random_.below(ties) == 0) best = literal;
  }
  return fewest > 0 && random_.unit() < kNoise ? clause[random_.below(clause.size())] : best;
}

void Walk::flip(Literal now_true) {
  ++flips_;
  values_[now_true >> 1] ^= 1;
  for (const std::uint32_t clause : formula_.clauses_with(now_true)) {
    if (true_literals_[clause]++ > 0) continue;
    const std::uint32_t last = unsatisfied_.back();
    unsatisfied_[place_[clause]] = last;
    place_[last] = place_[clause];
    unsatisfied_.pop_back();
  }
  for (const std::uint32_t clause : formula_.clauses_with(now_true ^ 1)) {
    if (--true_literals_[clause] > 0) continue;
    place_[clause] = static_cast<std::uint32_t>(unsatisfied_.size());
    unsatisfied_.push_back(clause);
  }
}

}  // namespace walksat
