// SPDX-License-Identifier: Apache-2.0
// What asking for a prediction costs while nobody learns, and while another thread hands over samples of the same
// kernel: foretask_predict and StarPU's starpu_task_expected_length, the linear model (three parameters, three terms)
// and the history of sixteen tuples, interleaved. Mean, median and 99th percentile of batches of calls; ratios are of
// medians.
//
//   bin/predict_latency [--rounds 7] [--seconds 0.15] [--feeders 1]     each figure is of rounds * seconds,
//                                                                      beside so many threads that hand over samples
//
// `pause` is what the other thread waits after each sample; "no" makes it a thread that only spins, which the machine's
// cores have to be shared with as well. With samples flat out foretask's learner is a third thread.
#include <array>
#include <cstdint>
#include <exception>
#include <memory>

#include "learning_session.hpp"

namespace {

using namespace foretask::benchmarks;

constexpr std::size_t kTuples = 16;
constexpr double kSpinOnly = -1;
constexpr std::array<double, 4> kPauses = {kSpinOnly, 0, 1e3, 1e4};

const char* pause_text(double pause) {
  if (pause == kSpinOnly) return "no samples";
  return pause == 0 ? "flat out" : pause == 1e3 ? "pause 1 us" : "pause 10 us";
}

std::array<StarpuParameters, kTuples> make_tuples() {
  std::array<StarpuParameters, kTuples> tuples;
  for (std::size_t i = 0; i < kTuples; ++i)
    tuples[i] = {static_cast<double>(32 + 8 * i), static_cast<double>(256 - 8 * i), static_cast<double>(64 + i * i)};
  return tuples;
}

const std::array<StarpuParameters, kTuples> tuples = make_tuples();

// One model of one library: something to ask, and something that changes what is asked.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual const char* name() const = 0;
  virtual void ask(double seconds, std::vector<double>& ns) = 0;
  // By other threads than ask()'s, each with numbers of its own. StarPU's by one alone.
  virtual void update(Random& random) = 0;
};

// Times that no law of the parameters gives, so that history is the better model; as different as a factor of four.
double any_time(std::size_t tuple) { return 1000 + 3000 * Random(tuple + 1).unit(); }

class ForetaskSubject final : public Subject {
 public:
  explicit ForetaskSubject(foretask_model model)
      : model_(model),
        kernel_(LearningSession::define(model == FORETASK_MODEL_LINEAR ? "linear" : "history", kLawTerms)) {
    Random random(1);
    for (int i = 0; i < 4000; ++i) update(random);
    LearningSession::flush();
    for (const auto& tuple : tuples) {
      foretask_prediction prediction = FORETASK_PREDICTION_INIT;
      foretask_predict(kernel_, tuple.data(), tuple.size(), &prediction);
      if (prediction.model != static_cast<std::uint32_t>(model_))
        throw std::runtime_error(std::string("the model that answers is ") + foretask_model_text(prediction.model));
    }
  }

  const char* name() const override { return model_ == FORETASK_MODEL_LINEAR ? "foretask linear" : "foretask history"; }

  void ask(double seconds, std::vector<double>& ns) override {
    double sum = 0;
    std::uint32_t models = 0;
    time_batches(seconds, ns, [&](int i) {
      foretask_prediction prediction = FORETASK_PREDICTION_INIT;
      const StarpuParameters& tuple = tuples[static_cast<std::size_t>(i) % kTuples];
      foretask_predict(kernel_, tuple.data(), tuple.size(), &prediction);
      sum += prediction.value_ns;
      models |= prediction.model ^ static_cast<std::uint32_t>(model_);
    });
    if (!(sum > 0)) throw std::runtime_error("a prediction is missing");
    if (models != 0) throw std::runtime_error("another model answered");
  }

  void update(Random& random) override {
    if (model_ == FORETASK_MODEL_LINEAR) {
      const StarpuParameters p = {random.between(16, 300), random.between(16, 300), random.between(16, 400)};
      foretask_learn(kernel_, p.data(), p.size(), starpu_law_ns(p) * random.noise(0.03));
    } else {
      const std::size_t i = random.bits() % kTuples;
      foretask_learn(kernel_, tuples[i].data(), tuples[i].size(), any_time(i) * random.noise(0.03));
    }
  }

 private:
  foretask_model model_;
  foretask_kernel* kernel_;
};

class StarpuSubject final : public Subject {
 public:
  StarpuSubject(StarpuReference& starpu, StarpuModel model) : model_(model) {
    for (std::size_t i = 0; i < kTuples; ++i) {
      asked_[i] = starpu.task(model, tuples[i]);
      updated_[i] = starpu.task(model, tuples[i]);
    }
    Random random(2);
    for (int i = 0; i < 4000; ++i) update(random);
  }

