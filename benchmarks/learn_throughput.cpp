// SPDX-License-Identifier: Apache-2.0
// What handing over a sample costs the program's thread, beside StarPU's update of its models, and how many samples a
// second the learner takes when a thread feeds it as fast as it can. How often its thread wakes up where there is
// little to learn, and how long the start takes.
//
//   bin/learn_throughput [--rounds 15] [--seconds 0.5]     seconds: of each flat-out feed
//
// The cost is of bursts into a queue with room, each into an empty one; "while it learns" leaves the learner so much
// time between short bursts that it works all along but is never behind. Flat out, what the learner has no room for is
// dropped: the thread that feeds is not held up.
#include <array>
#include <exception>
#include <memory>

#include "learning_session.hpp"

namespace {

using namespace foretask::benchmarks;

constexpr double kNoise = 0.03;

struct Sample {
  foretask_kernel* kernel;
  StarpuParameters parameters;
  double duration_ns;
};

// So many samples of so many kernels and tuples each, at random; no two alike where `tuples` is 0.
std::vector<Sample> make_samples(const std::string& name, std::size_t kernels, std::size_t tuples) {
  constexpr std::size_t kSamples = 1 << 17;
  Random random(7);
  std::vector<foretask_kernel*> handles;
  for (std::size_t i = 0; i < kernels; ++i)
    handles.push_back(LearningSession::define(name + std::to_string(i), kLawTerms));
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < kSamples; ++i) {
    Random place(tuples > 0 ? random.bits() % tuples : i + 1000);
    const StarpuParameters p = {std::floor(place.between(16, 300)), std::floor(place.between(16, 300)),
                                tuples > 0 ? std::floor(place.between(16, 400)) : place.between(16, 400)};
    samples.push_back({handles[random.bits() % kernels], p, starpu_law_ns(p) * random.noise(kNoise)});
  }
  return samples;
}

void hand_over(const Sample& sample) {
  foretask_learn(sample.kernel, sample.parameters.data(), sample.parameters.size(), sample.duration_ns);
}

void time_a_scope(const Sample& sample) {
  foretask_scope scope;
  foretask_scope_begin(&scope, sample.kernel, sample.parameters.data(), sample.parameters.size());
  foretask_scope_end(&scope);
}

void print_cost(const char* what, const std::vector<double>& ns) {
  std::printf("%-44s %8.1f %8.1f %8.1f\n", what, median(ns), mean(ns), quantile(ns, 0.99));
}

// ns a call.
template <typename Call>
double time_burst(int calls, Call call) {
  const double begin = now_ns();
  for (int i = 0; i < calls; ++i) call(i);
  return (now_ns() - begin) / calls;
}

struct Costs {
  std::vector<double> learn_off, scope_off, learn, scope, learn_busy, stamp, history, regression;
};

void measure_off(Costs& costs, const std::vector<Sample>& samples, int rounds) {
  for (int round = 0; round < 20 * rounds; ++round) {
    costs.learn_off.push_back(time_burst(1024, [&](int i) { hand_over(samples[static_cast<std::size_t>(i)]); }));
    costs.scope_off.push_back(time_burst(1024, [&](int i) { time_a_scope(samples[static_cast<std::size_t>(i)]); }));
  }
}

void measure_costs(Costs& costs, const std::vector<Sample>& samples, StarpuReference* starpu, int rounds) {
  constexpr int kBurst = 1024;
  constexpr int kShortBurst = 32;
  constexpr double kPauseNs = 20'000;
  const auto dropped_before = LearningSession::statistics().dropped;
  std::unique_ptr<StarpuTask> history = starpu ? starpu->task(StarpuModel::kHistory, {64, 64, 64}) : nullptr;
  std::unique_ptr<StarpuTask> regression = starpu ? starpu->task(StarpuModel::kRegression, {64, 64, 64}) : nullptr;
  std::size_t next = 0;
  const auto sample = [&]() -> const Sample& { return samples[next++ % samples.size()]; };
  for (int round = 0; round < 20 * rounds; ++round) {
    LearningSession::flush();
    costs.learn.push_back(time_burst(kBurst, [&](int) { hand_over(sample()); }));
    LearningSession::flush();
    costs.scope.push_back(time_burst(kBurst, [&](int) { time_a_scope(sample()); }));
    LearningSession::flush();
    for (int burst = 0; burst < 40; ++burst) {
      // The first ones wake the learner.
      const double ns = time_burst(kShortBurst, [&](int) { hand_over(sample()); });
      if (burst >= 20) costs.learn_busy.push_back(ns);
      pause_ns(kPauseNs);
    }
    costs.stamp.push_back(time_burst(kBurst, [](int) { now_ns(); }));
    if (!starpu) continue;
    costs.history.push_back(time_burst(kBurst, [&](int) { history->update(sample().duration_ns); }));
    costs.regression.push_back(time_burst(kBurst, [&](int) { regression->update(sample().duration_ns); }));
  }
  LearningSession::flush();
  if (LearningSession::statistics().dropped != dropped_before) throw std::runtime_error("samples were dropped");
}

