// SPDX-License-Identifier: Apache-2.0
// Right-looking LU factorization over MPI, in the shape of HP Linpack: columns in panels, dealt to the ranks in turn.
// fact, serial, factorizes a panel on its owner, which sends it to all others; each rank updates the panels that it
// holds, one task each. The tasks and what they read and write are annotated for foretask. mpirun -n 4 bin/mpi_lu
#include <mpi.h>

#include <algorithm>
#include <memory>

#include "common.hpp"
#include "foretask/dataflow.hpp"

namespace {

constexpr std::uint64_t kSeed = 28;

// A diagonal so large that no pivoting is needed.
double element(long i, long j, long order) {
  const auto place = static_cast<std::uint64_t>(i * order + j);
  return 2 * examples::random_unit(kSeed, place) - 1 + (i == j ? static_cast<double>(order) : 0);
}

struct Kernels {
  foretask::Kernel fact{"fact"}, send{"send"}, receive{"receive"}, update{"update"};
};

// n x b numbers, column by column, for each panel of this rank, and a place for panels that come.
class Panels {
 public:
  Panels(long n, long b, int rank, int ranks)
      : n_(n), b_(b), rank_(rank), ranks_(ranks), own_(static_cast<std::size_t>((n / b + ranks - 1) / ranks)) {
    for (auto& panel : own_) panel = std::make_unique_for_overwrite<double[]>(size());
    for (auto& buffer : buffers_) buffer = std::make_unique_for_overwrite<double[]>(size());
  }
  [[nodiscard]] long order() const { return n_; }
  [[nodiscard]] long width() const { return b_; }
  [[nodiscard]] long count() const { return n_ / b_; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(n_ * b_); }
  [[nodiscard]] int owner(long panel) const { return static_cast<int>(panel % ranks_); }
  [[nodiscard]] bool is_own(long panel) const { return owner(panel) == rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] double* at(long panel) {
    return is_own(panel) ? own_[static_cast<std::size_t>(panel / ranks_)].get()
                         : buffers_[static_cast<std::size_t>(panel) % kBuffers].get();
  }

 private:
  static constexpr std::size_t kBuffers = 4;  // so that some can come while others are in use

