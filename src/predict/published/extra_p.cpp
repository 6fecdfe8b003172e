// SPDX-License-Identifier: Apache-2.0
// Extra-P: the performance model normal form, sums of x^i log2(x)^j, of Calotoiu, Hoefler, Poke and Wolf, "Using
// automated performance modeling to find scalability bugs in complex codes", SC 2013; for two parameters as in
// Calotoiu et al., "Fast multi-parameter performance modeling", CLUSTER 2016. One term for each parameter, found by
// itself on means over the other, of the 42 (i, j) of Extra-P's default space; for p also p^-i, its option for a
// problem of fixed size. Then f(n) g(p), f + g, f + f g and g + f g, each beside a constant, and the best of them over
// all runs. "Best": the least symmetric mean absolute percentage error of points left out one at a time.
#include "predict/published/published_models.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "predict/published/run_table.hpp"
#include "statistics/least_squares.hpp"

namespace foretask::predict {

namespace {

using analysis::ProgramRun;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kLeastPoints = 5;
constexpr double kRoundingError = 1e-12;  // smaller errors are the arithmetic's, which differs between processors

// x^(over / under) log2(x)^logs.
struct Term {
  int over = 0;
  int under = 1;
  int logs = 0;

  [[nodiscard]] double operator()(double x) const {
    return std::pow(x, static_cast<double>(over) / under) * std::pow(std::log2(x), logs);
  }

  [[nodiscard]] std::string text(const std::string& name) const {
    std::string all;
    if (over != 0) all = name;
    if (over != 0 && over != under)
      all += under == 1 ? "^" + std::to_string(over) : "^(" + std::to_string(over) + "/" + std::to_string(under) + ")";
    if (logs == 0) return all;
    return all + (all.empty() ? "" : " ") + "log2(" + name + ")" + (logs == 1 ? "" : "^" + std::to_string(logs));
  }
};

// Each exponent of the default space with the powers of the logarithm that go with it: 42 terms.
struct Exponent {
  int over;
  int under;
  int most_logs;
};
constexpr std::array kExponents{Exponent{0, 1, 2},  // with a logarithm only
                                Exponent{1, 4, 2}, Exponent{1, 3, 2},  Exponent{1, 2, 2}, Exponent{2, 3, 2},
                                Exponent{3, 4, 2}, Exponent{4, 5, 0},  Exponent{1, 1, 2}, Exponent{5, 4, 1},
                                Exponent{4, 3, 1}, Exponent{3, 2, 2},  Exponent{5, 3, 0}, Exponent{7, 4, 0},
                                Exponent{2, 1, 2}, Exponent{9, 4, 0},  Exponent{7, 3, 0}, Exponent{5, 2, 2},
                                Exponent{8, 3, 0}, Exponent{11, 4, 0}, Exponent{3, 1, 1}};

std::vector<Term> terms(bool with_logs, bool with_negative) {
  std::vector<Term> all;
  for (const Exponent& exponent : kExponents)
    for (int logs = exponent.over == 0 ? 1 : 0; logs <= (with_logs ? exponent.most_logs : 0); ++logs)
      all.push_back({exponent.over, exponent.under, logs});
  if (with_negative)
    for (const Exponent& exponent : kExponents)
      if (exponent.over != 0) all.push_back({-exponent.over, exponent.under, 0});
  return all;
}

// A measured mean.
struct Cell {
  double n = 0;
  double p = 0;
  double time = 0;
};

std::vector<Cell> mean_cells(const RunTable& table) {
  std::vector<Cell> cells;
  std::size_t repeats = 0;
  for (const ProgramRun* run : table.rows) {  // by n, then p
    if (cells.empty() || cells.back().n != run->n || cells.back().p != run->p) {
      cells.push_back({run->n, run->p, 0});
      repeats = 0;
    }
    ++repeats;
    cells.back().time += (run->time - cells.back().time) / static_cast<double>(repeats);
  }
  return cells;
}

// One parameter's values and the mean time over the other's, where the points make a full grid: those of the other
// parameter's values that were run with most of this one's, and of this one's that were run with all of those.
struct Line {
  std::vector<double> x;
  VectorXd time;
};

Line line_along(const std::vector<Cell>& cells, double Cell::*along, double Cell::*across) {
  std::map<double, std::size_t> lengths;
  for (const Cell& cell : cells) ++lengths[cell.*across];
  std::size_t longest = 0;
  for (const auto& [value, length] : lengths) longest = std::max(longest, length);
  std::size_t lines = 0;
  for (const auto& [value, length] : lengths) lines += length == longest;
  struct Sum {
    std::size_t count = 0;
    double time = 0;
  };
  std::map<double, Sum> sums;
  for (const Cell& cell : cells) {
    if (lengths[cell.*across] != longest) continue;
    Sum& sum = sums[cell.*along];
    ++sum.count;
    sum.time += cell.time;
  }
  Line line;
  std::vector<double> times;
  for (const auto& [value, sum] : sums) {
    if (sum.count != lines) continue;
    line.x.push_back(value);
    times.push_back(sum.time / static_cast<double>(sum.count));
  }
  line.time = Eigen::Map<const VectorXd>(times.data(), static_cast<Index>(times.size()));
  return line;
}

struct Hypothesis {
  double error = std::numeric_limits<double>::infinity();  // SMAPE of points left out one at a time, 0 to 2
  VectorXd coefficients;
};

// Least squares; where a column depends on the others the error stays infinite.
Hypothesis fit_columns(const MatrixXd& columns, const VectorXd& time) {
  Hypothesis hypothesis;
  if (!columns.allFinite()) return hypothesis;
  const auto fit = statistics::least_squares(columns, time, {}, true);
  if (!fit || !fit->dropped.empty()) return hypothesis;
  double sum = 0;
  for (Index i = 0; i < time.size(); ++i) {
    // What the fit of all other points is wrong by at this one.
    const double error = (time[i] - fit->fitted[i]) / std::max(1 - fit->leverage[i], 1e-12);
    sum += 2 * std::abs(error) / (std::abs(time[i]) + std::abs(time[i] - error));
  }
  hypothesis.error = std::max(sum / static_cast<double>(time.size()), kRoundingError);
  hypothesis.coefficients = fit->coefficients;
  return hypothesis;
}

std::optional<Term> best_term(const Line& line, const std::vector<Term>& candidates) {
  const auto points = static_cast<Index>(line.x.size());
  double least = fit_columns(MatrixXd::Ones(points, 1), line.time).error;
  std::optional<Term> best;
  MatrixXd columns = MatrixXd::Ones(points, 2);
  for (const Term& term : candidates) {
    for (Index i = 0; i < points; ++i) columns(i, 1) = term(line.x[static_cast<std::size_t>(i)]);
    const double error = fit_columns(columns, line.time).error;
    if (error >= least) continue;
    least = error;
    best = term;
  }
  return best;
}

// Which of f, g and f g stand beside the constant.
struct Shape {
  bool f, g, product;

