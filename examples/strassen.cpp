// SPDX-License-Identifier: Apache-2.0
// Strassen's matrix product: seven products of half the size, each a task with its own operands, then one combining
// pass over the four quadrants.
#include <algorithm>
#include <array>

#include "sleep.hpp"

namespace {

examples::SleepingBodies sleeping;

// A square window into a row-by-row matrix.
struct View {
  double* numbers;
  long stride;

  [[nodiscard]] View quadrant(long row, long column, long half) const {
    return {numbers + row * half * stride + column * half, stride};
  }
  [[nodiscard]] double* row(long i) const { return numbers + i * stride; }
};

// first + sign * second; sign 0 stands for `first` alone.
struct Operand {
  View first;
  View second;
  double sign;

  [[nodiscard]] bool is_sum() const { return sign != 0; }
};

struct Product {
  Operand left;
  Operand right;
  View target;
};

struct Sizes {
  long cutoff = 3;
  long leaf = 64;
};

// A serial product has no scheduling point inside, so that one room a thread is enough.
struct Workspace {
  double* shared;
  std::vector<std::vector<double>> threads;
};

[[gnu::noinline]] void multiply_leaf(View a, View b, View c, long n) {
  for (long i = 0; i < n; ++i) {
    const double* factors = a.row(i);
    double* __restrict out = c.row(i);
    for (long j = 0; j < n; ++j) out[j] = 0;
    long k = 0;
    for (; k + 4 <= n; k += 4) {
      const double* b0 = b.row(k);
      const double* b1 = b.row(k + 1);
      const double* b2 = b.row(k + 2);
      const double* b3 = b.row(k + 3);
      for (long j = 0; j < n; ++j)
        out[j] += factors[k] * b0[j] + factors[k + 1] * b1[j] + factors[k + 2] * b2[j] + factors[k + 3] * b3[j];
    }
    for (; k < n; ++k)
      for (long j = 0; j < n; ++j) out[j] += factors[k] * b.row(k)[j];
  }
}

// The operand as one matrix, which stands in `room` if it is a sum.
View evaluate(const Operand& operand, double* room, long n) {
  if (!operand.is_sum()) return operand.first;
  if (sleeping.on()) {
    sleeping.sleep(static_cast<double>(n * n));
    return {room, n};
  }
  for (long i = 0; i < n; ++i) {
    const double* first = operand.first.row(i);
    const double* second = operand.second.row(i);
    double* __restrict out = room + i * n;
    if (operand.sign > 0)
      for (long j = 0; j < n; ++j) out[j] = first[j] + second[j];
    else
      for (long j = 0; j < n; ++j) out[j] = first[j] - second[j];
  }
  return {room, n};
}

// Products 7, 3, 2 and 6 of Strassen's seven go straight into the quadrants of c; 1, 4 and 5 into `room`.
std::array<Product, 7> seven_products(View a, View b, View c, double* room, long half) {
  const View a11 = a.quadrant(0, 0, half), a12 = a.quadrant(0, 1, half);
  const View a21 = a.quadrant(1, 0, half), a22 = a.quadrant(1, 1, half);
  const View b11 = b.quadrant(0, 0, half), b12 = b.quadrant(0, 1, half);
  const View b21 = b.quadrant(1, 0, half), b22 = b.quadrant(1, 1, half);
  const long area = half * half;
  return {{{{a11, a22, 1}, {b11, b22, 1}, {room, half}},
           {{a21, a22, 1}, {b11, b11, 0}, c.quadrant(1, 0, half)},
           {{a11, a11, 0}, {b12, b22, -1}, c.quadrant(0, 1, half)},
           {{a22, a22, 0}, {b21, b11, -1}, {room + area, half}},
           {{a11, a12, 1}, {b22, b22, 0}, {room + 2 * area, half}},
           {{a21, a11, -1}, {b11, b12, 1}, c.quadrant(1, 1, half)},
           {{a12, a22, -1}, {b21, b22, 1}, c.quadrant(0, 0, half)}}};
}

// Additions for each number of a quadrant: those of combine(), and those in the operands of the seven products.
constexpr long kCombineAdditions = 8;
constexpr long kOperandAdditions = 10;

[[gnu::noinline]] void combine(View c, const double* room, long half, long begin, long end) {
  if (sleeping.on()) return sleeping.sleep(static_cast<double>(kCombineAdditions * (end - begin) * half));
  const long area = half * half;
  for (long i = begin; i < end; ++i) {
    const double* m1 = room + i * half;
    const double* m4 = m1 + area;
    const double* m5 = m4 + area;
    double* __restrict c11 = c.row(i);
    double* __restrict c12 = c11 + half;
    double* __restrict c21 = c.row(half + i);
    double* __restrict c22 = c21 + half;
    for (long j = 0; j < half; ++j) {
      c11[j] += m1[j] + m4[j] - m5[j];
      c22[j] += m1[j] - c21[j] + c12[j];
      c12[j] += m5[j];
      c21[j] += m4[j];
    }
  }
}

// c = a * b; `room` holds serial_room(n) numbers.
[[gnu::noinline]] void multiply_serial(View a, View b, View c, long n, long leaf, double* room) {
  if (n <= leaf) return multiply_leaf(a, b, c, n);
  const long half = n / 2;
  const long area = half * half;
  double* sums = room + 3 * area;
  for (const Product& product : seven_products(a, b, c, room, half)) {
    const View left = evaluate(product.left, sums, half);
    const View right = evaluate(product.right, sums + area, half);
    multiply_serial(left, right, product.target, half, leaf, sums + 2 * area);
  }
  combine(c, room, half, 0, half);
}

long serial_room(long n, long leaf) { return n <= leaf ? 0 : 5 * (n / 2) * (n / 2) + serial_room(n / 2, leaf); }

// Of multiply_serial(): multiplications with an addition, and additions.
double serial_operations(long n, long leaf) {
  if (n <= leaf) return static_cast<double>(n * n * n);
  const long half = n / 2;
  return static_cast<double>((kOperandAdditions + kCombineAdditions) * half * half) + 7 * serial_operations(half, leaf);
}

bool is_serial(long n, long depth, Sizes sizes) {
  return n <= sizes.leaf || (sizes.cutoff > 0 && depth >= sizes.cutoff);
}

// Three products and ten sums a level, and the room of the seven products.
long task_room(long n, long depth, Sizes sizes) {
  return is_serial(n, depth, sizes) ? 0 : 13 * (n / 2) * (n / 2) + 7 * task_room(n / 2, depth + 1, sizes);
}

[[gnu::noinline]] void combine_tasks(View c, const double* room, long half) {
  constexpr long kNumbersPerTask = 32768;
  const long band = std::max(kNumbersPerTask / half, 1l);
  if (band >= half) return combine(c, room, half, 0, half);
  for (long begin = 0; begin < half; begin += band) {
#pragma omp task
    combine(c, room, half, begin, std::min(begin + band, half));
  }
#pragma omp taskwait
}

void multiply_tasks(View a, View b, View c, long n, long depth, Sizes sizes, double* room, Workspace& workspace);

[[gnu::noinline]] void multiply_operands(const Product& product, long n, long depth, Sizes sizes, double* room,
                                         Workspace& workspace) {
  const View left = evaluate(product.left, room, n);
  if (product.left.is_sum()) room += n * n;
  const View right = evaluate(product.right, room, n);
  if (product.right.is_sum()) room += n * n;
  multiply_tasks(left, right, product.target, n, depth, sizes, room, workspace);
}

// c = a * b; `room` holds task_room(n, depth, sizes) numbers.
[[gnu::noinline]] void multiply_tasks(View a, View b, View c, long n, long depth, Sizes sizes, double* room,
                                      Workspace& workspace) {
  if (is_serial(n, depth, sizes)) {
    if (sleeping.on()) return sleeping.sleep(serial_operations(n, sizes.leaf));
    double* own = workspace.threads[static_cast<std::size_t>(omp_get_thread_num())].data();
    return multiply_serial(a, b, c, n, sizes.leaf, own);
  }
  const long half = n / 2;
  const long area = half * half;
  double* next = room + 3 * area;
  for (const Product& product : seven_products(a, b, c, room, half)) {
#pragma omp task firstprivate(product, next) shared(workspace)
    multiply_operands(product, half, depth + 1, sizes, next, workspace);
    next += (product.left.is_sum() + product.right.is_sum()) * area + task_room(half, depth + 1, sizes);
  }
#pragma omp taskwait
  combine_tasks(c, room, half);
}

void multiply_parallel(View a, View b, View c, long n, Sizes sizes, Workspace& workspace, examples::Run& run) {
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp single nowait
    {
      run.start();
      multiply_tasks(a, b, c, n, 0, sizes, workspace.shared, workspace);
    }
  }
  run.stop();
}

