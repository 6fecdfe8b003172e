// SPDX-License-Identifier: Apache-2.0
// Merge sort in four parts whose merges are parallel too: the larger half is cut in the middle, the other one where
// that value belongs, and both sides are merged as tasks of their own.
#include <algorithm>
#include <cmath>

#include "sleep.hpp"

namespace {

examples::SleepingBodies sleeping;

using Key = std::uint32_t;

struct Thresholds {
  long insertion = 20;
  long quick = 2048;
  long merge = 4096;
};

void insertion_sort(Key* keys, long n) {
  for (long i = 1; i < n; ++i) {
    const Key key = keys[i];
    long hole = i;
    for (; hole > 0 && keys[hole - 1] > key; --hole) keys[hole] = keys[hole - 1];
    keys[hole] = key;
  }
}

Key median_of_three(Key a, Key b, Key c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

// Recurses into the smaller part, so that the stack stays logarithmic whatever the keys are.
[[gnu::noinline]] void quick_sort(Key* keys, long n, long insertion) {
  while (n > insertion) {
    const Key pivot = median_of_three(keys[0], keys[n / 2], keys[n - 1]);
    long left = 0;
    long right = n - 1;
    while (left <= right) {
      while (keys[left] < pivot) ++left;
      while (pivot < keys[right]) --right;
      if (left <= right) std::swap(keys[left++], keys[right--]);
    }
    const long after_left = n - left;
    if (right + 1 < after_left) {
      quick_sort(keys, right + 1, insertion);
      keys += left;
      n = after_left;
    } else {
      quick_sort(keys + left, after_left, insertion);
      n = right + 1;
    }
  }
  insertion_sort(keys, n);
}

[[gnu::noinline]] void merge_serial(const Key* a, long a_size, const Key* b, long b_size, Key* out) {
  const Key* const a_end = a + a_size;
  const Key* const b_end = b + b_size;
  while (a != a_end && b != b_end) *out++ = *b < *a ? *b++ : *a++;
  out = std::copy(a, a_end, out);
  std::copy(b, b_end, out);
}

// Where the key at a[a_cut] belongs in b, on average over random keys.
long expected_cut(long a_size, long a_cut, long b_size) {
  return std::lround(static_cast<double>(a_cut) / static_cast<double>(a_size) * static_cast<double>(b_size));
}

[[gnu::noinline]] void merge_tasks(const Key* a, long a_size, const Key* b, long b_size, Key* out, long threshold) {
  if (a_size + b_size <= threshold) {
    if (!sleeping.on()) return merge_serial(a, a_size, b, b_size, out);
    return sleeping.sleep(static_cast<double>(a_size + b_size));
  }
  if (a_size < b_size) {
    std::swap(a, b);
    std::swap(a_size, b_size);
  }
  const long a_cut = a_size / 2;
  const long b_cut =
      sleeping.on() ? expected_cut(a_size, a_cut, b_size) : std::lower_bound(b, b + b_size, a[a_cut]) - b;
#pragma omp task
  merge_tasks(a, a_cut, b, b_cut, out, threshold);
#pragma omp task
  merge_tasks(a + a_cut, a_size - a_cut, b + b_cut, b_size - b_cut, out + a_cut + b_cut, threshold);
#pragma omp taskwait
}

// Sorts keys[0, n); `spare` is as long.
[[gnu::noinline]] void sort_tasks(Key* keys, Key* spare, long n, Thresholds thresholds) {
  if (n <= thresholds.quick) {
    if (!sleeping.on()) return quick_sort(keys, n, thresholds.insertion);
    return sleeping.sleep(static_cast<double>(n) * std::log2(static_cast<double>(n)));
  }
  const long quarter = n / 4;
  const long half = 2 * quarter;
  for (long part = 0; part < 4; ++part) {
    const long from = part * quarter;
    const long size = part < 3 ? quarter : n - from;
#pragma omp task
    sort_tasks(keys + from, spare + from, size, thresholds);
  }
#pragma omp taskwait
#pragma omp task
  merge_tasks(keys, quarter, keys + quarter, quarter, spare, thresholds.merge);
#pragma omp task
  merge_tasks(keys + half, quarter, keys + 3 * quarter, n - 3 * quarter, spare + half, thresholds.merge);
#pragma omp taskwait
  merge_tasks(spare, half, spare + half, n - half, keys, thresholds.merge);
}

void sort_parallel(std::vector<Key>& keys, std::vector<Key>& spare, Thresholds thresholds, examples::Run& run) {
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp single nowait
    {
      run.start();
      sort_tasks(keys.data(), spare.data(), static_cast<long>(keys.size()), thresholds);
    }
  }
  run.stop();
}

// Equal for two arrays of the same keys in any order, and hardly ever for others.
struct Multiset {
  std::uint64_t hash_sum = 0;
  Key key_xor = 0;
  explicit Multiset(const std::vector<Key>& keys) {
    for (const Key key : keys) {
      hash_sum += examples::random_bits(1, key);
      key_xor ^= key;
    }
  }
  bool operator==(const Multiset&) const = default;
};

}  // namespace

int main(int argc, char** argv) {
  long n = 4'000'000;
  Thresholds thresholds;
  examples::Arguments arguments("sort", "four-way merge sort of random 32-bit keys with parallel merges");
  arguments.number("-n", "keys", n, 1, 2'000'000'000);
  arguments.number("-a", "insertion sort up to this many keys", thresholds.insertion, 1, 1'000'000);
  arguments.number("-q", "serial quick sort up to this many keys", thresholds.quick, 4, 2'000'000'000);
  arguments.number("-y", "serial merge up to this many keys", thresholds.merge, 2, 2'000'000'000);
  sleeping.add_options(arguments);
  arguments.parse(argc, argv);
  sleeping.prepare();
  return arguments.repeat(n, [&](examples::Run& run) {
    std::vector<Key> keys(static_cast<std::size_t>(n));
    std::vector<Key> spare(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<Key>(examples::random_bits(7, i) >> 32);
    const Multiset before(keys);
    sort_parallel(keys, spare, thresholds, run);
    if (sleeping.on()) return sleeping.fit_into(run);
    return std::is_sorted(keys.begin(), keys.end()) && Multiset(keys) == before;
  });
}
