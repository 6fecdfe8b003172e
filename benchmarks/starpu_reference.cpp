// SPDX-License-Identifier: Apache-2.0
#include "starpu_reference.hpp"

#include <starpu.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "process_runner.hpp"

namespace foretask::benchmarks {
namespace {

constexpr double kNsPerUs = 1000;  // StarPU's times are in microseconds

const StarpuParameters& parameters_of(starpu_task* task) { return *static_cast<StarpuParameters*>(task->cl_arg); }

void copy_parameters(starpu_task* task, double* parameters) {
  std::memcpy(parameters, parameters_of(task).data(), sizeof(StarpuParameters));
}

// What a history is found by. StarPU computes it once a task.
std::uint32_t footprint(starpu_task* task) {
  return starpu_hash_crc32c_be_n(parameters_of(task).data(), sizeof(StarpuParameters), 0);
}

void no_work(void**, void*) {}

// The kernels' models and codelets, which StarPU points into for as long as it runs.
class Kernels {
 public:
  Kernels() {
    history_model_.type = STARPU_HISTORY_BASED;
    history_model_.symbol = "history";
    history_model_.footprint = footprint;
    regression_model_.type = STARPU_MULTIPLE_REGRESSION_BASED;
    regression_model_.symbol = "regression";
    regression_model_.parameters = copy_parameters;
    regression_model_.parameters_names = names_;
    regression_model_.nparameters = 3;
    regression_model_.combinations = combinations_;
    regression_model_.ncombinations = 2;
    prepare(history_, history_model_);
    prepare(regression_, regression_model_);
  }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  starpu_codelet& codelet(StarpuModel model) { return model == StarpuModel::kHistory ? history_ : regression_; }

 private:
  static void prepare(starpu_codelet& codelet, starpu_perfmodel& model) {
    starpu_codelet_init(&codelet);
    codelet.where = STARPU_CPU;
    codelet.cpu_funcs[0] = no_work;
    codelet.model = &model;
  }

  const char* names_[3] = {"m", "n", "k"};
  unsigned product_[3] = {1, 1, 1};  // exponents of m, n and k
  unsigned area_[3] = {1, 1, 0};
  unsigned* combinations_[2] = {product_, area_};
  starpu_perfmodel history_model_{};
  starpu_perfmodel regression_model_{};
  starpu_codelet history_{};
  starpu_codelet regression_{};
};

class Task final : public StarpuTask {
 public:
  Task(starpu_codelet& codelet, const StarpuParameters& parameters)
      : parameters_(parameters), task_(starpu_task_create()), arch_(starpu_worker_get_perf_archtype(0, 0)) {
    task_->cl = &codelet;
    task_->cl_arg = &parameters_;
    task_->destroy = 0;
  }
  ~Task() override { starpu_task_destroy(task_); }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  double expected_ns() override { return starpu_task_expected_length(task_, arch_, 0) * kNsPerUs; }
  void update(double duration_ns) override {
    starpu_perfmodel_update_history(task_->cl->model, task_, arch_, 0, 0, duration_ns / kNsPerUs);
  }

 private:
  StarpuParameters parameters_;
  starpu_task* task_;
  starpu_perfmodel_arch* arch_;
};

class Reference final : public StarpuReference {
 public:
  Reference() {
    setenv("STARPU_SILENT", "1", 0);  // it would say so each time it flushes a history
    setenv("STARPU_HOME", scratch_.path().c_str(), 1);
    setenv("STARPU_WORKERS_NOBIND", "1", 1);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = 1;
    conf.ncuda = 0;
    conf.nopencl = 0;
    started_ = starpu_init(&conf) == 0;
    if (!started_) return;
    starpu_pause();  // its worker sleeps instead of looking for tasks
    set_law();
  }
  ~Reference() override {
    if (!started_) return;
    starpu_resume();
    starpu_shutdown();
  }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  [[nodiscard]] bool started() const { return started_; }
  std::unique_ptr<StarpuTask> task(StarpuModel model, const StarpuParameters& parameters) override {
    return std::make_unique<Task>(kernels_.codelet(model), parameters);
  }

 private:
  // StarPU fits a regression when it shuts down, and only where it was built with --enable-mlr, which Debian's is not.
  // Asking for a prediction is the same whoever computed the coefficients.
  void set_law() {
    task(StarpuModel::kRegression, {64, 64, 64})->update(starpu_law_ns({64, 64, 64}));  // makes room for the model
    starpu_perfmodel_per_arch* model = starpu_perfmodel_get_model_per_arch(
        kernels_.codelet(StarpuModel::kRegression).model, starpu_worker_get_perf_archtype(0, 0), 0);
    starpu_perfmodel_regression_model& regression = model->regression;
    regression.ncoeff = kStarpuLaw.size();
    regression.coeff = static_cast<double*>(std::malloc(sizeof kStarpuLaw));  // StarPU's to free
    for (std::size_t i = 0; i < kStarpuLaw.size(); ++i) regression.coeff[i] = kStarpuLaw[i] / kNsPerUs;
    regression.multi_valid = 1;
  }

  Scratch scratch_;
  Kernels kernels_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<StarpuReference> StarpuReference::start() {
  auto reference = std::make_unique<Reference>();
  if (!reference->started()) {
    std::fprintf(stderr, "StarPU does not start: not measured\n");
    return nullptr;
  }
  const StarpuParameters place = {100, 200, 150};
  const double expected_ns = reference->task(StarpuModel::kRegression, place)->expected_ns();
  if (!(std::abs(expected_ns / starpu_law_ns(place) - 1) < 1e-6)) {
    std::fprintf(stderr, "StarPU's regression says %g ns instead of %g: not measured\n", expected_ns,
                 starpu_law_ns(place));
    return nullptr;
  }
  return reference;
}

std::string StarpuReference::version() {
  int major = 0;
  int minor = 0;
  int release = 0;
  starpu_get_version(&major, &minor, &release);
  return "StarPU " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

}  // namespace foretask::benchmarks
