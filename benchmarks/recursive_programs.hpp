// SPDX-License-Identifier: Apache-2.0
// Recursive programs whose parts become tasks or not as `Node` says: foretask's subtrees, a cut-off by size, or nobody
// (PlainNode). Their results are numbers to be compared.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace foretask::benchmarks {

// No tasks at all: what the compiler makes of the program without them.
struct PlainNode {
  PlainNode(PlainNode*, double) {}
  static constexpr bool kIsCutOff = false;
  static constexpr bool spawn() { return false; }
  static constexpr bool spawn(double) { return false; }
  static constexpr bool is_small() { return false; }
  static constexpr bool spawned() { return false; }
};

template <typename Node>
long fib(int n, Node* parent) {
  asm volatile("" : "+r"(n));  // else the compiler finds that most calls have been made already
  Node self(parent, n);
  if (n < 2) return n;
  if (self.is_small()) return fib<PlainNode>(n, nullptr);
  long a = 0;
  if (self.spawn()) {
#pragma omp task shared(a, self)
    a = fib(n - 1, &self);
  } else {
    a = fib(n - 1, &self);
  }
  const long b = fib(n - 2, &self);
  if (self.spawned()) {
#pragma omp taskwait
  }
  return a + b;
}

constexpr std::size_t kFewNumbers = 16;

inline void insertion_sort(int* numbers, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) {
    const int moved = numbers[i];
    std::size_t j = i;
    for (; j > 0 && numbers[j - 1] > moved; --j) numbers[j] = numbers[j - 1];
    numbers[j] = moved;
  }
}

template <typename Node>
void merge_sort(int* numbers, int* room, std::size_t count, Node* parent) {
  Node self(parent, static_cast<double>(count));
  if (count <= kFewNumbers) return insertion_sort(numbers, count);
  if (self.is_small()) return merge_sort<PlainNode>(numbers, room, count, nullptr);
  const std::size_t half = count / 2;
  if (self.spawn()) {
#pragma omp task shared(self)
    merge_sort(numbers, room, half, &self);
  } else {
    merge_sort(numbers, room, half, &self);
  }
  merge_sort(numbers + half, room + half, count - half, &self);
  if (self.spawned()) {
#pragma omp taskwait
  }
  std::merge(numbers, numbers + half, numbers + half, numbers + count, room);
  std::copy(room, room + count, numbers);
}

// Hoare's; both parts have at least one number.
inline std::size_t partition(int* numbers, std::size_t count) {
  const int pivot = numbers[(count - 1) / 2];
  std::size_t low = 0;
  std::size_t high = count - 1;
  for (;;) {
    while (numbers[low] < pivot) ++low;
    while (numbers[high] > pivot) --high;
    if (low >= high) return high + 1;
    std::swap(numbers[low++], numbers[high--]);
  }
}

template <typename Node>
void quicksort(int* numbers, std::size_t count, Node* parent) {
  Node self(parent, static_cast<double>(count));
  if (count <= kFewNumbers) return insertion_sort(numbers, count);
  if (self.is_small()) return quicksort<PlainNode>(numbers, count, nullptr);
  const std::size_t left = partition(numbers, count);
  if (self.spawn()) {
#pragma omp task shared(self)
    quicksort(numbers, left, &self);
  } else {
    quicksort(numbers, left, &self);
  }
  quicksort(numbers + left, count - left, &self);
  if (self.spawned()) {
#pragma omp taskwait
  }
}

struct Queens {
  std::array<signed char, 16> columns{};

  [[nodiscard]] bool fits(int row) const {
    for (int i = 0; i < row; ++i) {
      const int apart = columns[static_cast<std::size_t>(row)] - columns[static_cast<std::size_t>(i)];
      if (apart == 0 || apart == row - i || apart == i - row) return false;
    }
    return true;
  }
};

template <typename Node>
long queens(int n, int row, Queens board, Node* parent) {
  Node self(parent, n - row + 1);
  if (row == n) return 1;
  if (self.is_small()) return queens<PlainNode>(n, row, board, nullptr);
  std::array<long, 16> found{};
  for (int column = 0; column < n; ++column) {
    board.columns[static_cast<std::size_t>(row)] = static_cast<signed char>(column);
    if (!board.fits(row)) continue;
    long& here = found[static_cast<std::size_t>(column)];
    if (self.spawn()) {
#pragma omp task shared(self, here) firstprivate(board)
      here = queens(n, row + 1, board, &self);
    } else {
      here = queens(n, row + 1, board, &self);
    }
  }
  if (self.spawned()) {
#pragma omp taskwait
  }
  long sum = 0;
  for (const long count : found) sum += count;
  return sum;
}

