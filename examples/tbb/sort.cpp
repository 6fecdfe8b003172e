// SPDX-License-Identifier: Apache-2.0
// Merge sort by parallel_invoke: the halves are sorted at once, and the parts of a merge are merged at once.
#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>

#include "tbb/arena.hpp"

namespace {

using Key = std::uint32_t;

struct Thresholds {
  long sort = 2048;
  long merge = 4096;
};

// The larger one is cut in the middle, the other one where that value belongs.
void merge_tasks(const Key* a, long a_size, const Key* b, long b_size, Key* out, long threshold) {
  if (a_size + b_size <= threshold) {
    std::merge(a, a + a_size, b, b + b_size, out);
    return;
  }
  if (a_size < b_size) {
    std::swap(a, b);
    std::swap(a_size, b_size);
  }
  const long a_cut = a_size / 2;
  const long b_cut = std::lower_bound(b, b + b_size, a[a_cut]) - b;
  tbb::parallel_invoke(
      [=] { merge_tasks(a, a_cut, b, b_cut, out, threshold); },
      [=] { merge_tasks(a + a_cut, a_size - a_cut, b + b_cut, b_size - b_cut, out + a_cut + b_cut, threshold); });
}

// Into `keys`, or into `spare`, which is as long.
void sort_tasks(Key* keys, Key* spare, long n, Thresholds thresholds, bool into_spare) {
  if (n <= thresholds.sort) {
    std::sort(keys, keys + n);
    if (into_spare) std::copy(keys, keys + n, spare);
    return;
  }
  const long half = n / 2;
  tbb::parallel_invoke([=] { sort_tasks(keys, spare, half, thresholds, !into_spare); },
                       [=] { sort_tasks(keys + half, spare + half, n - half, thresholds, !into_spare); });
  const Key* const from = into_spare ? keys : spare;
  merge_tasks(from, half, from + half, n - half, into_spare ? spare : keys, thresholds.merge);
}

}  // namespace

int main(int argc, char** argv) {
  long n = 4'000'000;
  Thresholds thresholds;
  examples::Arguments arguments("tbb_sort", "merge sort of random 32-bit keys with parallel merges");
  arguments.number("-n", "keys", n, 1, 2'000'000'000);
  arguments.number("-q", "serial sort up to this many keys", thresholds.sort, 4, 2'000'000'000);
  arguments.number("-y", "serial merge up to this many keys", thresholds.merge, 2, 2'000'000'000);
  arguments.parse(argc, argv);
  return arguments.repeat(n, [&](examples::Run& run) {
    std::vector<Key> keys(static_cast<std::size_t>(n));
    std::vector<Key> spare(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<Key>(examples::random_bits(7, i) >> 32);
    std::vector<Key> expected = keys;
    std::sort(expected.begin(), expected.end());
    examples::run_in_arena(run, [&] { sort_tasks(keys.data(), spare.data(), n, thresholds, false); });
    return keys == expected;
  });
}
