// SPDX-License-Identifier: Apache-2.0
#include "runtime/progress/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/held_signals.hpp"
#include "base/messages.hpp"
#include "base/number_text.hpp"
#include "base/own_process.hpp"
#include "base/own_threads.hpp"
#include "base/quiet_thread.hpp"
#include "base/region_name.hpp"
#include "base/run_aside.hpp"
#include "base/store_home.hpp"
#include "model/store/program_row.hpp"
#include "model/store/program_store.hpp"
#include "model/store/store.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/progress/progress_counters.hpp"
#include "runtime/progress/progress_text.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/module_map.hpp"
#include "runtime/recording/topology.hpp"

namespace foretask::runtime {
namespace {

constexpr double kRedrawNs = 0.5e9;
constexpr double kLineNs = 30e9;
constexpr double kLineDone = 0.1;
constexpr double kJsonDone = 0.02;
// A look for the display at least so often.
constexpr std::int64_t kLongestSleepNs = 100'000'000;
constexpr std::string_view kPrefix = "foretask: ";
// The size's name where there are other numbers.
constexpr std::string_view kSize = "n";
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Of the terminal that standard error is.
std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

std::optional<double> number_in(const std::string& text) {
  const auto value = base::parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

Progress& Progress::instance() {
  static auto* const progress = new Progress;
  return *progress;
}

void Progress::start(const base::Environment& environment) noexcept {
  const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  bool begins = false;
  base::try_aside([&] { begins = begin(environment, is_terminal); },
                  [](const char* problem) { base::warn(std::string("the progress is not followed: ") + problem); });
  if (begins) start_thread();
}

void Progress::start(bool quietly) noexcept {
  std::unique_ptr<base::Environment> environment;
  base::try_aside([&] { environment = std::make_unique<base::Environment>(base::read_environment()); });
  if (!environment) return;
  if (quietly) {
    if (environment->progress == base::ProgressMode::kOff) environment->progress = base::ProgressMode::kQuiet;
    environment->progress_warning.clear();
  }
  start(*environment);
}

foretask_status Progress::start_quietly() noexcept {
  if (base::read_mode().is_off) return FORETASK_OFF;
  static_cast<void>(activity_now());
  start(true);
  return (activity.load() & kProgress) != 0 ? FORETASK_OK : FORETASK_OFF;
}

void Progress::start_thread() noexcept {
  const base::HeldSignals held;
  const std::lock_guard lock(mutex_);
  running_ = base::start_quiet_thread(thread_, run_thread, this, "foretask-watch");
  if (!running_) return base::warn("the progress is not followed: no thread can be created");
  activity.fetch_or(kProgress);
}

bool Progress::begin(const base::Environment& environment, bool is_terminal) {
  const std::lock_guard lock(mutex_);
  if (started_ || ended_) return false;
  if (!environment.progress_warning.empty() && !std::exchange(warned_, true)) base::warn(environment.progress_warning);
  started_ = environment.progress != base::ProgressMode::kOff;
  if (!started_) return false;
  mode_ = environment.progress;
  // Neither is read later: the program may change its environment meanwhile.
  home_ = base::store_home();
  for (const auto& [name, text] : environment.params) {
    const auto value = number_in(text);
    if (name == kSize && !(value && model::is_size(*value))) {
      base::warn("FORETASK_PARAMS: n=" + text + " is not a number above 0: the size of the input is not known");
    } else if (value) {
      inputs_.insert_or_assign(name, *value);
    }
  }
  program_ = base::program_name();
  watch_.emplace(base::process_start_ns());
  serial_start.store(watch_->begin_ticks());
  is_terminal_ = is_terminal;
  return true;
}

void Progress::end() noexcept {
  if (!base::is_own_process()) return;
  {
    const base::HeldSignals held;
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    stopping_ = true;
    activity.fetch_and(~static_cast<std::uint32_t>(kProgress));
    if (!running_) return;
  }
  wake_.notify_all();
  pthread_join(thread_, nullptr);
}

void* Progress::run_thread(void* self) {
  static_cast<Progress*>(self)->run();
  return nullptr;
}

void Progress::run() noexcept {
  const auto attempt = [this](void (Progress::*part)()) {
    try {
      (this->*part)();
    } catch (const std::exception& problem) {
      base::warn(std::string("the progress is not followed further: ") + problem.what());
    }
  };
  // What reads files has descriptors of its own.
  static_cast<void>(base::run_aside([&] { attempt(&Progress::load_rows); }));
  attempt(&Progress::watch);
  static_cast<void>(base::run_aside([&] { attempt(&Progress::finish); }));
}

// Some 10 ms of looking at the machine, which the program does not wait for.
void Progress::load_rows() {
  std::vector<model::ProgramRow> rows;
  std::string build_id;
  const auto modules = runtime::read_modules();
  if (!modules.empty()) build_id = modules.front().build_id;
  std::string machine = runtime::read_machine().fingerprint;
  if (!home_.empty()) rows = model::ProgramStore(home_, machine, base::warn).load(program_);
  const std::lock_guard lock(mutex_);
  rows_ = std::move(rows);
  build_id_ = std::move(build_id);
  machine_ = std::move(machine);
  rows_are_there_ = true;
}

void Progress::watch() {
  std::unique_lock lock(mutex_);
  while (!stopping_ && !base::are_alone()) {
    look();
    show_if_due();
    const auto pause = std::chrono::nanoseconds(std::min(watch_->interval_ns(), kLongestSleepNs));
    wake_.wait_for(lock, pause, [this] { return stopping_; });
  }
}

model::ProgramInput Progress::input() const {
  const auto says = [](const model::ProgramRow& row) { return !row.size.empty(); };
  const auto row = std::find_if(rows_.begin(), rows_.end(), says);
  return model::program_input(inputs_, row == rows_.end() ? std::string() : row->size);
}

void Progress::renew_forecast() {
  const auto [others, n] = input();
  // Before the first region its team is not known: as many as last time.
  double p = moment_.workers;
  for (const model::ProgramRow& row : rows_)
    if (p == 0 && row.inputs == others) p = row.p;
  if (forecast_inputs_ == others && forecast_n_ == n && forecast_p_ == p) return;
  forecast_inputs_ = others;
  forecast_n_ = n;
  forecast_p_ = p;
  estimator_.reset();
  if (auto foretold = predict::forecast(rows_, build_id_, others, n, p)) estimator_.emplace(std::move(*foretold));
}

void Progress::look() {
  moment_ = watch_->look();
  if (rows_are_there_) renew_forecast();
  state_ = FORETASK_PROGRESS_STATE_INIT;
  state_.knowledge = FORETASK_PROGRESS_LEARNING;
  state_.workers = static_cast<std::uint32_t>(moment_.workers);
  state_.elapsed_ns = moment_.elapsed;
  const std::vector<std::string> names = progress_kernel_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (i != kSerialPart && !base::is_team_name(names[i]))
      state_.tasks += static_cast<std::uint64_t>(moment_.kernels[i].finished);
  state_.done = state_.remaining_ns = state_.low_ns = state_.high_ns = kNothing;
  state_.speedup_low = state_.speedup_high = kNothing;
  if (!estimator_) return;
  const predict::ProgramForecast& foretold = estimator_->forecast();
  const auto estimate = estimator_->observe(observation_of(moment_, foretold, names));
  state_.knowledge = foretold.same_input ? FORETASK_PROGRESS_PREDICTED : FORETASK_PROGRESS_GROWN;
  state_.runs = static_cast<std::uint32_t>(foretold.runs);
  state_.done = estimate.done;
  state_.remaining_ns = estimate.remaining;
  state_.low_ns = estimate.low;
  state_.high_ns = estimate.high;
  const auto doubled = predict::doubling(foretold, foretold.work, foretold.time - foretold.serial);
  if (!doubled.is_known) return;
  state_.speedup_low = doubled.low;
  state_.speedup_high = doubled.high;
}

void Progress::show_if_due() {
  if (mode_ == base::ProgressMode::kQuiet || !rows_are_there_) return;
  const bool is_known = state_.knowledge != FORETASK_PROGRESS_LEARNING;
  const double since = shown_ns_ < 0 ? std::numeric_limits<double>::infinity() : state_.elapsed_ns - shown_ns_;
  const double more = is_known ? state_.done - std::max(0.0, shown_done_) : 0;
  bool is_due = false;
  if (mode_ == base::ProgressMode::kJson) {
    is_due = since >= kRedrawNs || more >= kJsonDone;
  } else if (is_terminal_) {
    is_due = since >= kRedrawNs;
  } else {
    is_due = since >= kLineNs || more >= kLineDone;
  }
  if (!is_due) return;
  if (mode_ == base::ProgressMode::kText && !is_known && !said_that_it_learns_) {
    said_that_it_learns_ = true;
    const std::string of =
        forecast_n_ > 0 ? "" : " (its size would tell inputs apart: --param n=1024, FORETASK_PARAMS=n=1024)";
    const std::string what =
        rows_.empty() ? " is known: learning" : " on such an input, or on three others, is known: learning";
    write_line("no earlier run of " + program_ + what + of, true);
  } else {
    write_line(mode_ == base::ProgressMode::kJson ? progress_json(state_, false) : progress_text(state_, room()),
               false);
  }
  shown_ns_ = state_.elapsed_ns;
  if (is_known) shown_done_ = state_.done;
}

// A line that is longer than the terminal is wide is not redrawn but left behind; the last column is the cursor's.
std::size_t Progress::room() const {
  if (!is_terminal_) return std::string::npos;
  return std::max(terminal_width(), kPrefix.size() + 1) - kPrefix.size() - 1;
}

void Progress::write_line(const std::string& text, bool stays) const {
  std::string line;
  const bool redraws = is_terminal_ && mode_ == base::ProgressMode::kText;
  if (redraws) line = "\r";
  if (mode_ != base::ProgressMode::kJson) line += kPrefix;
  line += text;
  if (redraws) line += "\x1b[K";
  // What the program writes next begins a line.
  line += stays || !redraws ? "\n" : "\r";
  base::say_raw(line);
}

void Progress::finish() {
  std::unique_lock lock(mutex_);
  look();
  std::string kept;
  model::ProgramRow row = watch_->row(moment_);
  if (row.time > 0 && home_.empty()) {
    kept = "not kept: no folder (FORETASK_HOME)";
  } else if (row.time > 0 && base::has_new_root()) {
    kept = "not kept: the process has another root folder now (chroot)";
  } else if (row.time > 0) {
    const model::ProgramInput of = input();
    row.inputs = of.others;
    row.n = of.n;
    row.build_id = build_id_;
    const auto added = model::ProgramStore(home_, machine_, base::warn).add(program_, {row});
    if (!added) base::warn("this run is not kept: " + added.error().message());
    kept = added ? "kept for the next run" : "";
  }
  if (mode_ == base::ProgressMode::kText) write_line(progress_end_text(state_, kept), true);
  if (mode_ == base::ProgressMode::kJson) write_line(progress_json(state_, true), true);
}

foretask_status Progress::refuse_size(double value) {
  const bool is_shown = mode_ == base::ProgressMode::kText || mode_ == base::ProgressMode::kJson;
  if (is_shown && !std::exchange(warned_of_size_, true))
    base::warn("foretask_progress_input: n=" + std::to_string(value) + " is not a number above 0: it is ignored");
  return FORETASK_BAD_ARGUMENT;
}

foretask_status Progress::set_input(const char* name, double value) noexcept {
  if (!name || !is_name(name)) return FORETASK_BAD_NAME;
  if (!std::isfinite(value)) return FORETASK_NOT_FINITE;
  const bool is_refused = name == kSize && !model::is_size(value);
  const bool is_followed = (activity_now() & kProgress) != 0;  // the mode is known from here on
  if (!is_refused && !is_followed) return FORETASK_OFF;
  foretask_status status = FORETASK_NO_MEMORY;
  base::try_aside([&] {
    const std::lock_guard lock(mutex_);
    if (is_refused) {
      status = refuse_size(value);
      return;
    }
    inputs_[name] = value;
    status = FORETASK_OK;
  });
  return status;
}

foretask_status Progress::state(foretask_progress_state& state) noexcept {
  const std::uint32_t size = state.size;
  foretask_status status = FORETASK_OFF;
  if ((activity_now() & kProgress) != 0) {
    status = FORETASK_NO_MEMORY;
    base::try_aside([&] {
      const std::lock_guard lock(mutex_);
      if (watch_) {
        look();
        state = state_;
      }
      status = watch_ ? FORETASK_OK : FORETASK_OFF;
    });
  }
  if (status == FORETASK_OFF) {
    state = FORETASK_PROGRESS_STATE_INIT;
    state.done = state.remaining_ns = state.low_ns = state.high_ns = kNothing;
    state.speedup_low = state.speedup_high = kNothing;
  }
  state.size = size;
  return status;
}

// In the order in which they are taken elsewhere.
void Progress::before_fork() {
  mutex_.lock();
  lock_progress_kernels();
  lock_progress_counters();
}

void Progress::after_fork_in_parent() {
  unlock_progress_counters();
  unlock_progress_kernels();
  mutex_.unlock();
}

// The run is the parent's.
void Progress::after_fork_in_child() {
  activity.fetch_and(~static_cast<std::uint32_t>(kProgress));
  running_ = false;
  ended_ = ended_ || watch_.has_value();
  after_fork_in_parent();
}

}  // namespace foretask::runtime

extern "C" {

foretask_status foretask_progress(foretask_progress_state* state) {
  if (!state || state->size < sizeof(foretask_progress_state)) return FORETASK_BAD_ARGUMENT;
  return foretask::runtime::Progress::instance().state(*state);
}

foretask_status foretask_progress_input(const char* name, double value) {
  return foretask::runtime::Progress::instance().set_input(name, value);
}

foretask_status foretask_progress_start(void) { return foretask::runtime::Progress::instance().start_quietly(); }

}  // extern "C"
