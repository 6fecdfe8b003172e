// SPDX-License-Identifier: Apache-2.0
// Of kernels of real programs: how many of the times lie within the 95 % interval that foretask gave just before. Every
// execution is first predicted, then timed, then handed over, as a scheduler would use it; the learner works meanwhile.
//
//   bin/interval_coverage [--seconds 3] [--threads 1] [--fmm yes]
//
// cholesky, sparselu: tiled, of matrices with tiles of different sizes, in turn; sort: of arrays of any size; seconds
// of each. fmm: bin/fmm itself, on all distributions of particles, one run after the other with one store.
#include <exception>
#include <functional>
#include <iomanip>
#include <memory>
#include <sstream>

#include "learning_session.hpp"
#include "real_kernels.hpp"

namespace {

using namespace foretask::benchmarks;

// The first predictions of a kernel are made from a few samples.
constexpr long kFirst = 50;

class TimedKernel {
 public:
  TimedKernel(std::string program, std::string name, std::vector<const char*> parameters)
      : program_(std::move(program)), name_(std::move(name)) {
    const std::string full = program_ + " " + name_;
    handle_ = foretask_kernel_define(full.c_str(), parameters.data(), parameters.size());
  }

  template <typename Body>
  void run(std::initializer_list<double> parameters, Body body) {
    foretask_prediction prediction = FORETASK_PREDICTION_INIT;
    foretask_predict(handle_, std::data(parameters), parameters.size(), &prediction);
    const double begin = now_ns();
    body();
    const double time = now_ns() - begin;
    foretask_learn(handle_, std::data(parameters), parameters.size(), time);
    if (prediction.status == FORETASK_UNCALIBRATED) return;
    const bool in = prediction.low_ns <= time && time <= prediction.high_ns;
    Count& count = runs_ < kFirst ? first_ : later_;
    ++runs_;
    ++count.tasks;
    if (in) ++count.within;
    if (time < prediction.low_ns) ++count.below;
    if (&count == &first_) return;
    models_[prediction.model % models_.size()]++;
    off_.push_back(std::abs(time / prediction.value_ns - 1));
    width_.push_back((prediction.high_ns - prediction.low_ns) / prediction.value_ns);
  }

  static void print_header() {
    std::printf("%-10s %-8s %8s %11s %11s %9s %11s %11s   %s\n", "program", "kernel", "times", "within 95 %", "below",
                "first 50", "median off", "width", "who answered");
  }

  void print() const {
    std::printf("%-10s %-8s %8ld %11.1f %11.1f %9.1f %9.1f %% %9.1f %%   ", program_.c_str(), name_.c_str(),
                later_.tasks, later_.share(later_.within), later_.share(later_.below), first_.share(first_.within),
                100 * median(off_), 100 * median(width_));
    for (std::uint32_t i = 0; i < models_.size(); ++i)
      if (models_[i] * 100 > later_.tasks)
        std::printf("%s %ld %%  ", foretask_model_text(i), models_[i] * 100 / later_.tasks);
    std::printf("\n");
  }

 private:
  struct Count {
    long tasks = 0;
    long within = 0;
    long below = 0;
    [[nodiscard]] double share(long part) const {
      return tasks > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(tasks) : 0;
    }
  };

  std::string program_;
  std::string name_;
  foretask_kernel* handle_;
  long runs_ = 0;
  Count first_;
  Count later_;
  std::array<long, 7> models_{};
  std::vector<double> off_;
  std::vector<double> width_;
};

constexpr std::size_t kTilesASide = 6;
constexpr std::array<std::size_t, 8> kTileSizes = {16, 24, 32, 40, 48, 64, 80, 96};

Matrix random_tile(Random& random, std::size_t rows, bool diagonal) {
  Matrix tile(rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j) tile[i][j] = random.unit();
  // Dominant, so that neither decomposition meets a small pivot.
  if (diagonal)
    for (std::size_t i = 0; i < rows; ++i) tile[i][i] += 2 * static_cast<double>(rows * kTilesASide);
  return tile;
}

std::vector<Matrix> random_tiles(Random& random) {
  const std::size_t rows = kTileSizes[random.bits() % kTileSizes.size()];
  std::vector<Matrix> tiles;
  for (std::size_t i = 0; i < kTilesASide * kTilesASide; ++i)
    tiles.push_back(random_tile(random, rows, i % (kTilesASide + 1) == 0));
  return tiles;
}

class Cholesky {
 public:
  void factorize(Random& random) {
    std::vector<Matrix> tiles = random_tiles(random);
    const auto at = [&](std::size_t i, std::size_t j) -> Matrix& { return tiles[i * kTilesASide + j]; };
    const auto rows = static_cast<double>(tiles[0].rows());
    for (std::size_t k = 0; k < kTilesASide; ++k) {
      potrf_.run({rows}, [&] { potrf(at(k, k)); });
      for (std::size_t i = k + 1; i < kTilesASide; ++i) trsm_.run({rows}, [&] { trsm(at(k, k), at(i, k)); });
      for (std::size_t i = k + 1; i < kTilesASide; ++i) {
        syrk_.run({rows}, [&] { syrk(at(i, k), at(i, i)); });
        for (std::size_t j = k + 1; j < i; ++j) gemm_.run({rows}, [&] { gemm(at(i, k), at(j, k), at(i, j)); });
      }
    }
  }
  void print() const {
    for (const TimedKernel* kernel : {&potrf_, &trsm_, &syrk_, &gemm_}) kernel->print();
  }

