// SPDX-License-Identifier: Apache-2.0
#include "runtime/learning/learning.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/held_signals.hpp"
#include "base/messages.hpp"
#include "base/own_process.hpp"
#include "base/run_aside.hpp"
#include "base/store_home.hpp"
#include "predict/online/read_section.hpp"
#include "runtime/learning/code_kernels.hpp"
#include "runtime/learning/code_version.hpp"
#include "runtime/learning/sample_thread.hpp"
#include "runtime/progress/progress.hpp"
#include "runtime/progress/progress_counters.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/topology.hpp"

namespace foretask::runtime {
namespace {

// Long enough for the tick's length to be known to some 1e-5.
constexpr std::int64_t kCalibrationNs = 3'000'000;

// When this library was loaded: a start needs to wait for the tick's length only soon after it.
constinit base::ClockPair at_load{};
__attribute__((constructor)) void read_clock() { at_load = base::read_clock_pair(); }

std::mutex decide_mutex;
bool is_off = false;  // FORETASK=off

__attribute__((destructor)) void end_at_exit() {
  Progress::instance().end();
  if ((activity.load() & kLearning) != 0) Learning::instance().end();
  predict::close_reader_slots();
  close_sample_threads();
  close_progress_threads();
}

}  // namespace

void lock_decision() { decide_mutex.lock(); }
void unlock_decision() { decide_mutex.unlock(); }

std::uint32_t decide_slow() noexcept {
  bool learn = false;
  bool follow = false;
  {
    const base::HeldSignals held;
    const std::lock_guard lock(decide_mutex);
    if ((activity.load() & kUndecided) == 0) return activity.load();
    const base::ModeChoice choice = base::read_mode();
    is_off = choice.is_off;
    if (!choice.warning.empty()) base::warn(choice.warning);
    learn = choice.mode.learns;
    follow = choice.has_progress && !choice.mode.records;
    if (choice.mode.records && (activity.load() & kRecording) == 0) activity.fetch_or(kToBeRecorded);
    activity.fetch_and(~static_cast<std::uint32_t>(kUndecided));
  }
  if (learn) static_cast<void>(Learning::instance().start());
  // A recording reads the environment itself, and with it this.
  if (follow) Progress::instance().start();
  return activity.load();
}

Learning& Learning::instance() {
  static auto* const learning = new Learning;
  return *learning;
}

// What a start needs first. Nothing: it is to go on.
std::optional<foretask_status> Learning::prepare() {
  {
    const std::lock_guard lock(decide_mutex);
    if (is_off) return FORETASK_OFF;
  }
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return FORETASK_OFF;
    if ((activity.load() & kLearning) != 0) return FORETASK_OK;
  }
  static_cast<void>(store());  // takes ms in which the clocks go on
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_prepared_, true)) {
    if (at_load.monotonic_ns == 0) read_clock();
    const std::int64_t rest_ns = kCalibrationNs - (base::monotonic_ns() - at_load.monotonic_ns);
    if (rest_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(rest_ns));
    scale_ = base::TickScale::of(1e9 / base::ticks_per_second(at_load, base::read_clock_pair()));
    learner_.call_each_round(forget_unloaded_code);
    announces_ = announces_ || base::read_environment().announces;
  }
  return std::nullopt;
}

foretask_status Learning::start() {
  std::optional<foretask_status> decided = FORETASK_NO_MEMORY;
  base::try_aside([&] { decided = prepare(); }, base::warn);
  if (decided) return *decided;
  if (!learner_.start()) return FORETASK_NO_MEMORY;
  activity.fetch_or(kLearning);
  foretask_status loaded = FORETASK_NO_MEMORY;
  static_cast<void>(base::run_aside([&] { loaded = load_all(); }));
  return loaded;
}

bool Learning::start_answering() noexcept {
  if (answers_nothing_.load(std::memory_order_relaxed)) return false;
  const auto start_once = [&] {
    if (prepare()) return;
    activity.fetch_or(kAnswers);
    static_cast<void>(load_all());
  };
  base::try_aside(start_once, base::warn);
  const bool answers = (activity.load() & kKnowsModels) != 0;
  answers_nothing_.store(!answers, std::memory_order_relaxed);
  return answers;
}

