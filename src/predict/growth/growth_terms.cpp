// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/growth_terms.hpp"

#include <limits>

#include "base/number_text.hpp"

namespace foretask::predict {
namespace {

double log_of(double n) { return std::max(std::log(n), 1e-9); }
double log_log(double n) { return std::log(std::max(std::log(n), 1.0 + 1e-7)); }

using Fit = GrowthForm::Fit;

double deviation(const Fit& fit, const Fit::Vector& slope) { return std::sqrt(fit.variance(slope)); }

GrowthForm::Estimate sum_at(const GrowthForm& form, double n, const GrowthForm::Estimate& /*counted*/) {
  Fit::Vector row(static_cast<Eigen::Index>(form.terms.size()));
  for (std::size_t i = 0; i < form.terms.size(); ++i)
    row(static_cast<Eigen::Index>(i)) = law_term(form.terms[i], n) / law_term(form.terms[i], form.scale);
  const double value = std::max(form.fit.value(row), std::numeric_limits<double>::min());
  return {std::log(value), deviation(form.fit, row) / value};
}

GrowthForm::Estimate power_at(const GrowthForm& form, double n, const GrowthForm::Estimate& /*counted*/) {
  const std::array<double, 3> exponents = form.power->exponents(n);
  const Fit::Vector row = Eigen::Map<const Fit::Vector>(exponents.data(), form.power->count);
  return {form.fit.value(row) + form.power->log_factor(n), deviation(form.fit, row)};
}

GrowthForm::Estimate offset_at(const GrowthForm& form, double n, const GrowthForm::Estimate& /*counted*/) {
  const double x = form.kind == GrowthForm::Kind::kOffsetExponent ? n - form.scale : std::log(n / form.scale);
  const double growth = std::exp(form.fit.coefficients(2) * x);
  const Fit::Vector slope = Eigen::Vector3d(1, growth, form.fit.coefficients(1) * growth * x);
  const double value =
      std::max(form.fit.coefficients(0) + form.fit.coefficients(1) * growth, std::numeric_limits<double>::min());
  return {std::log(value), deviation(form.fit, slope) / value};
}

GrowthForm::Estimate tasks_at(const GrowthForm& form, double /*n*/, const GrowthForm::Estimate& counted) {
  Fit::Vector row = Fit::Vector::Ones(form.fit.coefficients.size());
  row(0) = std::exp(counted.log_value);
  const double grown = form.fit.coefficients(0) * row(0);
  const double value = std::max(form.fit.value(row), std::numeric_limits<double>::min());
  return {std::log(value), std::hypot(deviation(form.fit, row), grown * counted.log_sd) / value};
}

std::string sum_text(const GrowthForm& form) {
  std::string text;
  for (std::size_t i = 0; i < form.terms.size(); ++i) {
    const LawTerm& term = kLawTerms[static_cast<std::size_t>(form.terms[i])];
    const double coefficient =
        form.fit.coefficients(static_cast<Eigen::Index>(i)) / law_term(form.terms[i], form.scale);
    if (i != 0) text += coefficient < 0 ? " - " : " + ";
    text += base::number_text(i == 0 ? coefficient : std::abs(coefficient));
    if (term.power != 0 || term.logs != 0) text += std::string(" ") + term.name;
  }
  return text;
}

std::string power_text(const GrowthForm& form) {
  const auto& c = form.fit.coefficients;
  std::string text = base::number_text(std::exp(c(0)));
  const auto add_power = [&](Eigen::Index of) {
    text += " n^";
    text += base::number_text(c(of));
  };
  if (!form.power->is_steep) {
    add_power(1);
  } else {
    text += " ";
    text += base::number_text(std::exp(c(1)), 5);
    text += "^n";
    if (form.power->count > 2) add_power(2);
  }
  text += form.power->factor;
  return text;
}

std::string offset_text(const GrowthForm& form) {
  const auto& c = form.fit.coefficients;
  const bool is_exponential = form.kind == GrowthForm::Kind::kOffsetExponent;
  const double at_one = c(1) * std::exp(-c(2) * (is_exponential ? form.scale : std::log(form.scale)));
  std::string text = base::number_text(c(0)) + " + " + base::number_text(at_one);
  text += is_exponential ? " " : " n^";
  text += is_exponential ? base::number_text(std::exp(c(2)), 5) : base::number_text(c(2));
  if (is_exponential) text += "^n";
  return text;
}

std::string tasks_text(const GrowthForm& form) {
  const auto& c = form.fit.coefficients;
  std::string text = c.size() > 1 ? base::number_text(c(1)) : std::string();
  if (c.size() > 1) text += " + ";
  text += base::number_text(c(0) / form.tasks);
  text += " tasks";
  return text;
}

struct KindFunctions {
  GrowthForm::Estimate (*at)(const GrowthForm& form, double n, const GrowthForm::Estimate& counted);
  std::string (*text)(const GrowthForm& form);
};

// In the order of GrowthForm::Kind.
constexpr std::array kKinds{KindFunctions{sum_at, sum_text}, KindFunctions{power_at, power_text},
                            KindFunctions{offset_at, offset_text}, KindFunctions{offset_at, offset_text},
                            KindFunctions{tasks_at, tasks_text}};

}  // namespace

double law_term(int term, double n) {
  const LawTerm& of = kLawTerms[static_cast<std::size_t>(term)];
  double value = std::pow(n, of.power);
  if (of.logs != 0) value *= std::pow(log_of(n), of.logs);
  if (of.log_logs != 0) value *= log_log(n);
  return value;
}

double PowerForm::log_factor(double n) const {
  return power * std::log(n) + logs * std::log(log_of(n)) + tower * n * std::log(n);
}

GrowthForm::Estimate GrowthForm::at(double n, const Estimate& counted) const {
  return kKinds[static_cast<std::size_t>(kind)].at(*this, n, counted);
}

std::string GrowthForm::text() const { return kKinds[static_cast<std::size_t>(kind)].text(*this); }

}  // namespace foretask::predict