std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& x) {
  std::vector<double> product(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) product[i] += matrix[i * x.size() + j] * x[j];
  return product;
}

std::vector<double> random_numbers(std::size_t count, std::uint64_t seed) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = 2 * examples::random_unit(seed, i) - 1;
  return numbers;
}

// Freivalds' test: a wrong product agrees with A (B x) for hardly any random x.
bool is_product(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c, long n) {
  for (const std::uint64_t seed : {101u, 102u}) {
    const std::vector<double> x = random_numbers(static_cast<std::size_t>(n), seed);
    if (!examples::nearly_equal(times(c, x), times(a, times(b, x)), 1e-9)) return false;
  }
  return true;
}

bool halves_down_to_leaf(long n, long leaf) {
  while (n > leaf && n % 2 == 0) n /= 2;
  return n <= leaf;
}

}  // namespace

int main(int argc, char** argv) {
  long n = 1280;
  Sizes sizes;
  examples::Arguments arguments("strassen", "product of two n x n matrices by Strassen's method");
  arguments.number("-n", "rows, to be halved evenly down to the leaf size", n, 1, 8192);
  arguments.number("-x", "cut-off: serial below this many halvings, 0 for none", sizes.cutoff, 0, 16);
  arguments.number("-y", "leaf: ordinary product up to this many rows", sizes.leaf, 1, 8192);
  sleeping.add_options(arguments);
  arguments.parse(argc, argv);
  sleeping.prepare();
  if (!halves_down_to_leaf(n, sizes.leaf)) arguments.fail("-n must halve evenly down to at most -y");
  return arguments.repeat(n, [&](examples::Run& run) {
    const auto area = static_cast<std::size_t>(n * n);
    std::vector<double> a = random_numbers(area, 31);
    std::vector<double> b = random_numbers(area, 32);
    std::vector<double> c(area);
    std::vector<double> shared(static_cast<std::size_t>(task_room(n, 0, sizes)));
    long serial_n = n;
    for (long depth = 0; !is_serial(serial_n, depth, sizes); ++depth) serial_n /= 2;
    const std::vector<double> own(static_cast<std::size_t>(serial_room(serial_n, sizes.leaf)));
    Workspace workspace = {shared.data(), std::vector(static_cast<std::size_t>(run.threads), own)};
    multiply_parallel({a.data(), n}, {b.data(), n}, {c.data(), n}, n, sizes, workspace, run);
    return sleeping.on() ? sleeping.fit_into(run) : is_product(a, b, c, n);
  });
}
