// SPDX-License-Identifier: Apache-2.0
// How far compositions of distributions are off: from 6,000 samples against the law they were drawn from, with their
// standard errors; the paper's own cases; and what a composition costs. docs/distributions.md has the tables.
//
//   bin/distribution_accuracy samples [--sets 20] [--resamplings 200]
//   bin/distribution_accuracy paper
//   bin/distribution_accuracy cost
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foretask/analysis/compose.hpp"
#include "foretask/analysis/distribution.hpp"

namespace {

using namespace foretask::analysis;

template <typename T>
T need(foretask::Result<T> result) {
  if (result) return std::move(result).value();
  std::fprintf(stderr, "distribution_accuracy: %s\n", result.error().message().c_str());
  std::exit(1);
}

Composition composed(const Distribution& distribution, ComposeMethod method, std::uint32_t resamplings = 0) {
  return need(compose(distribution, {.method = method, .resamplings = resamplings}));
}

Distribution extreme(bool last, std::uint64_t n, const Distribution& part) {
  return need(last ? Distribution::all_of(n, part) : Distribution::first_of(n, part));
}

Distribution normals(std::vector<MixturePart> parts) {
  GaussianMixture mixture;
  mixture.parts = std::move(parts);
  return need(Distribution::of_mixture(mixture));
}

struct Case {
  const char* name;
  Distribution truth;
};

// One mode, several modes, light and heavy tails.
std::vector<Case> cases() {
  return {{"uniform(0, 1)", need(Distribution::uniform(0, 1))},
          {"exp(1)", need(Distribution::exponential(1))},
          {"normal(10, 1)", need(Distribution::normal(10, 1))},
          {"weibull(1.5, 10)", need(Distribution::weibull(1.5, 10))},
          {"lognormal(0, 0.5)", need(Distribution::lognormal(0, 0.5))},
          {"lognormal(0, 1)", need(Distribution::lognormal(0, 1))},
          {"beta(5, 2)", need(Distribution::beta(5, 2))},
          {"gamma(0.7, 1)", need(Distribution::gamma(0.7, 1))},
          {"0.7 N(1, 0.1) + 0.3 N(2.5, 0.2)", normals({{0.7, 1, 0.1}, {0.3, 2.5, 0.2}})},
          {"0.5 N(1, 0.1) + 0.5 N(1.6, 0.15)", normals({{0.5, 1, 0.1}, {0.5, 1.6, 0.15}})},
          {"0.9 N(1, 0.05) + 0.1 N(4, 0.5)", normals({{0.9, 1, 0.05}, {0.1, 4, 0.5}})}};
}

std::vector<double> drawn(const Distribution& truth, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> probabilities(count);
  for (double& p : probabilities) p = (static_cast<double>(random() >> 11U) + 0.5) * 0x1p-53;
  return need(quantiles_of(truth, probabilities));
}

// What exact order statistics over the samples give, by the definition.
double direct(std::vector<double> samples, bool last, double n) {
  std::sort(samples.begin(), samples.end());
  const auto m = static_cast<double>(samples.size());
  double sum = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double below = static_cast<double>(i) / m;
    const double to = static_cast<double>(i + 1) / m;
    sum += samples[i] * (last ? std::pow(to, n) - std::pow(below, n) : std::pow(1 - below, n) - std::pow(1 - to, n));
  }
  return sum;
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

double off_percent(double value, double truth) { return 100 * std::abs(value / truth - 1); }

struct Held {
  long held = 0;
  long all = 0;
  void count(double value, double error, double truth) {
    ++all;
    if (std::abs(value - truth) <= 2 * error) ++held;
  }
  [[nodiscard]] double percent() const {
    return all == 0 ? 0 : 100.0 * static_cast<double>(held) / static_cast<double>(all);
  }
};

void samples_table(std::uint64_t sets, std::uint32_t resamplings) {
  std::printf(
      "| | N | E[min] auto | E[min] samples | E[min] gld | E[max] auto | E[max] samples | E[max] gld | mean | sd |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  Held all_means;
  Held all_spreads;
  std::uint64_t seed = 1000;  // of its own for each set: the same probabilities everywhere would be one case many times
  for (const Case& one : cases()) {
    std::vector<std::vector<double>> data;
    for (std::uint64_t set = 0; set < sets; ++set) data.push_back(drawn(one.truth, 6000, seed++));
    for (const std::uint64_t n : {1ULL, 4ULL, 16ULL, 64ULL, 256ULL}) {
      Held mean;
      Held sd;
      std::printf("| %s | %llu |", one.name, static_cast<unsigned long long>(n));
      for (const bool last : {false, true}) {
        const Composition truth = composed(extreme(last, n, one.truth), ComposeMethod::kAuto);
        std::vector<double> ours;
        std::vector<double> limit;
        std::vector<double> lambda;
        for (const auto& samples : data) {
          const Distribution expression = extreme(last, n, need(Distribution::of_samples(samples)));
          const Composition answer = composed(expression, ComposeMethod::kAuto, resamplings);
          ours.push_back(off_percent(answer.mean, truth.mean));
          limit.push_back(off_percent(direct(samples, last, static_cast<double>(n)), truth.mean));
          lambda.push_back(off_percent(composed(expression, ComposeMethod::kLambda).mean, truth.mean));
          if (!answer.errors) continue;
          mean.count(answer.mean, answer.errors->mean, truth.mean);
          sd.count(answer.sd, answer.errors->sd, truth.sd);
        }
        std::printf(" %.2f %% | %.2f %% | %.3g %% |", percentile(ours, 0.5), percentile(limit, 0.5),
                    percentile(lambda, 0.5));
      }
      std::printf(" %.0f %% | %.0f %% |\n", mean.percent(), sd.percent());
      std::fflush(stdout);
      all_means.held += mean.held;
      all_means.all += mean.all;
      all_spreads.held += sd.held;
      all_spreads.all += sd.all;
    }
  }
  std::printf(
      "\nMedians of %llu data sets. Two standard errors hold the mean in %.1f %% of %ld cases, the sd in %.1f %%.\n",
      static_cast<unsigned long long>(sets), all_means.percent(), all_means.all, all_spreads.percent());
}

// Gautama and van Gemund's eq. 17 for the four raw moments, in percent.
void print_off(const Composition& ours, const Composition& truth) {
  for (std::size_t r = 0; r < 4; ++r) std::printf(" %.3g |", off_percent(ours.moments[r], truth.moments[r]));
}

void paper_rows(const char* name, const Distribution& ours, const Distribution& truth) {
  std::printf("| %s |", name);
  print_off(composed(ours, ComposeMethod::kLambda), composed(truth, ComposeMethod::kAuto));
  std::printf("\n");
}

void paper_header(const char* title) {
  std::printf("\n%s\n\n| | E[Y] | E[Y^2] | E[Y^3] | E[Y^4] |\n|---|---|---|---|---|\n", title);
}

GeneralizedLambda table_exponential() {
  // Of Ramberg's table for an exponential of mean 3, scaled to mean 1.
  return {.form = LambdaForm::kRs, .l1 = 0.021 / 3, .l2 = -0.0003603 * 3, .l3 = -4.072e-06, .l4 = -0.001076};
}

void paper_tables() {
  const Distribution exponential = need(Distribution::exponential(1));
  const Distribution table = need(Distribution::of_lambda(table_exponential()));
  const Distribution normal = need(Distribution::normal(0, 1));
  const auto named = [](const char* what, double value) {
    return std::string(what) + std::to_string(value).substr(0, 6);
  };
  paper_header("Fig. 1, left: the first of N, exp(1); lambdas found by us, percent off");
  for (const std::uint64_t n : {2ULL, 10ULL, 100ULL, 1000ULL, 10000ULL})
    paper_rows(std::to_string(n).c_str(), extreme(false, n, exponential), extreme(false, n, exponential));
  paper_header("Fig. 1, left: the same with the lambdas of the published table");
  for (const std::uint64_t n : {2ULL, 10ULL, 100ULL, 1000ULL, 10000ULL})
    paper_rows(std::to_string(n).c_str(), extreme(false, n, table), extreme(false, n, exponential));
  paper_header("Fig. 1, right: the first of two, exp(1) and one of mean 1/theta; the published table's lambdas");
  for (const double theta : {0.1, 0.5, 1.0, 2.0, 5.0, 10.0}) {
    GeneralizedLambda second = table_exponential();
    second.l1 /= theta;
    second.l2 *= theta;
    paper_rows(named("theta = ", theta).c_str(),
               need(Distribution::first_of({table, need(Distribution::of_lambda(second))})),
               need(Distribution::first_of({exponential, need(Distribution::exponential(1 / theta))})));
  }
  paper_header("Fig. 2: the first of N, normal(0, 1)");
  for (const std::uint64_t n : {2ULL, 10ULL, 100ULL, 1000ULL, 10000ULL})
    paper_rows(std::to_string(n).c_str(), extreme(false, n, normal), extreme(false, n, normal));
  paper_header("Fig. 3: the first of two, normal(1, 1) and normal(1, sigma) or normal(mu, 1)");
  const Distribution first = need(Distribution::normal(1, 1));
  const auto pair_row = [&](const std::string& name, double mu, double sigma) {
    const Distribution both = need(Distribution::first_of({first, need(Distribution::normal(mu, sigma))}));
    paper_rows(name.c_str(), both, both);
  };
  for (const double sigma : {0.1, 0.5, 2.0, 5.0, 10.0}) pair_row(named("sigma = ", sigma), 1, sigma);
  for (const double mu : {0.0, 2.0, 3.0, 5.0, 10.0}) pair_row(named("mu = ", mu), mu, 1);

  // The shapes of Fig. 4: mass at a hard bound, and two with several modes. 6,000 samples of each.
  const std::vector<Case> sites{
      {"cl: 0.05 + gamma(0.7, 0.4)",
       need(Distribution::sequence({need(Distribution::constant(0.05)), need(Distribution::gamma(0.7, 0.4))}))},
      {"com: two modes", normals({{0.65, 0.4, 0.05}, {0.35, 1.2, 0.15}})},
      {"nl: two modes", normals({{0.4, 0.5, 0.08}, {0.6, 0.9, 0.1}})}};
  std::vector<Distribution> measured;
  for (const Case& site : sites)
    measured.push_back(need(Distribution::of_samples(drawn(site.truth, 6000, 77 + measured.size()))));
  std::printf(
      "\nFig. 4 and 5: the first of N of 6,000 samples of shapes like these, percent off: the paper's way, and ours\n\n"
      "| | N | gld E[Y] | E[Y^2] | E[Y^3] | E[Y^4] | auto E[Y] | E[Y^2] | E[Y^3] | E[Y^4] |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  const auto both_ways = [](const std::string& name, const Distribution& ours, const Distribution& truth) {
    std::printf("| %s |", name.c_str());
    const Composition exact = composed(truth, ComposeMethod::kAuto);
    const Composition lambda = composed(ours, ComposeMethod::kLambda);
    print_off(lambda, exact);
    print_off(composed(ours, ComposeMethod::kAuto), exact);
    std::printf("%s\n", lambda.no_such_distribution ? " no lambda distribution" : "");
  };
  for (std::size_t i = 0; i < sites.size(); ++i)
    for (const std::uint64_t n : {2ULL, 8ULL, 32ULL, 128ULL})
      both_ways(std::string(sites[i].name) + " | " + std::to_string(n), extreme(false, n, measured[i]),
                extreme(false, n, sites[i].truth));
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 2}, {2, 0}})
    both_ways(std::string(sites[a].name) + " | and " + sites[b].name,
              need(Distribution::first_of({measured[a], measured[b]})),
              need(Distribution::first_of({sites[a].truth, sites[b].truth})));
}

