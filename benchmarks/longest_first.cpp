// SPDX-License-Identifier: Apache-2.0
// Longest predicted first against longest first by true times, on real threads: two that compute, each bound to a
// processor, and 64 that sleep.
//
//   bin/longest_first [--jobs 25] [--seeds 7] [--tries 3] [--mean-us 4000] [--terms 'rows*columns']
//
// A job's time is lognormal. Its logarithm has the standard deviation `sigma`; of it `noise` is chance, and the rest
// follows from two parameters that foretask is told (it is their product, which is told only by --terms). `jobs` for
// each worker are learned from, run as they come; as many others are then predicted before any of them runs, and run in
// four orders: as they come, by predictions, by what is expected without the noise (no prediction can know more), and
// by true times, noise and all. Of an order the least of `tries` runs in turn counts. Beside what was measured stands
// what the same order takes by arithmetic, where a job takes its true time and nothing else takes any: that is free of
// what else the machine does.
#include <sched.h>
#include <sys/prctl.h>

#include <array>
#include <barrier>
#include <exception>
#include <set>

#include "learning_session.hpp"

namespace {

using namespace foretask::benchmarks;

struct Job {
  double parameters[2];
  double expected_ns;
  double true_ns;
  double predicted_ns = 0;
};

struct Question {
  int workers;
  bool sleeps;
  double sigma;
  double noise;
};

// Of a step of spin().
double step_ns = 0;

std::uint64_t spin(double duration_ns) {
  std::uint64_t x = 1;
  for (auto steps = static_cast<std::int64_t>(duration_ns / step_ns); steps > 0; --steps)
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  return x;
}

// The least of many, undisturbed.
void calibrate() {
  constexpr double kSteps = 100'000;
  step_ns = 1;
  double least_ns = INFINITY;
  for (int i = 0; i < 100; ++i) {
    const double begin_ns = now_ns();
    volatile std::uint64_t result = spin(kSteps);
    static_cast<void>(result);
    least_ns = std::min(least_ns, now_ns() - begin_ns);
  }
  step_ns = least_ns / kSteps;
}

std::vector<Job> draw_jobs(Random& random, const Question& question, std::size_t count, double mean_ns) {
  const double spread = std::sqrt(question.sigma * question.sigma - question.noise * question.noise);
  constexpr double kMedian = 300;  // of a parameter
  const double unit_ns = mean_ns * std::exp(-0.5 * spread * spread) / (kMedian * kMedian);
  std::vector<Job> jobs(count);
  for (Job& job : jobs) {
    for (double& parameter : job.parameters)
      parameter = std::ceil(kMedian * std::exp(spread / std::numbers::sqrt2 * random.normal()));
    job.expected_ns = unit_ns * job.parameters[0] * job.parameters[1];
    job.true_ns = job.expected_ns * random.noise(question.noise);
  }
  return jobs;
}

void run(const Job& job, foretask_kernel* kernel, bool sleeps) {
  foretask_scope scope;
  foretask_scope_begin(&scope, kernel, job.parameters, std::size(job.parameters));
  if (sleeps) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::llround(job.true_ns)));
  } else {
    volatile std::uint64_t result = spin(job.true_ns);
    static_cast<void>(result);
  }
  foretask_scope_end(&scope);
}

// To the number-th processor that this process may use.
void bind_to_processor(int number) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed) || number-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

template <typename Length>
std::vector<const Job*> sorted_by(Length length, const std::vector<Job>& jobs) {
  std::vector<const Job*> order;
  for (const Job& job : jobs) order.push_back(&job);
  std::stable_sort(order.begin(), order.end(), [&](const Job* a, const Job* b) { return length(*a) > length(*b); });
  return order;
}

// Time to the end of the last job. A worker that is idle takes the next one of `jobs` in the order of falling `length`.
template <typename Length>
double run_all(const std::vector<Job>& jobs, foretask_kernel* kernel, const Question& question, Length length) {
  const std::vector<const Job*> order = sorted_by(length, jobs);
  std::atomic<std::size_t> next = 0;
  std::atomic<double> begin_ns = 0;
  std::barrier ready(question.workers, [&]() noexcept { begin_ns = now_ns(); });
  std::vector<double> ends_ns(static_cast<std::size_t>(question.workers), 0);
  std::vector<std::thread> threads;
  for (int worker = 0; worker < question.workers; ++worker)
    threads.emplace_back([&, worker] {
      if (!question.sleeps) bind_to_processor(worker);
      ready.arrive_and_wait();
      for (std::size_t i; (i = next++) < order.size();) run(*order[i], kernel, question.sleeps);
      ends_ns[static_cast<std::size_t>(worker)] = now_ns();
    });
  for (std::thread& thread : threads) thread.join();
  return *std::max_element(ends_ns.begin(), ends_ns.end()) - begin_ns;
}

// The same by arithmetic: jobs take their true times, and nothing else takes any.
template <typename Length>
double planned_ns(const std::vector<Job>& jobs, const Question& question, Length length) {
  std::multiset<double> idle_ns;
  for (int i = 0; i < question.workers; ++i) idle_ns.insert(0);
  for (const Job* job : sorted_by(length, jobs))
    idle_ns.insert(idle_ns.extract(idle_ns.begin()).value() + job->true_ns);
  return *idle_ns.rbegin();
}

