// SPDX-License-Identifier: Apache-2.0
#include "model/fit/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "statistics/random.hpp"

namespace foretask::model {
namespace {

constexpr std::size_t kMaxTerms = 2000;
constexpr std::size_t kMaxValues = 20'000'000;  // 160 MB
constexpr std::size_t kMaxRows = 20'000;
constexpr std::size_t kMinRows = 2'000;

// Terms of one kind share a prior: each kind has half the weight of the one before it, each term its kind's weight
// divided by how many there are. A search over more terms thus asks more of each (Chen and Chen's extended BIC), and a
// parameter itself is preferred to a power of it that explains as much.
enum class Kind { kLinear, kSquare, kCube, kLogarithm, kRatio };
constexpr int kKinds = 5;
constexpr double kKindBits[kKinds] = {1, 2, 3, 3, 4};

struct Named {
  Term term;
  Kind kind;
};

Factor of(const std::string& parameter, double exponent = 1, bool is_log = false) {
  return {.parameter = parameter, .exponent = exponent, .is_log = is_log};
}

// Products of `degree` factors that begin with the given ones.
void add_products(const std::vector<std::string>& parameters, std::size_t from, int degree,
                  std::vector<Factor>& factors, Kind kind, std::vector<Named>& terms) {
  if (degree == 0) {
    terms.push_back({Term{factors}, kind});
    return;
  }
  for (std::size_t i = from; i < parameters.size(); ++i) {
    for (int exponent = 1; exponent <= degree; ++exponent) {
      factors.push_back(of(parameters[i], exponent));
      add_products(parameters, i + 1, degree - exponent, factors, kind, terms);
      factors.pop_back();
    }
  }
}

std::vector<Named> all_terms(const std::vector<std::string>& parameters, int degree) {
  std::vector<Named> terms;
  std::vector<Factor> factors;
  for (int d = 1; d <= degree; ++d) add_products(parameters, 0, d, factors, static_cast<Kind>(d - 1), terms);
  for (const std::string& a : parameters) {
    terms.push_back({Term{{of(a, 1, true)}}, Kind::kLogarithm});
    if (degree < 2) continue;
    terms.push_back({Term{{of(a), of(a, 1, true)}}, Kind::kLogarithm});
    terms.push_back({Term{{of(a, -1)}}, Kind::kRatio});
    for (const std::string& b : parameters)
      if (a != b) terms.push_back({Term{{of(a), of(b, -1)}}, Kind::kRatio});
  }
  return terms;
}

// Of all_terms(), without making them.
std::size_t count_terms(std::size_t p, int degree) {
  std::size_t count = 2 * p;
  if (degree >= 2) count += p * (p + 1) / 2 + 2 * p + p * (p - 1);
  if (degree >= 3) count += p * (p + 1) * (p + 2) / 6;
  return count;
}

int affordable_degree(std::size_t parameters) {
  int degree = 3;
  while (degree > 1 && count_terms(parameters, degree) > kMaxTerms) --degree;
  return degree;
}

bool varies(const Eigen::VectorXd& values) {
  const double low = values.minCoeff();
  const double high = values.maxCoeff();
  return high - low > 1e-12 * std::max(std::abs(low), std::abs(high));
}

}  // namespace

std::vector<Eigen::Index> search_rows(std::size_t rows, std::size_t parameters) {
  const std::size_t terms = std::max<std::size_t>(1, count_terms(parameters, affordable_degree(parameters)));
  const std::size_t wanted = std::min({rows, kMaxRows, std::max(kMinRows, kMaxValues / terms)});
  std::vector<Eigen::Index> chosen;
  chosen.reserve(wanted);
  statistics::Random random(1);
  for (std::size_t i = 0; i < rows; ++i)
    if (random.below(rows - i) < wanted - chosen.size()) chosen.push_back(static_cast<Eigen::Index>(i));
  return chosen;
}

Candidates make_candidates(const analysis::DataTable& table, const std::vector<std::string>& parameters,
                           const std::vector<Eigen::Index>& rows) {
  analysis::DataTable part;
  for (const std::string& name : parameters) {
    const std::vector<double>& column = *table.column(name);
    part.names.push_back(name);
    std::vector<double>& values = part.columns.emplace_back();
    values.reserve(rows.size());
    for (const Eigen::Index i : rows) values.push_back(column[static_cast<std::size_t>(i)]);
  }

  Candidates candidates;
  candidates.degree = affordable_degree(parameters.size());
  std::vector<Named> named = all_terms(parameters, candidates.degree);
  candidates.values.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(named.size()));
  std::vector<Kind> kinds;
  double count_of[kKinds] = {};
  for (Named& one : named) {
    const auto values = term_values(one.term, part);
    if (!values) continue;
    const Eigen::Map<const Eigen::VectorXd> column(values->data(), static_cast<Eigen::Index>(values->size()));
    if (!varies(column)) continue;
    candidates.values.col(static_cast<Eigen::Index>(kinds.size())) = column;
    candidates.terms.push_back(std::move(one.term));
    kinds.push_back(one.kind);
    ++count_of[static_cast<int>(one.kind)];
  }
  candidates.values.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(kinds.size()));
  for (const Kind kind : kinds) {
    const int k = static_cast<int>(kind);
    candidates.naming.push_back(2 * (std::log(count_of[k]) + kKindBits[k] * std::log(2.0)));
  }
  return candidates;
}

}  // namespace foretask::model
