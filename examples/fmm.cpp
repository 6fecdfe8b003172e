// SPDX-License-Identifier: Apache-2.0
// Potentials of charged particles in the plane by the fast multipole method (Greengard and Rokhlin, 1987), as tasks
// over groups of cells, whose kernels tell foretask what their times depend on.
#include <algorithm>
#include <cmath>
#include <string>

#include "common.hpp"
#include "fmm/group_tree.hpp"
#include "fmm/kernels.hpp"
#include "fmm/laplace.hpp"
#include "fmm/particles.hpp"
#include "fmm/program.hpp"
#include "fmm/results.hpp"

namespace {

struct Options {
  long particles = 200'000;
  long distribution = fmm::kUniform;
  long seed = 1;
  long height = 7;
  long order = 12;
  long group_size = 128;
  long without_indirect = 0;
  long prediction = fmm::kNoPrediction;
  std::string csv;
};

constexpr const char* kDistributions[] = {"uniform", "ellipse", "circle", "clusters"};

// Of some particles: the root of the sum of squares of what is wrong with their potentials, over that of the
// potentials.
double relative_error(const fmm::Particles& particles) {
  constexpr std::size_t kPairs = 20'000'000;
  const std::size_t count = particles.size();
  const std::size_t samples = std::clamp<std::size_t>(kPairs / count, 20, 1000);
  double wrong = 0;
  double whole = 0;
  for (std::size_t sample = 0; sample < std::min(samples, count); ++sample) {
    const std::size_t i = sample * count / std::min(samples, count);
    double potential = 0;
    for (std::size_t j = 0; j < count; ++j) {
      const double distance = std::hypot(particles.x[i] - particles.x[j], particles.y[i] - particles.y[j]);
      if (distance > 0) potential += particles.charge[j] * std::log(distance);
    }
    wrong += (particles.potential[i] - potential) * (particles.potential[i] - potential);
    whole += potential * potential;
  }
  return whole > 0 ? std::sqrt(wrong / whole) : std::sqrt(wrong);
}

// The error falls to 0.38 with each term (measured for 2 to 20 terms on all distributions; the worst place of a cell
// would have it fall to 0.55), until rounding is what remains.
double tolerance(long order) { return std::pow(0.42, static_cast<double>(order)) + 1e-12; }

// `written` becomes false where a table could not be.
bool compute(const Options& options, const fmm::Laplace& laplace, const fmm::Kernels& kernels, examples::Run& run,
             bool& written) {
  fmm::Particles particles =
      fmm::make_particles(static_cast<fmm::Distribution>(options.distribution),
                          static_cast<std::size_t>(options.particles), static_cast<std::uint64_t>(options.seed));
  fmm::GroupTree tree(particles, static_cast<int>(options.height), static_cast<int>(options.group_size),
                      laplace.size());
  fmm::Program program(particles, tree, laplace, kernels, static_cast<fmm::Prediction>(options.prediction));
  program.run(run);
  const double error = relative_error(particles);
  std::printf("fmm: %s, height %ld, order %ld: %d leaves in %d groups, %zu tasks, relative error %.2e\n",
              kDistributions[options.distribution], options.height, options.order, tree.leaves().cells(),
              tree.leaves().groups(), program.tasks().size(), error);
  if (options.prediction != fmm::kNoPrediction) fmm::print_predictions(kernels, program.tasks());
  if (!options.csv.empty()) written = fmm::write_tables(options.csv, kernels, program.tasks()) && written;
  return error <= tolerance(options.order);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  examples::Arguments arguments("fmm", "potentials of n particles in the plane by the fast multipole method");
  arguments.number("-n,--particles", "particles", options.particles, 1, 100'000'000);
  arguments.choice("-d,--distribution", "where the particles are", options.distribution,
                   {std::begin(kDistributions), std::end(kDistributions)});
  arguments.number("-e,--seed", "seed of the particles", options.seed, 0, 1'000'000'000);
  arguments.number("--height", "level of the leaves, the whole square being 0", options.height, fmm::GroupTree::kTop,
                   fmm::GroupTree::kMaxHeight);
  arguments.number("--order", "terms of an expansion", options.order, 2, 40);
  arguments.number("--group-size", "cells a group", options.group_size, 1, 1'000'000);
  arguments.choice("--indirect", "whether numbers of interactions and of pairs are parameters",
                   options.without_indirect, {"on", "off"});
  arguments.choice("--predict", "ask foretask for each task's time: before all tasks, or before that task",
                   options.prediction, {"no", "ahead", "online"});
  arguments.text("--csv", "folder of a table a kernel, which rows are added to", options.csv);
  arguments.parse(argc, argv);
  if (options.prediction != fmm::kNoPrediction) foretask_learning_start();
  const fmm::Laplace laplace(static_cast<int>(options.order));
  const fmm::Kernels kernels(options.without_indirect == 0, static_cast<int>(options.order));
  bool written = true;
  const int status = arguments.repeat(
      options.particles, [&](examples::Run& run) { return compute(options, laplace, kernels, run, written); });
  return written ? status : 1;
}