void Learning::end() noexcept {
  if (!base::is_own_process()) return;
  {
    const base::HeldSignals held;
    const std::lock_guard lock(mutex_);
    if (ended_ || (activity.load() & kLearning) == 0) return;
    ended_ = true;
  }
  activity.fetch_and(~static_cast<std::uint32_t>(kLearning));
  // A child of a fork that never learned has no thread, and nothing to save.
  learner_.stop();
  const auto save_at_end = [this] {
    if (save() == FORETASK_OK) announce();
  };
  base::try_aside(save_at_end,
                  [](const char* problem) { base::warn(std::string("what was learned is not saved: ") + problem); });
}

void Learning::announce() {
  if (!announces_) return;
  const predict::LearnerStatistics statistics = learner_.statistics();
  if (statistics.learned == 0) {
    base::say("nothing was learned: while foretask watched, no task, loop or annotated kernel of the program ended");
    return;
  }
  std::size_t kernels = 0;
  for (const foretask_kernel* kernel : KernelRegistry::instance().all()) kernels += kernel->learned.has_models();
  const std::uint64_t lost = statistics.dropped + dropped();
  base::say("learned " + std::to_string(statistics.learned) + " samples of " + std::to_string(kernels) +
            " kernels (foretask model show)" +
            (lost > 0 ? "; " + std::to_string(lost) + " samples were dropped: the learner could not keep up" : ""));
}

model::Store* Learning::store() {
  const std::lock_guard lock(mutex_);
  if (!store_was_sought_) {
    store_was_sought_ = true;
    const std::string home = base::store_home();
    if (home.empty()) {
      base::warn("nothing is stored: none of FORETASK_HOME, XDG_DATA_HOME and HOME is set");
    } else {
      store_ = std::make_unique<model::Store>(home, runtime::read_machine().fingerprint, base::warn);
    }
  }
  return store_.get();
}

std::vector<std::string> Learning::class_names() {
  const std::lock_guard lock(classes_mutex_);
  return classes_;
}

int Learning::worker_class(std::string_view name, bool& is_new) {
  const std::lock_guard lock(classes_mutex_);
  const auto there = std::find(classes_.begin(), classes_.end(), name);
  if (there != classes_.end()) return static_cast<int>(there - classes_.begin());
  if (classes_.size() == predict::kMaxWorkerClasses) return -1;
  classes_.emplace_back(name);
  class_count_.store(static_cast<int>(classes_.size()), std::memory_order_release);
  is_new = true;
  return static_cast<int>(classes_.size()) - 1;
}

std::vector<model::Term> Learning::stored_terms(const std::string& kernel, const std::vector<std::string>& parameters) {
  if ((activity.load() & kKnowsModels) == 0) return {};
  model::Store* const place = store();
  return place ? place->load_terms(kernel, parameters) : std::vector<model::Term>{};
}

void Learning::adopt_version(foretask_kernel& kernel, const std::string& version) {
  const std::string before = version_of(kernel);
  if (before == version || is_code_loaded(before)) return;
  static_cast<void>(save());
  {
    const auto lock = learner_.lock_models();
    kernel.code_version = version;
    kernel.learned.make_stale();
    for (std::size_t i = 0; i < predict::kMaxWorkerClasses; ++i)
      if (kernel.learned.find_model(i)) learner_.changed(kernel.learned, i);
  }
  load(kernel);
}

void Learning::load(foretask_kernel& kernel) {
  if ((activity.load() & kKnowsModels) == 0) return;
  model::Store* const place = store();
  if (!place) return;
  const std::vector<std::string> classes = class_names();
  const std::string version = version_of(kernel);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    auto stored = place->load({kernel.name, classes[i], version}, kernel.learned.shape());
    if (!stored.model) continue;
    const auto lock = learner_.lock_models();
    const model::KernelModel* const there = kernel.learned.find_model(i);
    // Samples that came before the store was read.
    if (there && there->samples() > there->stored_samples()) {
      if (there->stored_samples() > 0) continue;
      stored.model->join(*there);
    }
    kernel.learned.set_model(i, std::move(stored.model));
    kernel.generations[i] = stored.generation;
    learner_.changed(kernel.learned, i);
  }
}