// A tree whose nodes have four children with a probability just below a quarter, at random: some subtrees are large,
// most are a single node, and nothing tells them apart before. Of the family of Olivier et al., "UTS: an unbalanced
// tree search benchmark" (2006).
struct RandomTree {
  int rounds = 6;  // of a hash, in each node
  double probability = 0.2495;
  int of_root = 2000;

  [[nodiscard]] std::uint64_t hash(std::uint64_t x) const {
    for (int i = 0; i < rounds; ++i) {
      x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
      x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    }
    return x ^ (x >> 33);
  }
  [[nodiscard]] int children(std::uint64_t node, int depth) const {
    if (depth == 0) return of_root;
    return static_cast<double>(hash(node) >> 11) * 0x1p-53 < probability ? 4 : 0;
  }
};

template <typename Node>
long count_tree(const RandomTree& tree, std::uint64_t node, int depth, Node* parent) {
  // Nothing is known of a node. A cut-off is at a depth.
  Node self(parent, Node::kIsCutOff ? 1.0 / (1 + depth) : 1.0);
  const int children = tree.children(node, depth);
  if (children == 0) return 1;
  if (self.is_small()) return count_tree<PlainNode>(tree, node, depth, nullptr);
  std::array<long, 4> few{};
  const std::unique_ptr<long[]> many(children > 4 ? new long[static_cast<std::size_t>(children)] : nullptr);
  long* const counts = many ? many.get() : few.data();
  for (int i = 0; i < children; ++i) {
    const std::uint64_t child = tree.hash(node + static_cast<std::uint64_t>(i) + 1);
    if (self.spawn()) {
#pragma omp task shared(self, tree) firstprivate(counts, i, child, depth)
      counts[i] = count_tree(tree, child, depth + 1, &self);
    } else {
      counts[i] = count_tree(tree, child, depth + 1, &self);
    }
  }
  if (self.spawned()) {
#pragma omp taskwait
  }
  return std::accumulate(counts, counts + children, 1L);
}

// A square matrix, or a quarter of one.
struct Square {
  double* values;
  std::size_t stride;

  [[nodiscard]] Square quarter(std::size_t half, std::size_t row, std::size_t column) const {
    return {values + row * half * stride + column * half, stride};
  }
  [[nodiscard]] double& at(std::size_t row, std::size_t column) const { return values[row * stride + column]; }
};

inline void multiply(Square a, Square b, Square c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    std::fill_n(&c.at(i, 0), n, 0.0);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) c.at(i, j) += a.at(i, k) * b.at(k, j);
  }
}

// sum = a + sign * b
inline void add(Square a, double sign, Square b, Square sum, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) sum.at(i, j) = a.at(i, j) + sign * b.at(i, j);
}

// c = a * b by seven products of halves (Strassen, "Gaussian elimination is not optimal", 1969). n: a power of two.
template <typename Node>
void strassen(Square a, Square b, Square c, std::size_t n, Node* parent) {
  Node self(parent, static_cast<double>(n));
  if (n <= 32) return multiply(a, b, c, n);
  if (self.is_small()) return strassen<PlainNode>(a, b, c, n, nullptr);
  const std::size_t half = n / 2;
  const auto quarter = [half](Square of, int which) {
    return of.quarter(half, static_cast<std::size_t>(which / 2), static_cast<std::size_t>(which % 2));
  };
  // The factors of the products: quarters, and what is added to them with a sign; -1: nothing.
  struct Factor {
    int first, second, sign;
  };
  static constexpr std::array<std::array<Factor, 2>, 7> kFactors{{{{{0, 3, 1}, {0, 3, 1}}},
                                                                  {{{2, 3, 1}, {0, -1, 0}}},
                                                                  {{{0, -1, 0}, {1, 3, -1}}},
                                                                  {{{3, -1, 0}, {2, 0, -1}}},
                                                                  {{{0, 1, 1}, {3, -1, 0}}},
                                                                  {{{2, 0, -1}, {0, 1, 1}}},
                                                                  {{{1, 3, -1}, {2, 3, 1}}}}};
  std::vector<double> room(21 * half * half);
  const auto at = [&](std::size_t which) { return Square{room.data() + which * half * half, half}; };
  const auto product = [=](std::size_t i, Square sum_a, Square sum_b, Square result, Node* under) {
    const auto factor = [&](Square of, const Factor& f, Square sum) {
      if (f.second < 0) return quarter(of, f.first);
      add(quarter(of, f.first), f.sign, quarter(of, f.second), sum, half);
      return sum;
    };
    strassen(factor(a, kFactors[i][0], sum_a), factor(b, kFactors[i][1], sum_b), result, half, under);
  };
  for (std::size_t i = 0; i < 7; ++i) {
    const Square sum_a = at(3 * i);
    const Square sum_b = at(3 * i + 1);
    const Square result = at(3 * i + 2);
    if (self.spawn()) {
#pragma omp task shared(self) firstprivate(i, sum_a, sum_b, result, product)
      product(i, sum_a, sum_b, result, &self);
    } else {
      product(i, sum_a, sum_b, result, &self);
    }
  }
  if (self.spawned()) {
#pragma omp taskwait
  }
  const auto m = [&](std::size_t i, std::size_t row, std::size_t column) { return at(3 * i + 2).at(row, column); };
  for (std::size_t i = 0; i < half; ++i) {
    for (std::size_t j = 0; j < half; ++j) {
      quarter(c, 0).at(i, j) = m(0, i, j) + m(3, i, j) - m(4, i, j) + m(6, i, j);
      quarter(c, 1).at(i, j) = m(2, i, j) + m(4, i, j);
      quarter(c, 2).at(i, j) = m(1, i, j) + m(3, i, j);
      quarter(c, 3).at(i, j) = m(0, i, j) - m(1, i, j) + m(2, i, j) + m(5, i, j);
    }
  }
}

