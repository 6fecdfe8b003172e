// SPDX-License-Identifier: Apache-2.0
// Tasks of templates whose names have some thousand letters.
namespace lib {

template <typename First, typename Second>
struct Pair {
  static void make_a_task_of_this_pair(int& done) {
#pragma omp task shared(done)
    __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
  }
};

template <int depth, typename Inner>
struct Nested {
  using Type = typename Nested<depth - 1, Pair<Inner, Inner>>::Type;
};
template <typename Inner>
struct Nested<0, Inner> {
  using Type = Inner;
};

}  // namespace lib

int main() {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i) {
    lib::Nested<7, int>::Type::make_a_task_of_this_pair(done);
    lib::Nested<7, char>::Type::make_a_task_of_this_pair(done);
  }
  return done == 16 ? 0 : 1;
}
