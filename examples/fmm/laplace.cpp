// SPDX-License-Identifier: Apache-2.0
#include "fmm/laplace.hpp"

#include <cmath>

namespace fmm {
namespace {

constexpr int kMaxTerms = 64;
constexpr int kOffsets = 2 * Laplace::kReach + 1;

// Where a child's centre is from its parent's, in widths of the parent.
std::complex<double> corner_offset(int corner) {
  return {corner % 2 == 1 ? 0.25 : -0.25, corner / 2 == 1 ? 0.25 : -0.25};
}

// C(n, k), exact up to 2^53.
double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return std::round(value);
}

int offset_index(int dx, int dy) { return (dy + Laplace::kReach) * kOffsets + dx + Laplace::kReach; }

}  // namespace

Laplace::Laplace(int order) : order_(order), terms_(order + 1) {
  const auto area = static_cast<std::size_t>(terms_ * terms_);
  for (int corner = 0; corner < 4; ++corner) {
    const Complex offset = corner_offset(corner);
    to_parent_[corner].resize(area);
    to_child_[corner].resize(area);
    to_parent_[corner][0] = 1;
    for (int l = 1; l < terms_; ++l) {
      to_parent_[corner][l * terms_] = -std::pow(offset, l) / static_cast<double>(l);
      for (int k = 1; k <= l; ++k)
        to_parent_[corner][l * terms_ + k] = std::pow(offset, l - k) * binomial(l - 1, k - 1) * std::ldexp(1.0, -k);
    }
    for (int m = 0; m < terms_; ++m)
      for (int l = m; l < terms_; ++l)
        to_child_[corner][m * terms_ + l] = std::pow(offset, l - m) * binomial(l, m) * std::ldexp(1.0, -m);
  }
  binomials_.resize(area);
  for (int l = 1; l < terms_; ++l) binomials_[l] = -1.0 / l;
  for (int k = 1; k < terms_; ++k)
    for (int l = 0; l < terms_; ++l) binomials_[k * terms_ + l] = binomial(l + k - 1, k - 1);
  inverse_powers_.resize(static_cast<std::size_t>(kOffsets * kOffsets * terms_));
  for (int dy = -kReach; dy <= kReach; ++dy)
    for (int dx = -kReach; dx <= kReach; ++dx) {
      if (dx == 0 && dy == 0) continue;
      Complex* powers = &inverse_powers_[offset_index(dx, dy) * terms_];
      powers[0] = 1;
      for (int k = 1; k < terms_; ++k) powers[k] = powers[k - 1] / Complex(dx, dy);
    }
}

void Laplace::p2m(const Box& box, const Points& points, Expansion multipole) const {
  double* const imaginary = multipole + terms_;
  for (std::size_t i = 0; i < points.count; ++i) {
    const double x = (points.x[i] - box.centre_x) / box.width;
    const double y = (points.y[i] - box.centre_y) / box.width;
    double power_re = points.charge[i];
    double power_im = 0;
    multipole[0] += power_re;
    for (int k = 1; k < terms_; ++k) {
      const double next = power_re * x - power_im * y;
      power_im = power_re * y + power_im * x;
      power_re = next;
      multipole[k] += binomials_[k] * power_re;
      imaginary[k] += binomials_[k] * power_im;
    }
  }
}

void Laplace::m2m(int corner, ConstExpansion child, Expansion parent) const {
  for (int l = 0; l < terms_; ++l) {
    const Complex* row = &to_parent_[corner][l * terms_];
    double re = 0;
    double im = 0;
    for (int k = 0; k <= l; ++k) {
      re += row[k].real() * child[k] - row[k].imag() * child[terms_ + k];
      im += row[k].real() * child[terms_ + k] + row[k].imag() * child[k];
    }
    parent[l] += re;
    parent[terms_ + l] += im;
  }
}

// Lemma 2.4 in three steps, of which the middle one is the same for all offsets D = dx + i dy and real: multiply M_k by
// (-1)^k / D^k, sum over k with the binomials, multiply by 1 / D^l.
void Laplace::m2l(int dx, int dy, double width, ConstExpansion multipole, Expansion local) const {
  const Complex* inverse = &inverse_powers_[offset_index(dx, dy) * terms_];
  double re[kMaxTerms] = {};
  double im[kMaxTerms] = {};
  double sign = 1;
  for (int k = 0; k < terms_; ++k) {
    const double source_re = sign * (multipole[k] * inverse[k].real() - multipole[terms_ + k] * inverse[k].imag());
    const double source_im = sign * (multipole[k] * inverse[k].imag() + multipole[terms_ + k] * inverse[k].real());
    const double* row = &binomials_[k * terms_];
    for (int l = 0; l < terms_; ++l) {
      re[l] += row[l] * source_re;
      im[l] += row[l] * source_im;
    }
    sign = -sign;
  }
  for (int l = 0; l < terms_; ++l) {
    local[l] += re[l] * inverse[l].real() - im[l] * inverse[l].imag();
    local[terms_ + l] += re[l] * inverse[l].imag() + im[l] * inverse[l].real();
  }
  // Only the logarithm's real part is of use.
  const double distance_squared = width * width * (dx * dx + dy * dy);
  local[0] += 0.5 * multipole[0] * std::log(distance_squared);
}

void Laplace::l2l(int corner, ConstExpansion parent, Expansion child) const {
  for (int m = 0; m < terms_; ++m) {
    const Complex* row = &to_child_[corner][m * terms_];
    double re = 0;
    double im = 0;
    for (int l = m; l < terms_; ++l) {
      re += row[l].real() * parent[l] - row[l].imag() * parent[terms_ + l];
      im += row[l].real() * parent[terms_ + l] + row[l].imag() * parent[l];
    }
    child[m] += re;
    child[terms_ + m] += im;
  }
}

void Laplace::l2p(const Box& box, ConstExpansion local, const Points& points) const {
  for (std::size_t i = 0; i < points.count; ++i) {
    const double x = (points.x[i] - box.centre_x) / box.width;
    const double y = (points.y[i] - box.centre_y) / box.width;
    double re = 0;
    double im = 0;
    for (int l = terms_ - 1; l >= 0; --l) {
      const double next = re * x - im * y + local[l];
      im = re * y + im * x + local[terms_ + l];
      re = next;
    }
    points.potential[i] += re;
  }
}

void Laplace::p2p(const Points& targets, const Points& sources) const {
  for (std::size_t i = 0; i < targets.count; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < sources.count; ++j) {
      const double x = targets.x[i] - sources.x[j];
      const double y = targets.y[i] - sources.y[j];
      const double distance_squared = x * x + y * y;
      if (distance_squared > 0) sum += sources.charge[j] * std::log(distance_squared);
    }
    targets.potential[i] += 0.5 * sum;
  }
}

}  // namespace fmm
