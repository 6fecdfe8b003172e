// SPDX-License-Identifier: Apache-2.0
// A StarPU program whose tasks sleep, so that its workers need no cores of their own, and whose times change on
// purpose:
//
//   bin/starpu_tasks changes MODEL    a kernel becomes twice as slow on the workers that it ran on
//   bin/starpu_tasks spoilt MODEL     the first 12 tasks of a kernel on its best worker take 370 times as long
//   bin/starpu_tasks empty MODEL      tasks that do nothing
//
// MODEL: what the codelets bring for StarPU's scheduler: "true" times, its own "history", or "none". starpu_scheduling
// runs it.
#include <starpu.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr double kUnitUs = 4000;
constexpr int kWarmUp = 1000;  // samples before the change
constexpr int kToLearn = 50;   // after it, not timed
constexpr int kBatch = 48;     // tasks that are submitted at once
constexpr int kBatches = 20;
constexpr int kSpoilt = 12;
constexpr double kSpoiltFactor = 370;
constexpr int kEmpty = 20000;

std::atomic<bool> has_changed{false};
std::atomic<int> spoilt_left{0};
std::vector<std::atomic<int>> runs(STARPU_NMAXWORKERS);  // of the spoilt kernel, by worker

void sleep_us(double us) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(us / 1e6);
  time.tv_nsec = static_cast<long>((us - 1e6 * static_cast<double>(time.tv_sec)) * 1e3);
  ::nanosleep(&time, nullptr);
}

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Workers 0 and 1 are the first kernel's own, 2 and 3 the second's: on the others each takes 1.5 times as long. Then
// the first becomes twice as slow on its own.
double first_us(int worker) { return worker < 2 ? kUnitUs * (has_changed ? 2 : 1) : 1.5 * kUnitUs; }
double second_us(int worker) { return worker < 2 ? 1.5 * kUnitUs : kUnitUs; }
// Worker 1 is four times as fast.
double spoilt_us(int worker) { return worker == 1 ? kUnitUs / 8 : kUnitUs / 2; }

template <double (*us)(int worker)>
double true_us(starpu_task* /*task*/, starpu_perfmodel_arch* arch, unsigned /*implementation*/) {
  return us(arch->devices[0].devid);
}

void run_first(void** /*buffers*/, void* /*argument*/) { sleep_us(first_us(starpu_worker_get_id())); }
void run_second(void** /*buffers*/, void* /*argument*/) { sleep_us(second_us(starpu_worker_get_id())); }
void run_spoilt(void** /*buffers*/, void* /*argument*/) {
  const int worker = starpu_worker_get_id();
  const bool is_spoilt = worker == 1 && spoilt_left.fetch_sub(1) > 0;
  ++runs[static_cast<std::size_t>(worker)];
  sleep_us(spoilt_us(worker) * (is_spoilt ? kSpoiltFactor : 1));
}
void run_empty(void** /*buffers*/, void* /*argument*/) {}

double empty_us(int /*worker*/) { return 0.1; }

struct Kernel {
  starpu_perfmodel model{};
  starpu_codelet codelet{};
};

template <double (*us)(int worker)>
void define(Kernel& kernel, const char* name, void (*body)(void**, void*), const std::string& model) {
  starpu_codelet_init(&kernel.codelet);
  kernel.codelet.cpu_funcs[0] = body;
  kernel.codelet.name = name;
  kernel.codelet.nbuffers = 1;
  kernel.codelet.modes[0] = STARPU_R;
  if (model == "none") return;
  kernel.codelet.model = &kernel.model;
  kernel.model.symbol = name;
  kernel.model.type = model == "true" ? STARPU_PER_ARCH : STARPU_HISTORY_BASED;
  if (model == "true") kernel.model.arch_cost_function = true_us<us>;
}

starpu_data_handle_t data;

void submit(Kernel& kernel, int worker = -1) {
  starpu_task* const task = starpu_task_create();
  task->cl = &kernel.codelet;
  task->handles[0] = data;
  task->execute_on_a_specific_worker = worker >= 0 ? 1 : 0;
  task->workerid = worker >= 0 ? static_cast<unsigned>(worker) : 0;
  if (starpu_task_submit(task) != 0) std::exit(1);
}

void wait() {
  if (starpu_task_wait_for_all() != 0) std::exit(1);
}

void run_changes(const std::string& model) {
  static Kernel first;
  static Kernel second;
  define<first_us>(first, "changes_first", run_first, model);
  define<second_us>(second, "changes_second", run_second, model);
  const auto run = [&](int tasks) {
    for (int done = 0; done < tasks; done += kBatch) {
      for (int i = 0; i < kBatch; ++i) submit(i % 2 == 0 ? first : second);
      wait();
    }
  };
  run(2 * kWarmUp);
  has_changed = true;
  run(2 * kToLearn);
  const double begin = now_us();
  run(kBatches * kBatch);
  std::printf("seconds %.6f\n", (now_us() - begin) / 1e6);
}

void run_spoilt_first(const std::string& model) {
  static Kernel kernel;
  define<spoilt_us>(kernel, "spoilt", run_spoilt, model);
  for (int i = 0; i < kSpoilt; ++i) submit(kernel, 0);
  wait();
  spoilt_left = kSpoilt;
  for (int i = 0; i < kSpoilt; ++i) submit(kernel, 1);
  wait();
  // How many tasks until the worker has had one again, and how many of the tasks after 50 it has.
  const int before = runs[1];
  int until_used = -1;
  constexpr int kTasks = 250;
  constexpr int kFrom = 50;
  int at_from = 0;
  double begin = 0;
  for (int done = 0; done < kTasks; done += 5) {
    if (done == kFrom) {
      at_from = runs[1];
      begin = now_us();
    }
    for (int i = 0; i < 5; ++i) submit(kernel);
    wait();
    if (until_used < 0 && runs[1] != before) until_used = done + 5;
  }
  std::printf("until %d\nshare %.3f\nseconds %.6f\n", until_used,
              static_cast<double>(runs[1] - at_from) / (kTasks - kFrom), (now_us() - begin) / 1e6);
}

void run_empty_tasks(const std::string& model) {
  static Kernel kernel;
  define<empty_us>(kernel, "empty", run_empty, model);
  for (int i = 0; i < 100; ++i) submit(kernel);
  wait();
  const double begin = now_us();
  for (int i = 0; i < kEmpty; ++i) submit(kernel);
  wait();
  std::printf("us %.4f\n", (now_us() - begin) / kEmpty);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const std::string model = argc > 2 ? argv[2] : "history";
  if (starpu_init(nullptr) != 0) return 1;
  static double number = 0;
  starpu_variable_data_register(&data, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&number), sizeof number);
  if (how == "changes") run_changes(model);
  if (how == "spoilt") run_spoilt_first(model);
  if (how == "empty") run_empty_tasks(model);
  starpu_data_unregister(data);
  starpu_shutdown();
  return 0;
}