foretask_status Learning::load_all() {
  try {
    if (!store()) return FORETASK_NOT_SAVED;
    for (foretask_kernel* const kernel : KernelRegistry::instance().all()) load(*kernel);
    return FORETASK_OK;
  } catch (const std::exception& problem) {
    base::warn(problem.what());
    return FORETASK_NO_MEMORY;
  }
}

foretask_status Learning::save_kernel(model::Store& place, foretask_kernel& kernel,
                                      const std::vector<std::string>& classes) {
  // First: while another process holds it the learner goes on.
  const auto held = place.lock();
  lock_failed_ = !held;
  if (!held) return not_saved(held.error());
  // Held while the file is written: what is saved is then what is marked as saved.
  const auto lock = learner_.lock_models();
  std::vector<model::Store::Change> changes;
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const model::KernelModel* const model = kernel.learned.find_model(i);
    if (!model || model->samples() == model->stored_samples()) continue;
    changes.push_back({{kernel.name, classes[i], kernel.code_version}, kernel.generations[i], model, kernel.module});
    changed.push_back(i);
  }
  if (changes.empty()) return FORETASK_OK;
  auto saved = place.save(*held, changes, {});
  if (!saved) return not_saved(saved.error());
  for (std::size_t j = 0; j < changed.size(); ++j) {
    const std::size_t i = changed[j];
    // A forked child's, which knows more than it may store, remains as it is.
    if (kernel.generations[i] != model::Store::kOnlyNew) {
      kernel.generations[i] = (*saved)[j].generation;
      if ((*saved)[j].joined) {
        kernel.learned.set_model(i, std::move((*saved)[j].joined));
        learner_.changed(kernel.learned, i);
      }
    }
    kernel.learned.model(i).mark_stored();
  }
  return FORETASK_OK;
}

foretask_status Learning::not_saved(const Error& error) {
  if (!save_failed_) base::warn("what was learned is not saved: " + error.message());
  save_failed_ = true;
  return FORETASK_NOT_SAVED;
}

foretask_status Learning::save() {
  const std::lock_guard lock(save_mutex_);
  std::vector<foretask_kernel*> kernels = KernelRegistry::instance().all();
  {
    const auto models = learner_.lock_models();
    std::erase_if(kernels, [](foretask_kernel* kernel) { return !kernel->learned.has_unsaved(); });
  }
  if (kernels.empty()) return FORETASK_OK;
  model::Store* const place = store();
  if (!place) return FORETASK_NOT_SAVED;
  const std::vector<std::string> classes = class_names();
  save_failed_ = lock_failed_ = false;
  foretask_status status = FORETASK_OK;
  for (foretask_kernel* const kernel : kernels) {
    const foretask_status this_one = save_kernel(*place, *kernel, classes);
    if (this_one != FORETASK_OK) status = this_one;
    if (lock_failed_) break;  // nor would the others get it
  }
  return status;
}

void Learning::before_fork() {
  save_mutex_.lock();
  mutex_.lock();
  classes_mutex_.lock();
  KernelRegistry::instance().mutex().lock();
  learner_.before_fork();
}

void Learning::after_fork_in_parent() {
  learner_.after_fork_in_parent();
  KernelRegistry::instance().mutex().unlock();
  classes_mutex_.unlock();
  mutex_.unlock();
  save_mutex_.unlock();
}

// What the parent has not stored yet is the parent's to store: the child's own samples are those that come from here
// on.
void Learning::after_fork_in_child() {
  forget_sample_thread();
  for (foretask_kernel* const kernel : KernelRegistry::instance().all_unlocked()) {
    for (std::size_t i = 0; i < predict::kMaxWorkerClasses; ++i) {
      const model::KernelModel* const model = kernel->learned.find_model(i);
      if (model && model->samples() > model->stored_samples()) kernel->generations[i] = model::Store::kOnlyNew;
    }
    kernel->learned.mark_stored();
  }
  learner_.after_fork_in_child();
  KernelRegistry::instance().mutex().unlock();
  classes_mutex_.unlock();
  mutex_.unlock();
  save_mutex_.unlock();
}

}  // namespace foretask::runtime
