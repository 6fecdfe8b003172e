// SPDX-License-Identifier: Apache-2.0
// Fast Fourier transform of complex numbers by Cooley and Tukey's recursion in two halves, out of place, so that every
// level reads and writes contiguous memory.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "sleep.hpp"

namespace {

examples::SleepingBodies sleeping;

struct Complex {
  double re = 0;
  double im = 0;
  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
};

Complex root_of_unity(long k, long n) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

// The factors of a transform of size m stand at [m / 2, m): contiguous for every size.
std::vector<Complex> twiddle_table(long n) {
  std::vector<Complex> table(static_cast<std::size_t>(n));
  for (long half = n / 2; half >= 1; half /= 2)
    for (long k = 0; k < half; ++k) table[static_cast<std::size_t>(half + k)] = root_of_unity(k, 2 * half);
  return table;
}

struct Plan {
  const Complex* twiddles;
  long cutoff;
  long chunk;
};

[[gnu::noinline]] void split(const Complex* from, Complex* even, Complex* odd, long begin, long end) {
  if (sleeping.on()) return sleeping.sleep(static_cast<double>(end - begin));
  for (long k = begin; k < end; ++k) {
    even[k] = from[2 * k];
    odd[k] = from[2 * k + 1];
  }
}

[[gnu::noinline]] void butterflies(const Complex* even, const Complex* odd, const Complex* twiddles, Complex* low,
                                   Complex* high, long begin, long end) {
  if (sleeping.on()) return sleeping.sleep(static_cast<double>(end - begin));
  for (long k = begin; k < end; ++k) {
    const Complex turned = twiddles[k] * odd[k];
    const Complex kept = even[k];
    low[k] = kept + turned;
    high[k] = kept - turned;
  }
}

[[gnu::noinline]] void fft_serial(Complex* data, Complex* spare, long n, const Complex* twiddles) {
  if (n == 1) return;
  const long half = n / 2;
  if (n == 2) {
    const Complex first = data[0];
    data[0] = first + data[1];
    data[1] = first - data[1];
    return;
  }
  split(data, spare, spare + half, 0, half);
  fft_serial(spare, data, half, twiddles);
  fft_serial(spare + half, data + half, half, twiddles);
  butterflies(spare, spare + half, twiddles + half, data, data + half, 0, half);
}

[[gnu::noinline]] void split_tasks(const Complex* from, Complex* even, Complex* odd, long half, long chunk) {
  if (half <= chunk) return split(from, even, odd, 0, half);
  for (long begin = 0; begin < half; begin += chunk) {
#pragma omp task
    split(from, even, odd, begin, std::min(begin + chunk, half));
  }
#pragma omp taskwait
}

[[gnu::noinline]] void butterfly_tasks(const Complex* halves, const Complex* twiddles, Complex* data, long half,
                                       long chunk) {
  if (half <= chunk) return butterflies(halves, halves + half, twiddles, data, data + half, 0, half);
  for (long begin = 0; begin < half; begin += chunk) {
#pragma omp task
    butterflies(halves, halves + half, twiddles, data, data + half, begin, std::min(begin + chunk, half));
  }
#pragma omp taskwait
}

// Transforms data[0, n) in place; `spare` is as long.
[[gnu::noinline]] void fft_tasks(Complex* data, Complex* spare, long n, Plan plan) {
  if (n <= plan.cutoff || n <= 2) {
    if (!sleeping.on()) return fft_serial(data, spare, n, plan.twiddles);
    return sleeping.sleep(static_cast<double>(n) * std::log2(static_cast<double>(n)));
  }
  const long half = n / 2;
  split_tasks(data, spare, spare + half, half, plan.chunk);
#pragma omp task
  fft_tasks(spare, data, half, plan);
#pragma omp task
  fft_tasks(spare + half, data + half, half, plan);
#pragma omp taskwait
  butterfly_tasks(spare, plan.twiddles + half, data, half, plan.chunk);
}

void fft_parallel(std::vector<Complex>& data, std::vector<Complex>& spare, Plan plan, examples::Run& run) {
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp single nowait
    {
      run.start();
      fft_tasks(data.data(), spare.data(), static_cast<long>(data.size()), plan);
    }
  }
  run.stop();
}

// One output by the definition. The phasor is turned step by step and set anew before rounding adds up.
Complex dft_point(const std::vector<Complex>& input, long frequency) {
  constexpr long kStepsBeforeReset = 256;
  const long n = static_cast<long>(input.size());
  const Complex step = root_of_unity(frequency, n);
  Complex phasor = {1, 0};
  Complex sum = {};
  for (long k = 0; k < n; ++k, phasor = phasor * step) {
    if (k % kStepsBeforeReset == 0) phasor = root_of_unity(k * frequency % n, n);
    sum = sum + input[static_cast<std::size_t>(k)] * phasor;
  }
  return sum;
}

double energy(const std::vector<Complex>& values) {
  double sum = 0;
  for (const Complex value : values) sum += value.re * value.re + value.im * value.im;
  return sum;
}

// Outputs at fixed and seeded places against the definition, and all of them together by Parseval's theorem.
bool is_transform(const std::vector<Complex>& output, const std::vector<Complex>& input) {
  const long n = static_cast<long>(input.size());
  const double scale = std::sqrt(energy(input));
  for (const long place : {0l, 1l, n / 2, n - 1, static_cast<long>(examples::random_unit(5, 0) * double(n)),
                           static_cast<long>(examples::random_unit(5, 1) * double(n))}) {
    const long frequency = place % n;
    const Complex error = output[static_cast<std::size_t>(frequency)] - dft_point(input, frequency);
    if (!(std::hypot(error.re, error.im) <= 1e-9 * scale)) return false;
  }
  return std::abs(energy(output) / (static_cast<double>(n) * energy(input)) - 1) <= 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  long n = 1 << 22;
  Plan plan = {nullptr, 4096, 16384};
  examples::Arguments arguments("fft", "fast Fourier transform of n complex numbers");
  arguments.number("-n", "points, a power of two", n, 1, 1l << 30);
  arguments.number("-x", "cut-off: serial up to this many points, 0 for none", plan.cutoff, 0, 1l << 30);
  arguments.number("-y", "split and combine this many points a task", plan.chunk, 1, 1l << 30);
  sleeping.add_options(arguments);
  arguments.parse(argc, argv);
  sleeping.prepare();
  if ((n & (n - 1)) != 0) arguments.fail("-n must be a power of two");
  return arguments.repeat(n, [&](examples::Run& run) {
    std::vector<Complex> data(static_cast<std::size_t>(n));
    std::vector<Complex> spare(data.size());
    const std::vector<Complex> twiddles = twiddle_table(n);
    plan.twiddles = twiddles.data();
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = {2 * examples::random_unit(3, 2 * i) - 1, 2 * examples::random_unit(3, 2 * i + 1) - 1};
    const std::vector<Complex> input = data;
    fft_parallel(data, spare, plan, run);
    return sleeping.on() ? sleeping.fit_into(run) : is_transform(data, input);
  });
}
