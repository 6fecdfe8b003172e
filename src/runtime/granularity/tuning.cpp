// SPDX-License-Identifier: Apache-2.0
// Begin and end of a process that is tuned: what earlier runs have found, what this one has, and what is said of it.
// Cold.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "base/fingerprint.hpp"
#include "base/messages.hpp"
#include "base/number_text.hpp"
#include "base/own_process.hpp"
#include "base/run_aside.hpp"
#include "base/store_home.hpp"
#include "runtime/granularity/tuned_tasks.hpp"
#include "runtime/learning/code_kernels.hpp"

namespace foretask::runtime {
namespace {

// What was decided in this process. At its end.
struct Decisions {
  std::uint64_t tasks = 0;
  std::uint64_t called = 0;  // run at once
  std::uint32_t kinds = 0;   // places in the code
  std::uint32_t kept = 0;    // of them those whose tasks all went to the runtime, as one was seen to block
  double making_ns = 0;      // what making one took, at the latest
  double seconds = 0;
  TunedRegions regions;

  // Making them alone: what follows from it, on whatever thread, is not known of tasks that were not made.
  [[nodiscard]] double saved_seconds() const { return 1e-9 * static_cast<double>(called) * making_ns; }
};

std::optional<model::TunedStore> store;
model::TunedProgram earlier;  // what was found by earlier runs
std::string json_path;
bool announces = false;
base::ClockPair started;
pid_t process = 0;  // whose end it is that says: a forked child has copies of what its parent has counted

Decisions decisions() {
  Decisions all;
  all.tasks = trial.left_alone.load();
  for (const SubtreeThread* one = all_threads.load(std::memory_order_acquire); one; one = one->next_of_all) {
    // Others may go on: what was made is counted before it is seen.
    const std::uint64_t made = one->tasks_made.load();
    const std::uint64_t seen = std::max(one->tasks_seen.load(), made);
    all.tasks += seen;
    all.called += seen - made + one->tasks_called_dry.load();
  }
  for (const foretask_kernel* kernel : KernelRegistry::instance().all()) {
    const TunedCode* const code = kernel->tuned.load();
    all.kinds += code ? 1 : 0;
    all.kept += code && code->stays_deferred.load() ? 1 : 0;
  }
  all.regions = count_tuned_regions();
  const base::ClockPair now = base::read_clock_pair();
  all.making_ns = 1e9 * static_cast<double>(making_cost.load()) / base::ticks_per_second(started, now);
  all.seconds = 1e-9 * static_cast<double>(now.monotonic_ns - started.monotonic_ns);
  return all;
}

void say(const Decisions& all) {
  using base::text_of;
  if (all.regions.with_loops != 0)
    base::say(
        text_of("tune: of %u regions and taskloops that leave it to the runtime how they are divided, %u are "
                "divided otherwise by now, which took less",
                all.regions.with_loops, all.regions.changed));
  if (all.tasks == 0) {
    if (all.regions.with_loops != 0) return;
    return base::say("tune: no task was decided on: the program made none, or made them where it is not seen");
  }
  base::say(text_of(
      "tune: %s %llu of some %llu tasks at once, of %u places in the code%s", is_dry ? "would have run" : "ran",
      static_cast<unsigned long long>(all.called), static_cast<unsigned long long>(all.tasks), all.kinds,
      all.kept == 0 ? "" : ("; tasks of " + std::to_string(all.kept) + " of them block, and were left alone").c_str()));
  base::say(
      text_of("tune: to hand one to the runtime took %.2f us at the end: %s some %.3f s of the threads' time, and "
              "the queueing and waiting, which is not measured",
              1e-3 * all.making_ns, is_dry ? "that would have saved" : "that saved", all.saved_seconds()));
  if (const std::uint64_t ordered = tasks_ordered.load(); ordered != 0)
    base::say(text_of("tune: %llu tasks with dependences %s an order, by what came after the same ones before",
                      static_cast<unsigned long long>(ordered), is_dry ? "would have been given" : "were given"));
  if (trial.trials.load() == 0)
    return base::say("tune: that it pays was not put on trial: threads were not short of tasks for long");
  const std::uint32_t given_up = trial.given_up.load();
  base::say(text_of("tune: threads were short of tasks, so it was tried whether that pays: in %u of %u trials it %s",
                    given_up == 0 ? trial.trials.load() : given_up, trial.trials.load(),
                    given_up == 0 ? "did" : "did not, and the runtime had all tasks for a while"));
}

void write_json(const Decisions& all) {
  std::array<char, 1024> text;
  std::snprintf(text.data(), text.size(),
                "{\n  \"tasks\": %llu,\n  \"run_at_once\": %llu,\n  \"dry_run\": %s,\n  \"kinds\": %u,\n"
                "  \"kinds_left_alone\": %u,\n  \"making_ns\": %.1f,\n  \"saved_s\": %.6f,\n  \"trials\": %u,\n"
                "  \"trials_given_up\": %u,\n  \"tasks_ordered\": %llu,\n  \"regions\": %u,\n"
                "  \"regions_changed\": %u,\n  \"seconds\": %.6f\n}\n",
                static_cast<unsigned long long>(all.tasks), static_cast<unsigned long long>(all.called),
                is_dry ? "true" : "false", all.kinds, all.kept, all.making_ns, all.saved_seconds(), trial.trials.load(),
                trial.given_up.load(), static_cast<unsigned long long>(tasks_ordered.load()), all.regions.with_loops,
                all.regions.changed, all.seconds);
  if (const auto written = base::write_file_atomically(json_path, text.data()); !written)
    base::warn(written.error().message());
}

// What the next run begins with.
void keep() {
  model::TunedProgram found;
  found.gives_up = trial.gave_up();
  keep_tuned_regions(found);
  for (foretask_kernel* const kernel : KernelRegistry::instance().all()) {
    const TunedCode* const code = code_of(kernel);
    const WorkTable* const works = kernel->works.load();
    if (!code || !__atomic_load_n(&code->may_call, __ATOMIC_RELAXED) || !works) continue;
    model::TunedPlace place{
        .name = kernel->name, .version = version_of(*kernel), .took = code->own.load(), .cells = {}};
    for (std::size_t cell = 0; cell < SizeCells::kCells; ++cell)
      if (const std::uint64_t content = works->cell(cell); content != 0) place.cells.emplace_back(cell, content);
    found.places.push_back(std::move(place));
  }
  for (SubtreeThread* one = all_threads.load(); one; one = one->next_of_all) {
    const SubtreeNode* const root = one->root.load();
    const std::unique_lock lock = root ? lock_batch(*root) : std::unique_lock<TaskBatch>();
    if (lock && root->open.load() == 1) learn_order(*lock.mutex());
  }
  if (const LearnedOrder* const order = order_table.load()) found.order = order->entries();
  if (const auto kept = store->save(std::move(found)); !kept) base::warn(kept.error().message());
}

bool start_tuning() {
  if (!base::read_mode().mode.tunes) return false;
  const base::Environment environment = base::read_environment();
  is_dry = environment.tunes_dry;
  announces = environment.announces && environment.is_launched;
  if (environment.is_launched) json_path = environment.tune_json;
  static_cast<void>(base::run_aside([] {
    try {
      const std::string home = base::store_home();
      if (home.empty()) return;
      earlier = store.emplace(home, base::program_name(), base::warn).load();
      LearnedOrder* const order = earlier.order.empty() ? nullptr : made_table(order_table);
      for (const std::uint64_t entry : earlier.order)
        if (order) order->set(entry);
      if (earlier.gives_up && !is_dry) trial.give_up_first();
    } catch (const std::exception& problem) {
      base::warn(std::string("what earlier runs found is not known: ") + problem.what());
    }
  }));
  start_tuning_regions(environment, earlier);
  process = ::getpid();
  started = base::read_clock_pair();
  return true;
}

__attribute__((destructor)) void end_tuning() {
  if (started.ticks == 0 || !base::is_own_process() || ::getpid() != process) return;
  static_cast<void>(base::run_aside([] {
    try {
      const Decisions all = decisions();
      const bool is_known = all.tasks != 0 || all.regions.with_loops != 0;
      if (store && !is_dry && is_known && !base::has_new_root()) keep();
      if (announces) say(all);
      if (!json_path.empty()) write_json(all);
    } catch (const std::exception&) {
    }
  }));
}

}  // namespace

void recall(TunedCode& code, foretask_kernel& kernel) {
  const std::string version = version_of(kernel);
  code.identity.store(base::fingerprint_number(kernel.name + version));
  WorkTable* const works = works_of(&kernel);
  for (const model::TunedPlace& place : earlier.places) {
    if (place.name != kernel.name || place.version != version || !works) continue;
    for (const auto& [cell, content] : place.cells)
      if (cell < SizeCells::kCells) works->recall(cell, content);
    code.own.store(place.took, std::memory_order_relaxed);
    code.seen.store(kFirstTasks, std::memory_order_relaxed);
    __atomic_store_n(&code.may_call, 1, __ATOMIC_RELAXED);
  }
}

}  // namespace foretask::runtime

extern "C" {

int foretask_hook_tunes(void) {
  static const bool tunes = foretask::runtime::start_tuning();
  return tunes ? 1 : 0;
}

}  // extern "C"