// Villages below villages; each has some people whose state is stepped.
struct Village {
  std::vector<std::uint32_t> people;
  std::vector<Village> below;
  int level = 0;

  static Village of(int level, std::mt19937& random) {
    Village village;
    village.level = level;
    village.people.resize(16 + random() % 32);
    for (std::uint32_t& one : village.people) one = static_cast<std::uint32_t>(random());
    for (int i = 0; level > 1 && i < 4; ++i) village.below.push_back(of(level - 1, random));
    return village;
  }
};

// How many are ill in a village and below it.
template <typename Node>
long step_village(Village& village, Node* parent) {
  Node self(parent, village.level);
  if (self.is_small()) return step_village<PlainNode>(village, nullptr);
  std::array<long, 4> ill{};
  for (std::size_t i = 0; i < village.below.size(); ++i) {
    Village& one = village.below[i];
    if (self.spawn()) {
#pragma omp task shared(self, one, ill) firstprivate(i)
      ill[i] = step_village(one, &self);
    } else {
      ill[i] = step_village(one, &self);
    }
  }
  long sum = 0;
  for (std::uint32_t& one : village.people) {
    one = one * 1664525U + 1013904223U;
    sum += (one >> 24) < 16 ? 1 : 0;
  }
  if (self.spawned()) {
#pragma omp taskwait
  }
  return std::accumulate(ill.begin(), ill.end(), sum);
}

// Which things to pack: the largest value that fits, by branch and bound. Pruned against a first good packing and not
// against what other branches find, so that every order does the same.
struct Packing {
  std::vector<std::pair<int, int>> things;  // weight and value, the best value for its weight first
  int bound = 0;
  std::atomic<int> best{0};

  explicit Packing(std::size_t count) {
    std::mt19937 random(11);
    for (std::size_t i = 0; i < count; ++i) {
      const int weight = 1000 + static_cast<int>(random() % 1000);
      things.emplace_back(weight, weight + 100 + static_cast<int>(random() % 10));
    }
    std::sort(things.begin(), things.end(), [](const auto& a, const auto& b) {
      return static_cast<long>(a.second) * b.first > static_cast<long>(b.second) * a.first;
    });
  }
  // Things as they come, into what room is left.
  void bound_by_first(int room) {
    for (const auto& [weight, value] : things) {
      if (weight > room) continue;
      room -= weight;
      bound += value;
    }
  }
  // What could be reached if the next thing could be divided.
  [[nodiscard]] bool is_hopeless(std::size_t next, int room, int value) const {
    while (next < things.size() && things[next].first <= room) {
      room -= things[next].first;
      value += things[next++].second;
    }
    if (next < things.size())
      value += static_cast<int>(static_cast<long>(room) * things[next].second / things[next].first);
    return value <= bound;
  }
  void found(int value) {
    int before = best.load(std::memory_order_relaxed);
    while (before < value && !best.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
    }
  }
};