 private:
  TimedKernel potrf_{"cholesky", "potrf", {"rows"}};
  TimedKernel trsm_{"cholesky", "trsm", {"rows"}};
  TimedKernel syrk_{"cholesky", "syrk", {"rows"}};
  TimedKernel gemm_{"cholesky", "gemm", {"rows"}};
};

class SparseLu {
 public:
  void factorize(Random& random) {
    std::vector<Matrix> tiles = random_tiles(random);
    std::vector<bool> there(tiles.size());
    for (std::size_t i = 0; i < tiles.size(); ++i) there[i] = i % (kTilesASide + 1) == 0 || random.unit() < 0.4;
    const auto index = [](std::size_t i, std::size_t j) { return i * kTilesASide + j; };
    const auto rows = static_cast<double>(tiles[0].rows());
    for (std::size_t k = 0; k < kTilesASide; ++k) {
      Matrix& pivot = tiles[index(k, k)];
      lu0_.run({rows}, [&] { lu0(pivot); });
      for (std::size_t j = k + 1; j < kTilesASide; ++j) {
        if (there[index(k, j)]) fwd_.run({rows}, [&] { fwd(pivot, tiles[index(k, j)]); });
        if (there[index(j, k)]) bdiv_.run({rows}, [&] { bdiv(pivot, tiles[index(j, k)]); });
      }
      for (std::size_t i = k + 1; i < kTilesASide; ++i)
        for (std::size_t j = k + 1; j < kTilesASide; ++j) {
          if (!there[index(i, k)] || !there[index(k, j)]) continue;
          there[index(i, j)] = true;
          bmod_.run({rows}, [&] { bmod(tiles[index(i, k)], tiles[index(k, j)], tiles[index(i, j)]); });
        }
    }
  }
  void print() const {
    for (const TimedKernel* kernel : {&lu0_, &fwd_, &bdiv_, &bmod_}) kernel->print();
  }

 private:
  TimedKernel lu0_{"sparselu", "lu0", {"rows"}};
  TimedKernel fwd_{"sparselu", "fwd", {"rows"}};
  TimedKernel bdiv_{"sparselu", "bdiv", {"rows"}};
  TimedKernel bmod_{"sparselu", "bmod", {"rows"}};
};

class Sort {
 public:
  void sort(Random& random) {
    const double part = random.between(0.1, 0.9);
    const auto count = static_cast<std::size_t>(std::exp(random.between(std::log(200.0), std::log(20'000.0))));
    std::vector<unsigned> low(static_cast<std::size_t>(part * static_cast<double>(count)) + 1);
    std::vector<unsigned> high(count - low.size() + 2);
    std::vector<unsigned> all(low.size() + high.size());
    for (std::vector<unsigned>* keys : {&low, &high}) {
      for (unsigned& key : *keys) key = static_cast<unsigned>(random.bits());
      sort_.run({static_cast<double>(keys->size())}, [&] { sort_keys(*keys); });
    }
    merge_.run({static_cast<double>(low.size()), static_cast<double>(high.size())},
               [&] { merge_keys(low, high, all); });
  }
  void print() const {
    sort_.print();
    merge_.print();
  }

 private:
  TimedKernel sort_{"sort", "sort", {"keys"}};
  TimedKernel merge_{"sort", "merge", {"low", "high"}};
};

// Runs the programs in turn, each for so long in all.
class Programs {
 public:
  void run(double seconds) {
    Random random(11);
    const double end = now_ns() + 3 * seconds * 1e9;
    while (now_ns() < end) {
      for_a_while(seconds, [&] { cholesky_.factorize(random); });
      for_a_while(seconds, [&] { sparse_lu_.factorize(random); });
      for_a_while(seconds, [&] { sort_.sort(random); });
    }
  }
  void print() const {
    cholesky_.print();
    sparse_lu_.print();
    sort_.print();
  }

 private:
  template <typename Step>
  static void for_a_while(double seconds, Step step) {
    const double end = now_ns() + 0.1 * seconds * 1e9;
    while (now_ns() < end) step();
  }

  Cholesky cholesky_;
  SparseLu sparse_lu_;
  Sort sort_;
};

// What bin/fmm prints of each kernel: name, tasks, unknown, extrapolated, actual, predicted, error %, within %.
void run_fmm() {
  const Scratch scratch;
  const Scratch store;
  std::printf("\n%-10s %-12s %-9s %8s %11s %9s\n", "fmm", "particles", "kernel", "tasks", "within 95 %", "error %");
  for (const char* distribution : {"uniform", "ellipse", "circle", "clusters", "uniform", "clusters"}) {
    const std::string height = std::string(distribution) == "uniform" ? "7" : "9";
    const Finished finished =
        run_program({bin_folder() + "/fmm", "-d", distribution, "--height", height, "--predict", "online"},
                    {{"FORETASK_HOME", store.path()}, {"OMP_NUM_THREADS", "1"}}, scratch.path());
    std::istringstream lines(finished.output);
    bool is_table = false;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string kernel, actual, predicted, error, within;
      long tasks = 0, unknown = 0, extrapolated = 0;
      words >> kernel;
      if (kernel == "kernel") is_table = true;
      if (!is_table || !(words >> tasks >> unknown >> extrapolated >> actual >> predicted >> error >> within)) continue;
      std::printf("%-10s %-12s %-9s %8ld %11s %9s\n", "fmm", distribution, kernel.c_str(), tasks - unknown,
                  within.c_str(), error.c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const double seconds = std::stod(option(argc, argv, "seconds", "5"));
    const LearningSession session;
    LearningSession::start();
    Programs programs;
    programs.run(seconds);
    TimedKernel::print_header();
    programs.print();
    if (option(argc, argv, "fmm", "yes") == "yes") run_fmm();
    std::printf("asked for: 92 to 98 %%\n");
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "interval_coverage: %s\n", problem.what());
    return 1;
  }
}