  long n_;
  long b_;
  int rank_;
  int ranks_;
  // Not touched before a task fills them.
  std::vector<std::unique_ptr<double[]>> own_;
  std::unique_ptr<double[]> buffers_[kBuffers];
};

void fill_panels(Panels& panels) {
  const foretask::Kernel fill("fill");
  for (long panel = 0; panel < panels.count(); ++panel) {
    if (!panels.is_own(panel)) continue;
    double* const numbers = panels.at(panel);
    const foretask::Task task(fill, {foretask::out(numbers, panels.size())});
    for (long j = 0; j < panels.width(); ++j)
      for (long i = 0; i < panels.order(); ++i)
        numbers[j * panels.order() + i] = element(i, panel * panels.width() + j, panels.order());
  }
}

// Columns [from, from + b) of the matrix, from the diagonal on.
void factorize(double* panel, long from, long n, long b) {
  for (long k = 0; k < b; ++k) {
    double* const column = panel + k * n;
    const long row = from + k;
    for (long i = row + 1; i < n; ++i) column[i] /= column[row];
    for (long j = k + 1; j < b; ++j) {
      double* const other = panel + j * n;
      const double factor = other[row];
      for (long i = row + 1; i < n; ++i) other[i] -= column[i] * factor;
    }
  }
}

// Columns of `target`, of a panel behind that which begins at row `from`: less the factors' share.
void apply(const double* __restrict factors, double* __restrict target, long columns, long from, long n, long b) {
  for (long j = 0; j < columns; ++j)
    for (long k = 0; k < b; ++k) {
      const long row = from + k;
      const double factor = target[j * n + row];
      for (long i = row + 1; i < n; ++i) target[j * n + i] -= factors[k * n + i] * factor;
    }
}

void send_panel(const Kernels& kernels, Panels& panels, long panel) {
  const double* const numbers = panels.at(panel);
  const foretask::Task task(kernels.send, {foretask::in(numbers, panels.size())});
  for (int rank = 0; rank < panels.ranks(); ++rank)
    if (rank != panels.owner(panel))
      MPI_Send(numbers, static_cast<int>(panels.size()), MPI_DOUBLE, rank, static_cast<int>(panel), MPI_COMM_WORLD);
}

void receive_panel(const Kernels& kernels, Panels& panels, long panel) {
  double* const numbers = panels.at(panel);
  const foretask::Task task(kernels.receive, {foretask::out(numbers, panels.size())});
  MPI_Recv(numbers, static_cast<int>(panels.size()), MPI_DOUBLE, panels.owner(panel), static_cast<int>(panel),
           MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// A task for each `columns` columns.
void update_panel(const Kernels& kernels, Panels& panels, long with, long panel, long columns) {
  const long n = panels.order();
  const double* const factors = panels.at(with);
  for (long j = 0; j < panels.width(); j += columns) {
    double* const target = panels.at(panel) + j * n;
    const long width = std::min(columns, panels.width() - j);
    const foretask::Task task(kernels.update, {foretask::in(factors, panels.size()),
                                               foretask::inout(target, static_cast<std::size_t>(width * n))});
    apply(factors, target, width, with * panels.width(), n, panels.width());
  }
}

void factorize_panel(const Kernels& kernels, Panels& panels, long panel) {
  double* const numbers = panels.at(panel);
  {
    const foretask::Task task(kernels.fact, {foretask::inout(numbers, panels.size())});
    factorize(numbers, panel * panels.width(), panels.order(), panels.width());
  }
  send_panel(kernels, panels, panel);
}

// With a panel looked ahead: the owner of the next one brings that up to date and sends it before the others.
void factorize_all(Panels& panels, long columns) {
  const Kernels kernels;
  const long count = panels.count();
  if (panels.is_own(0)) factorize_panel(kernels, panels, 0);
  for (long k = 0; k < count; ++k) {
    if (!panels.is_own(k)) receive_panel(kernels, panels, k);
    if (k + 1 < count && panels.is_own(k + 1)) {
      update_panel(kernels, panels, k, k + 1, columns);
      factorize_panel(kernels, panels, k + 1);
    }
    for (long panel = k + 1; panel < count; ++panel)
      if (panels.is_own(panel) && panel != k + 1) update_panel(kernels, panels, k, panel, columns);
  }
  static_cast<void>(foretask_task_wait());
}

// The sum over all panels of all ranks of what `add` makes of each, which adds to a vector of n numbers of its own.
template <class Add>
std::vector<double> sum_over_panels(Panels& panels, const foretask::Kernel& kernel, Add add) {
  const auto size = static_cast<std::size_t>(panels.order());
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(panels.count()));
  for (long panel = 0; panel < panels.count(); ++panel) {
    if (!panels.is_own(panel)) continue;
    std::vector<double>& part = parts[static_cast<std::size_t>(panel)];
    part.resize(size);
    const foretask::Task task(kernel,
                              {foretask::in(panels.at(panel), panels.size()), foretask::out(part.data(), size)});
    for (long j = 0; j < panels.width(); ++j)
      add(panels.at(panel) + j * panels.order(), panel * panels.width() + j, part);
  }
  static_cast<void>(foretask_task_wait());
  std::vector<double> sum(size);
  for (const std::vector<double>& part : parts)
    for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), static_cast<int>(size), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// L (U x) against A x for a random x, with A made anew.
bool is_factor(Panels& panels) {
  const long n = panels.order();
  const foretask::Kernel check("check");
  std::vector<double> x(static_cast<std::size_t>(n));
  for (long i = 0; i < n; ++i) x[i] = 2 * examples::random_unit(kSeed + 1, static_cast<std::uint64_t>(i)) - 1;
  const auto ax = sum_over_panels(panels, check, [&](const double*, long column, std::vector<double>& sum) {
    for (long i = 0; i < n; ++i) sum[i] += element(i, column, n) * x[column];
  });
  const auto ux = sum_over_panels(panels, check, [&](const double* numbers, long column, std::vector<double>& sum) {
    for (long i = 0; i <= column; ++i) sum[i] += numbers[i] * x[column];
  });
  const auto lux = sum_over_panels(panels, check, [&](const double* numbers, long column, std::vector<double>& sum) {
    sum[column] += ux[column];
    for (long i = column + 1; i < n; ++i) sum[i] += numbers[i] * ux[column];
  });
  return examples::nearly_equal(lux, ax, 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  long n = 2048;
  long b = 32;
  long columns = 8;
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  examples::Arguments arguments("mpi_lu", "LU factorization of an n x n matrix, in panels dealt to the ranks");
  arguments.number("-n", "rows of the matrix, a multiple of the panels' width", n, 1, 32768);
  arguments.number("-b", "columns of a panel", b, 1, 4096);
  arguments.number("-w", "columns of an update", columns, 1, 4096);
  arguments.parse(argc, argv);
  if (n % b != 0) arguments.fail("-n must be a multiple of -b");
  Panels panels(n, b, rank, ranks);
  fill_panels(panels);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::int64_t from = examples::now_ns();
  factorize_all(panels, columns);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = static_cast<double>(examples::now_ns() - from) * 1e-9;
  const bool right = is_factor(panels);
  if (rank == 0) std::printf("mpi_lu n=%ld ranks=%d seconds=%.6f %s\n", n, ranks, seconds, right ? "ok" : "WRONG");
  MPI_Finalize();
  return right ? 0 : 1;
}