double median_ms(const std::function<void()>& work, int repeats) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return percentile(times, 0.5);
}

// Sequences, branches and first-of in turn, no two parts alike.
Distribution chain(std::size_t nodes, const std::function<Distribution(std::size_t)>& leaf) {
  Distribution all = leaf(0);
  for (std::size_t i = 1; i < nodes; ++i) {
    if (i % 3 == 0)
      all = need(Distribution::sequence({all, leaf(i)}));
    else if (i % 3 == 1)
      all = need(Distribution::branch({{0.5, all}, {0.5, leaf(i)}}));
    else
      all = need(Distribution::first_of({all, leaf(i)}));
  }
  return all;
}

void cost_table() {
  const Distribution samples = need(Distribution::of_samples(drawn(need(Distribution::gamma(2, 1)), 6000, 5)));
  const auto time_of = [](const Distribution& distribution, std::uint32_t resamplings, int repeats) {
    return median_ms([&] { (void)composed(distribution, ComposeMethod::kAuto, resamplings); }, repeats);
  };
  std::printf("| | time |\n|---|---|\n");
  const Distribution gamma = need(Distribution::gamma(2, 1));
  std::vector<double> two;
  std::vector<double> many;
  for (int i = 0; i < 5; ++i) {
    two.push_back(time_of(extreme(false, 2, gamma), 0, 5));
    many.push_back(time_of(extreme(false, 1'000'000'000, gamma), 0, 5));
  }
  std::printf("| or(N, gamma(2, 1)), N = 2 | %.2f ms |\n| N = 1e9 | %.2f ms |\n", percentile(two, 0.5),
              percentile(many, 0.5));
  std::printf("| or(16, 6,000 samples) | %.2f ms |\n", time_of(extreme(false, 16, samples), 0, 9));
  std::printf("| the same with standard errors | %.0f ms |\n", time_of(extreme(false, 16, samples), 200, 5));
  using Family = std::pair<const char*, std::function<Distribution(double)>>;
  const std::vector<Family> families{
      {"normal", [](double i) { return need(Distribution::normal(10, 1 + 0.001 * i)); }},
      {"gamma", [](double i) { return need(Distribution::gamma(1 + 0.001 * i, 1)); }},
      {"beta", [](double i) { return need(Distribution::beta(1 + 0.001 * i, 3)); }},
      {"weibull", [](double i) { return need(Distribution::weibull(1 + 0.001 * i, 1)); }}};
  for (const auto& [name, of] : families) {
    const auto leaf = [&of = of](std::size_t i) { return of(static_cast<double>(i)); };
    std::vector<Distribution> parts;
    for (std::size_t i = 0; i < 10'000; ++i) parts.push_back(leaf(i));
    std::printf("| seq of 10,000 different, %s | %.0f ms |\n", name,
                time_of(need(Distribution::sequence(parts)), 0, 3));
    std::printf("| 10,000 deep: seq, branch, or in turn, all different, %s | %.0f ms |\n", name,
                time_of(chain(10'000, leaf), 0, 3));
    std::fflush(stdout);
  }
  const Distribution deep = chain(10'000, [&](std::size_t) { return samples; });
  std::printf("| 10,000 deep over samples | %.0f ms |\n", time_of(deep, 0, 3));
  std::printf("| the same with standard errors | %.0f ms |\n", time_of(deep, 200, 1));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  std::uint64_t sets = 20;
  std::uint32_t resamplings = 200;
  for (int i = 2; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--sets") sets = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::string_view(argv[i]) == "--resamplings")
      resamplings = static_cast<std::uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
  }
  if (what == "samples" && sets > 0)
    samples_table(sets, resamplings);
  else if (what == "paper")
    paper_tables();
  else if (what == "cost")
    cost_table();
  else
    return std::fprintf(stderr, "usage: distribution_accuracy samples [--sets N] [--resamplings N] | paper | cost\n"),
           2;
  return 0;
}