void print_costs(const Costs& costs, bool has_starpu) {
  std::printf("%-44s %8s %8s %8s\n", "ns a call", "median", "mean", "p99");
  print_cost("foretask_learn, off", costs.learn_off);
  print_cost("scope, off", costs.scope_off);
  print_cost("foretask_learn", costs.learn);
  print_cost("foretask_learn while it learns", costs.learn_busy);
  print_cost("scope: two time stamps and foretask_learn", costs.scope);
  print_cost("std::chrono::steady_clock::now", costs.stamp);
  if (!has_starpu) return;
  print_cost("StarPU update, history", costs.history);
  print_cost("StarPU update, regression (kept, not fitted)", costs.regression);
  std::printf("foretask_learn / StarPU's update: %.2f (history), %.2f (regression)\n",
              median(costs.learn) / median(costs.history), median(costs.learn) / median(costs.regression));
}

std::filesystem::path learner_folder() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    if (read_whole(task.path() / "comm") == "foretask-learn\n") return task.path();
  throw std::runtime_error("no thread learns");
}

// ns for which the learner's thread has been on a processor: of use where it has to share it.
double learner_ns() { return std::stod(read_whole(learner_folder() / "schedstat")); }

// How often it has gone to sleep.
double learner_sleeps() {
  const std::string kName = "\nvoluntary_ctxt_switches:";
  const std::string status = read_whole(learner_folder() / "status");
  return std::stod(status.substr(status.find(kName) + kName.size()));
}

// A sample each ms for a second, then none for a second.
void measure_rest(const std::vector<Sample>& samples) {
  for (int i = 0; i < 200; ++i) hand_over(samples[static_cast<std::size_t>(i)]);
  LearningSession::flush();
  std::printf("\n%-28s %16s %9s\n", "the learner for a second", "sleeps", "it ran %");
  for (const bool is_fed : {true, false}) {
    const double busy_before = learner_ns();
    const double sleeps_before = learner_sleeps();
    const double begin = now_ns();
    for (int i = 0; i < 1000; ++i) {
      std::this_thread::sleep_until(std::chrono::steady_clock::time_point(
          std::chrono::nanoseconds(static_cast<std::int64_t>(begin + (i + 1) * 1e6))));
      if (is_fed) hand_over(samples[static_cast<std::size_t>(i)]);
    }
    const double elapsed_ns = now_ns() - begin;
    std::printf("%-28s %16.0f %9.2f\n", is_fed ? "a sample each ms" : "no samples", learner_sleeps() - sleeps_before,
                100 * (learner_ns() - busy_before) / elapsed_ns);
  }
}

// Feeds for so long; then waits until all that was taken is learned.
void measure_throughput(const char* what, const std::vector<Sample>& samples, double seconds) {
  LearningSession::flush();
  const foretask_learning_stats before = LearningSession::statistics();
  const double busy_before = learner_ns();
  const double begin = now_ns();
  std::size_t fed = 0;
  while (now_ns() < begin + seconds * 1e9)
    for (int i = 0; i < 256; ++i) hand_over(samples[fed++ % samples.size()]);
  const double fed_ns = now_ns() - begin;
  LearningSession::flush();
  const double learned_ns = now_ns() - begin;
  const foretask_learning_stats after = LearningSession::statistics();
  const auto learned = static_cast<double>(after.learned - before.learned);
  const double busy_ns = learner_ns() - busy_before;
  std::printf("%-28s %9.2f %12.2f %10.1f %16.1f %13.0f %9.0f\n", what, static_cast<double>(fed) / fed_ns * 1e3,
              learned / learned_ns * 1e3, 100 * static_cast<double>(after.dropped - before.dropped) / fed,
              fed_ns / static_cast<double>(fed), busy_ns / learned, 100 * busy_ns / learned_ns);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int rounds = std::stoi(option(argc, argv, "rounds", "15"));
    const double seconds = std::stod(option(argc, argv, "seconds", "0.5"));
    const LearningSession session;
    Costs costs;
    // Nothing learns yet; a kernel is one all the same.
    const std::vector<Sample> all_different = make_samples("different", 1, 0);
    measure_off(costs, all_different, rounds);
    const double begin = now_ns();
    LearningSession::start();
    const double started_ns = now_ns() - begin;
    const auto starpu = StarpuReference::start();
    std::printf("%u processors, %s\n", std::thread::hardware_concurrency(), StarpuReference::version().c_str());
    measure_costs(costs, make_samples("cost", 1, 64), starpu.get(), rounds);
    print_costs(costs, starpu != nullptr);
    std::printf("foretask_learning_start: %.1f ms\n", started_ns / 1e6);
    measure_rest(make_samples("rest", 1, 64));

    std::printf("\n%-28s %9s %12s %10s %16s %13s %9s\n", "one thread feeds flat out", "M fed/s", "M learned/s",
                "dropped %", "feeder, ns each", "learner's ns", "it ran %");
    const std::vector<Sample> one = make_samples("one", 1, 1);
    const std::vector<Sample> some = make_samples("some", 1, 64);
    const std::vector<Sample> many = make_samples("many", 100, 64);
    const std::vector<Sample> many_different = make_samples("many different", 100, 0);
    for (int repetition = 0; repetition < 3; ++repetition) {
      measure_throughput("1 kernel, 1 tuple", one, seconds);
      measure_throughput("1 kernel, 64 tuples", some, seconds);
      measure_throughput("1 kernel, all different", all_different, seconds);
      measure_throughput("100 kernels, 64 tuples", many, seconds);
      measure_throughput("100 kernels, all different", many_different, seconds);
    }
    std::printf("asked for: foretask_learn at most 25 ns, at least 2 M samples learned a second\n");
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "learn_throughput: %s\n", problem.what());
    return 1;
  }
}