enum Order { kFirstCome, kPredicted, kExpected, kTrue, kOrders };

double length_of(const Job& job, std::size_t order) {
  return std::array<double, kOrders>{0, job.predicted_ns, job.expected_ns, job.true_ns}[order];
}

void predict(std::vector<Job>& jobs, const foretask_kernel* kernel) {
  std::vector<double> parameters;
  for (const Job& job : jobs) parameters.insert(parameters.end(), std::begin(job.parameters), std::end(job.parameters));
  std::vector<foretask_prediction> predictions(jobs.size(), FORETASK_PREDICTION_INIT);
  foretask_predict_many(kernel, parameters.data(), std::size(jobs[0].parameters), jobs.size(), predictions.data());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (predictions[i].status == FORETASK_UNCALIBRATED) throw std::runtime_error("a job is not predicted");
    jobs[i].predicted_ns = predictions[i].value_ns;
  }
}

struct Options {
  std::size_t jobs;
  int seeds;
  int tries;
  double mean_ns;
  std::string terms;
};

// Of each order, to that by true times.
struct Ratios {
  std::array<double, kOrders> measured{};
  std::array<double, kOrders> planned{};
};

Ratios compare(const Question& question, const Options& options, int seed) {
  static int kernels = 0;
  const std::array names{"rows", "columns"};
  const std::string name = "jobs " + std::to_string(++kernels);
  const char* const terms = options.terms.empty() ? nullptr : options.terms.c_str();
  const foretask_kernel_options definition = {
      sizeof(foretask_kernel_options), name.c_str(), names.data(), names.size(), terms, "benchmark"};
  foretask_kernel* const kernel = foretask_kernel_define_with(&definition, nullptr);
  if (!kernel) throw std::runtime_error("kernel '" + name + "' is not defined");
  Random random(static_cast<std::uint64_t>(seed) * 1'000'003);
  const std::size_t count = options.jobs * static_cast<std::size_t>(question.workers);
  run_all(draw_jobs(random, question, count, options.mean_ns), kernel, question, [](const Job&) { return 0; });
  LearningSession::flush();
  std::vector<Job> jobs = draw_jobs(random, question, count, options.mean_ns);
  predict(jobs, kernel);
  Ratios ratios;
  ratios.measured.fill(INFINITY);
  for (int i = 0; i < options.tries * kOrders; ++i) {
    const auto order = static_cast<std::size_t>(i % kOrders);
    const auto length = [order](const Job& job) { return length_of(job, order); };
    ratios.measured[order] = std::min(ratios.measured[order], run_all(jobs, kernel, question, length));
    ratios.planned[order] = planned_ns(jobs, question, length);
  }
  for (auto* times : {&ratios.measured, &ratios.planned}) {
    const double reference = times->at(kTrue);
    for (double& time : *times) time /= reference;
  }
  return ratios;
}

// Returns the medians of the predicted order, measured and by arithmetic.
std::array<double, 2> ask(const Question& question, const Options& options) {
  std::vector<Ratios> seeds;
  for (int seed = 1; seed <= options.seeds; ++seed) seeds.push_back(compare(question, options, seed));
  std::printf("%7d %6.1f %6.1f", question.workers, question.sigma, question.noise);
  std::array<double, 2> predicted{};
  for (const Order order : {kFirstCome, kPredicted, kExpected})
    for (const bool planned : {false, true}) {
      std::vector<double> all;
      for (const Ratios& ratios : seeds) all.push_back((planned ? ratios.planned : ratios.measured)[order]);
      std::printf("  %.3f %.3f", median(all), *std::max_element(all.begin(), all.end()));
      if (order == kPredicted) predicted[planned] = median(all);
    }
  std::puts("");
  std::fflush(stdout);
  return predicted;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options{std::stoul(option(argc, argv, "jobs", "25")), std::stoi(option(argc, argv, "seeds", "7")),
                          std::stoi(option(argc, argv, "tries", "3")),
                          std::stod(option(argc, argv, "mean-us", "4000")) * 1e3, option(argc, argv, "terms", "")};
    const LearningSession session;
    LearningSession::start();
    prctl(PR_SET_TIMERSLACK, 1);  // of this thread and those that it starts: sleeps end on time
    calibrate();
    std::printf(
        "%zu jobs for each worker, %d seeds. Ratios to the order by true times, median and largest:\n"
        "measured and by arithmetic\n",
        options.jobs, options.seeds);
    std::printf("workers  sigma  noise  first come                predicted                 expected\n");
    std::array<double, 2> worst{};
    for (const auto& [workers, sleeps] : {std::pair{2, false}, std::pair{64, true}})
      for (const double sigma : {0.5, 1.0, 1.5})
        for (const double noise : {0.1, 0.3}) {
          const auto [measured, planned] = ask({workers, sleeps, sigma, noise}, options);
          worst = {std::max(worst[0], measured), std::max(worst[1], planned)};
        }
    std::printf("largest median of the predicted order: %.3f measured, %.3f by arithmetic (target: at most 1.02)\n",
                worst[0], worst[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "longest_first: %s\n", error.what());
    return 1;
  }
}