  const char* name() const override { return model_ == StarpuModel::kHistory ? "StarPU history" : "StarPU regression"; }

  void ask(double seconds, std::vector<double>& ns) override {
    double sum = 0;
    time_batches(seconds, ns, [&](int i) { sum += asked_[static_cast<std::size_t>(i) % kTuples]->expected_ns(); });
    if (!(sum > 0)) throw std::runtime_error("StarPU says nothing");
  }

  void update(Random& random) override {
    const std::size_t i = random.bits() % kTuples;
    const double time = model_ == StarpuModel::kHistory ? any_time(i) : starpu_law_ns(tuples[i]);
    updated_[i]->update(time * random.noise(0.03));
  }

 private:
  StarpuModel model_;
  std::array<std::unique_ptr<StarpuTask>, kTuples> asked_;
  std::array<std::unique_ptr<StarpuTask>, kTuples> updated_;
};

struct Figures {
  std::vector<double> alone;
  std::array<std::vector<double>, kPauses.size()> updated;
  std::array<double, kPauses.size()> updates_a_second{};
};

void measure(Subject& subject, double seconds, int feeders, Figures& figures) {
  subject.ask(seconds, figures.alone);
  for (std::size_t i = 0; i < kPauses.size(); ++i) {
    const double pause = kPauses[i];
    std::vector<std::unique_ptr<Background>> others;
    for (int feeder = 0; feeder < feeders; ++feeder) {
      others.push_back(std::make_unique<Background>(
          std::max(pause, 0.0), [&subject, pause, random = Random(static_cast<std::uint64_t>(feeder) + 3)]() mutable {
            if (pause != kSpinOnly) subject.update(random);
          }));
    }
    const double begin = now_ns();
    subject.ask(seconds, figures.updated[i]);
    const double took_ns = now_ns() - begin;
    figures.updates_a_second[i] = 0;
    for (const auto& other : others)
      if (pause != kSpinOnly) figures.updates_a_second[i] += other->calls() / took_ns * 1e9;
  }
}

void print_row(const char* name, const char* what, const std::vector<double>& ns, double alone, double reference,
               double updates) {
  std::printf("%-18s %-11s %9.1f %9.1f %10.1f %9.2f", name, what, median(ns), mean(ns), quantile(ns, 0.99),
              median(ns) / alone);
  if (reference > 0)
    std::printf(" %10.3f", median(ns) / reference);
  else
    std::printf(" %10s", "");
  if (updates > 0) std::printf(" %10.3f", updates * 1e-6);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int rounds = std::stoi(option(argc, argv, "rounds", "7"));
    const double seconds = std::stod(option(argc, argv, "seconds", "0.15"));
    const int feeders = std::stoi(option(argc, argv, "feeders", "1"));
    const LearningSession session;
    LearningSession::start();
    const auto starpu = StarpuReference::start();
    std::vector<std::unique_ptr<Subject>> subjects;
    subjects.push_back(std::make_unique<ForetaskSubject>(FORETASK_MODEL_LINEAR));
    subjects.push_back(std::make_unique<ForetaskSubject>(FORETASK_MODEL_HISTORY));
    if (starpu && feeders == 1) {
      subjects.push_back(std::make_unique<StarpuSubject>(*starpu, StarpuModel::kRegression));
      subjects.push_back(std::make_unique<StarpuSubject>(*starpu, StarpuModel::kHistory));
    }
    std::vector<Figures> figures(subjects.size());
    for (int round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < subjects.size(); ++i) measure(*subjects[i], seconds, feeders, figures[i]);

    std::printf("%d rounds of %.2f s, batches of %d calls, %d feeders, %u processors, %s\n", rounds, seconds, kBatch,
                feeders, std::thread::hardware_concurrency(), StarpuReference::version().c_str());
    std::printf("%-18s %-11s %9s %9s %10s %9s %10s %10s\n", "ns a prediction", "other thread", "median", "mean", "p99",
                "x alone", "x StarPU", "M calls/s");
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      const bool is_ours = i < 2;
      const Figures* const reference = is_ours && subjects.size() > 2 ? &figures[i + 2] : nullptr;
      const double alone = median(figures[i].alone);
      print_row(subjects[i]->name(), "none", figures[i].alone, alone, reference ? median(reference->alone) : 0, 0);
      for (std::size_t j = 0; j < kPauses.size(); ++j)
        print_row("", pause_text(kPauses[j]), figures[i].updated[j], alone,
                  reference ? median(reference->updated[j]) : 0, figures[i].updates_a_second[j]);
    }
    std::printf("asked for: linear at most 20 ns alone, at most 1.3 x that while another thread feeds\n");
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "predict_latency: %s\n", problem.what());
    return 1;
  }
}