template <typename Node>
void pack(Packing& packing, std::size_t next, int room, int value, Node* parent) {
  Node self(parent, static_cast<double>(packing.things.size() - next + 1));
  if (room < 0) return;
  packing.found(value);
  if (next == packing.things.size() || packing.is_hopeless(next, room, value)) return;
  if (self.is_small()) return pack<PlainNode>(packing, next, room, value, nullptr);
  const auto [weight, worth] = packing.things[next];
  if (self.spawn()) {
#pragma omp task shared(self, packing) firstprivate(next, room, value)
    pack(packing, next + 1, room - packing.things[next].first, value + packing.things[next].second, &self);
  } else {
    pack(packing, next + 1, room - weight, value + worth, &self);
  }
  pack(packing, next + 1, room, value, &self);
  if (self.spawned()) {
#pragma omp taskwait
  }
}

// The factors of a sparse matrix of blocks, in place; a block that is empty is null. Not recursive: parts of one phase.
struct Blocks {
  std::size_t count;  // of a row
  std::size_t size;   // of a block
  std::vector<std::vector<double>> blocks;

  Blocks(std::size_t blocks_of_a_row, std::size_t rows_of_a_block) : count(blocks_of_a_row), size(rows_of_a_block) {
    std::mt19937 random(3);
    blocks.resize(count * count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j)
        if (i == j || random() % 4 == 0) fill(i, j, i == j);
  }
  void fill(std::size_t i, std::size_t j, bool is_diagonal) {
    auto& block = blocks[i * count + j];
    block.assign(size * size, 1.0 / static_cast<double>(size));
    for (std::size_t k = 0; is_diagonal && k < size; ++k) block[k * size + k] = 2.0 * static_cast<double>(count);
  }
  [[nodiscard]] Square at(std::size_t i, std::size_t j) { return {blocks[i * count + j].data(), size}; }
  [[nodiscard]] bool is_empty(std::size_t i, std::size_t j) const { return blocks[i * count + j].empty(); }
};

// a -= b * c
inline void subtract_product(Square a, Square b, Square c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) a.at(i, j) -= b.at(i, k) * c.at(k, j);
}

inline void factor_block(Square a, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      a.at(i, k) /= a.at(k, k);
      for (std::size_t j = k + 1; j < n; ++j) a.at(i, j) -= a.at(i, k) * a.at(k, j);
    }
}

// b = L^-1 b
inline void solve_lower(Square factors, Square b, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) b.at(i, j) -= factors.at(i, k) * b.at(k, j);
}

// b = b U^-1
inline void solve_upper(Square factors, Square b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) {
      b.at(i, k) /= factors.at(k, k);
      for (std::size_t j = k + 1; j < n; ++j) b.at(i, j) -= b.at(i, k) * factors.at(k, j);
    }
}

template <typename Node>
double factor_blocks(Blocks& matrix) {
  const std::size_t n = matrix.size;
  const auto work = static_cast<double>(n * n * n);
  for (std::size_t k = 0; k < matrix.count; ++k) {
    factor_block(matrix.at(k, k), n);
    const auto phase = [&](double parts, const auto& each) {
      Node self(nullptr, parts * work);
      each([&](const auto& part) {
        if (self.spawn(work)) {
#pragma omp task shared(self) firstprivate(part)
          {
            const Node of_part(&self, work);
            part();
          }
        } else {
          const Node of_part(&self, work);
          part();
        }
      });
      if (self.spawned()) {
#pragma omp taskwait
      }
    };
    const auto left = static_cast<double>(matrix.count - k);
    phase(2 * left, [&](const auto& make) {
      for (std::size_t j = k + 1; j < matrix.count; ++j) {
        if (!matrix.is_empty(k, j)) make([&matrix, k, j, n] { solve_lower(matrix.at(k, k), matrix.at(k, j), n); });
        if (!matrix.is_empty(j, k)) make([&matrix, k, j, n] { solve_upper(matrix.at(k, k), matrix.at(j, k), n); });
      }
    });
    phase(left * left, [&](const auto& make) {
      for (std::size_t i = k + 1; i < matrix.count; ++i)
        for (std::size_t j = k + 1; j < matrix.count; ++j) {
          if (matrix.is_empty(i, k) || matrix.is_empty(k, j)) continue;
          if (matrix.is_empty(i, j)) matrix.blocks[i * matrix.count + j].assign(n * n, 0.0);
          make([&matrix, i, j, k, n] { subtract_product(matrix.at(i, j), matrix.at(i, k), matrix.at(k, j), n); });
        }
    });
  }
  double sum = 0;
  for (const auto& block : matrix.blocks) sum = std::accumulate(block.begin(), block.end(), sum);
  return sum;
}

}  // namespace foretask::benchmarks
