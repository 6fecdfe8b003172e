// SPDX-License-Identifier: Apache-2.0
// Integrals of several functions at once over a piece of the log odds. Thread safe.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace foretask::distribution {

// `integrand(z, values)` writes one value a function; returns false where its weight has vanished, so that what lies
// further out adds nothing.
using Integrand = std::function<bool(double z, double* values)>;

// A sum a function, with the sum of its absolute values, which is what "negligible" is measured against. NaN where it
// diverges.
class Integral {
 public:
  explicit Integral(std::size_t count) : sum(count), size(count) {}
  void add(const double* values, double times);
  void add(const Integral& other);

  std::vector<double> sum;
  std::vector<double> size;
};

// Where the weight is: about `center`, `width` to either side.
struct Place {
  double center = 0;
  double width = 1;
};

// All of z: the trapezoidal rule. [from, infinity) or (-infinity, to]: double exponential rule. [from, to]: adaptive
// Gauss and Kronrod. Added to what there is in `total`, against which errors are measured: what weighs most comes
// first.
void add_integral(const Integrand& integrand, double from, double to, const Place& place, Integral& total);

}  // namespace foretask::distribution