  [[nodiscard]] Eigen::RowVectorXd row(double f_value, double g_value) const {
    Eigen::RowVectorXd values(1 + f + g + product);
    Index i = 0;
    values[i++] = 1;
    if (f) values[i++] = f_value;
    if (g) values[i++] = g_value;
    if (product) values[i] = f_value * g_value;
    return values;
  }
};

std::vector<Shape> shapes(bool f, bool g) {
  if (f && g) return {{false, false, true}, {true, true, false}, {true, false, true}, {false, true, true}};
  return {{f, g, false}};
}

}  // namespace

Result<std::unique_ptr<FittedProgram>> fit_extra_p(std::span<const ProgramRun> runs) {
  const RunTable table = run_table(runs);
  if (const std::optional<Error> error = lacking(table, {.sizes = kLeastPoints, .workers = kLeastPoints}))
    return *error;
  const std::vector<Cell> cells = mean_cells(table);
  const Line sizes = line_along(cells, &Cell::n, &Cell::p);
  const Line workers = line_along(cells, &Cell::p, &Cell::n);
  if (std::min(sizes.x.size(), workers.x.size()) < kLeastPoints)
    return Error{"needs five n that were run with the same p, and five p with the same n"};
  // Below 1 a logarithm is negative: Extra-P then does without.
  const std::optional<Term> f = best_term(sizes, terms(table.sizes.front() >= 1, false));
  const std::optional<Term> g = best_term(workers, terms(true, true));
  const auto row_of = [of_n = f.value_or(Term{}), of_p = g.value_or(Term{})](const Shape& shape) -> Row {
    return [=](double n, double p) { return shape.row(of_n(n), of_p(p)); };
  };
  const auto points = static_cast<Index>(cells.size());
  VectorXd time(points);
  for (Index i = 0; i < points; ++i) time[i] = cells[static_cast<std::size_t>(i)].time;
  Hypothesis best;
  Shape shape{};
  for (const Shape& candidate : shapes(f.has_value(), g.has_value())) {
    const Row row = row_of(candidate);
    MatrixXd columns(points, row(1, 1).size());
    for (Index i = 0; i < points; ++i) {
      const Cell& cell = cells[static_cast<std::size_t>(i)];
      columns.row(i) = row(cell.n, cell.p);
    }
    Hypothesis hypothesis = fit_columns(columns, time);
    if (!(hypothesis.error < best.error)) continue;
    best = std::move(hypothesis);
    shape = candidate;
  }
  if (best.coefficients.size() == 0) return Error{"no hypothesis can be fitted to these runs"};
  std::vector<std::string> names{"1"};
  if (shape.f) names.push_back(f->text("n"));
  if (shape.g) names.push_back(g->text("p"));
  if (shape.product) names.push_back(f->text("n") + " * " + g->text("p"));
  return linear_program(
      row_of(shape), best.coefficients, [](double sum) { return sum; }, "time = " + sum_text(names, best.coefficients));
}

}  // namespace foretask::predict
