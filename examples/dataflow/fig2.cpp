// SPDX-License-Identifier: Apache-2.0
// The program of Subotic et al., "Identifying Critical Code Sections in Dataflow Programming Models" (2012), figure 2:
// three functions of equal duration, each on two of 19 buffers that change with every call.
#include "dataflow/tasks.hpp"

namespace {

constexpr std::uint64_t kSeed = 2;
constexpr long kBuffers = 19;
constexpr long kIterations = 11;
constexpr long kSteps[] = {9, 10, 11};

struct Pair {
  std::uint64_t a;
  std::uint64_t b;
};

// Not its own inverse, and it does not commute: an order that is not the program's gives other numbers.
inline Pair mixed(Pair pair, long rounds) {
  for (long round = 0; round < rounds; ++round) {
    pair.a = pair.a * 6364136223846793005U + pair.b;
    pair.b = (pair.b ^ (pair.a >> 29)) * 0x9e3779b97f4a7c15U;
  }
  return pair;
}

void compute(std::uint64_t* a, std::uint64_t* b, long length, long rounds) {
  for (long i = 0; i < length; ++i) {
    const Pair pair = mixed({a[i], b[i]}, rounds);
    a[i] = pair.a;
    b[i] = pair.b;
  }
}

std::uint64_t first_value(long buffer, long i) {
  return examples::random_bits(kSeed + static_cast<std::uint64_t>(buffer), static_cast<std::uint64_t>(i));
}

class Buffers {
 public:
  explicit Buffers(long length) : length_(length), numbers_(static_cast<std::size_t>(kBuffers * length)) {
    for (long buffer = 0; buffer < kBuffers; ++buffer)
      for (long i = 0; i < length; ++i) at(buffer)[i] = first_value(buffer, i);
  }
  [[nodiscard]] std::uint64_t* at(long buffer) { return numbers_.data() + buffer % kBuffers * length_; }
  [[nodiscard]] long length() const { return length_; }

 private:
  long length_;
  std::vector<std::uint64_t> numbers_;
};

void create_tasks(Buffers& buffers, long rounds) {
  const examples::Kernel kernels[] = {examples::Kernel("comp1"), examples::Kernel("comp2"), examples::Kernel("comp3")};
  const long length = buffers.length();
  const auto size = static_cast<std::size_t>(length);
  for (long i = 0; i < kIterations; ++i)
    for (std::size_t which = 0; which < 3; ++which) {
      std::uint64_t* const a = buffers.at(i * kSteps[which]);
      std::uint64_t* const b = buffers.at(i * kSteps[which] + 1);
      examples::task(kernels[which], {examples::inout(a, size), examples::inout(b, size)},
                     [=] { compute(a, b, length, rounds); });
    }
}

// The same calls for one element of each buffer, without tasks.
bool is_right(Buffers& buffers, long rounds) {
  const long stride = std::max(1L, buffers.length() / 16);
  for (long i = 0; i < buffers.length(); i += stride) {
    std::uint64_t values[kBuffers];
    for (long buffer = 0; buffer < kBuffers; ++buffer) values[buffer] = first_value(buffer, i);
    for (long iteration = 0; iteration < kIterations; ++iteration)
      for (const long step : kSteps) {
        std::uint64_t& a = values[iteration * step % kBuffers];
        std::uint64_t& b = values[(iteration * step + 1) % kBuffers];
        const Pair pair = mixed({a, b}, rounds);
        a = pair.a;
        b = pair.b;
      }
    for (long buffer = 0; buffer < kBuffers; ++buffer)
      if (buffers.at(buffer)[i] != values[buffer]) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  long n = 4096;
  long rounds = 3000;
  examples::Arguments arguments("dataflow_fig2", "three functions on 19 buffers, 33 tasks of equal length");
  arguments.number("-n", "numbers of a buffer", n, 1, 100'000'000);
  arguments.number("-w", "rounds of mixing in a task", rounds, 1, 1'000'000);
  arguments.parse(argc, argv);
  return arguments.repeat(n, [&](examples::Run& run) {
    Buffers buffers(n);
    examples::run_tasks(run, [&] { create_tasks(buffers, rounds); });
    return is_right(buffers, rounds);
  });
}
