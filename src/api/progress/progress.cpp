// SPDX-License-Identifier: Apache-2.0
#include "api/progress/progress.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <string_view>
#include <utility>

#include "api/activity.hpp"
#include "api/kernel_registry.hpp"
#include "api/progress/progress_kernels.hpp"
#include "api/progress/progress_tasks.hpp"
#include "api/progress/progress_text.hpp"
#include "api/progress/thread_counters.hpp"
#include "base/process_start.hpp"
#include "base/quiet_thread.hpp"
#include "model/program_input.hpp"
#include "model/program_store.hpp"
#include "model/store.hpp"
#include "record/module_map.hpp"
#include "record/topology.hpp"

namespace foretask::api {
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

void warn(const std::string& text) { std::fprintf(stderr, "foretask: warning: %s\n", text.c_str()); }

void before_fork() { Progress::instance().before_fork(); }
void after_fork_in_parent() { Progress::instance().after_fork_in_parent(); }
void after_fork_in_child() { Progress::instance().after_fork_in_child(); }

std::string program_name() {
  std::array<char, 4096> target;
  const ssize_t size = ::readlink("/proc/self/exe", target.data(), target.size());
  const std::string path = size > 0 ? std::string(target.data(), static_cast<std::size_t>(size)) : std::string();
  return path.substr(path.rfind('/') + 1);
}

// Of the terminal that standard error is.
std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

Progress& Progress::instance() {
  static auto* const progress = new Progress;
  return *progress;
}

void Progress::start(const base::Environment& environment) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (started_ || ended_) return;
    if (!environment.progress_warning.empty() && !std::exchange(warned_, true)) warn(environment.progress_warning);
    started_ = environment.progress != base::ProgressMode::kOff;
    if (started_) begin(environment);
  } catch (const std::exception& problem) {
    warn(std::string("the progress is not followed: ") + problem.what());
  }
}

foretask_status Progress::start_quietly() noexcept {
  const base::ModeChoice choice = base::read_mode();
  if (choice.is_off) return FORETASK_OFF;
  static_cast<void>(activity_now());
  base::Environment environment = base::read_environment();
  if (environment.progress == base::ProgressMode::kOff) environment.progress = base::ProgressMode::kQuiet;
  environment.progress_warning.clear();
  start(environment);
  return (activity.load() & kProgress) != 0 ? FORETASK_OK : FORETASK_OFF;
}

void Progress::begin(const base::Environment& environment) {
  static const int registered = pthread_atfork(api::before_fork, api::after_fork_in_parent, api::after_fork_in_child);
  static_cast<void>(registered);
  mode_ = environment.progress;
  // Neither is read later: the program may change its environment meanwhile.
  home_ = model::Store::default_home();
  for (const auto& [name, text] : environment.params) {
    const auto value = number_in(text);
    if (name == kSize && !(value && model::is_size(*value))) {
      warn("FORETASK_PARAMS: n=" + text + " is no number above 0: the size of the input is not known");
    } else if (value) {
      inputs_.insert_or_assign(name, *value);
    }
  }
  program_ = program_name();
  watch_.emplace(base::process_start_ns());
  set_progress_start(watch_->begin_ticks());
  struct stat status {};
  if (::fstat(STDERR_FILENO, &status) != 0 && mode_ != base::ProgressMode::kQuiet) mode_ = base::ProgressMode::kQuiet;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  is_terminal_ = ::isatty(STDERR_FILENO) == 1;
  running_ = base::start_quiet_thread(thread_, run_thread, this, "foretask-watch");
  if (!running_) return warn("the progress is not followed: no thread can be had");
  activity.fetch_or(kProgress);
}

void Progress::end() noexcept {
  {
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
  try {
    load_rows();
    watch();
    finish();
  } catch (const std::exception& problem) {
    warn(std::string("the progress is not followed further: ") + problem.what());
  }
}

// Some 10 ms of looking at the machine, which the program does not wait for.
void Progress::load_rows() {
  std::vector<model::ProgramRow> rows;
  std::string build_id;
  const auto modules = record::read_modules();
  if (!modules.empty()) build_id = modules.front().build_id;
  std::string machine = record::read_machine().fingerprint;
  if (!home_.empty()) rows = model::ProgramStore(home_, machine, warn).load(program_);
  const std::lock_guard lock(mutex_);
  rows_ = std::move(rows);
  build_id_ = std::move(build_id);
  machine_ = std::move(machine);
  rows_are_there_ = true;
}

void Progress::watch() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
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
    if (i != kSerialPart && !names[i].ends_with(" [parallel]"))
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
    const std::string of = forecast_n_ > 0 || rows_.empty() ? "" : " (say its size: FORETASK_PARAMS=n=1024)";
    write_line("no earlier run of " + program_ + " on such an input is known: learning" + of, true);
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

// By one write, so that the lines of several threads and processes do not mix; and only while standard error is still
// what it was: a program may close it, and open a file of its own in its place.
void Progress::write_line(const std::string& text, bool stays) const {
  struct stat status {};
  if (::fstat(STDERR_FILENO, &status) != 0 || status.st_dev != device_ || status.st_ino != inode_) return;
  std::string line;
  const bool redraws = is_terminal_ && mode_ == base::ProgressMode::kText;
  if (redraws) line = "\r";
  if (mode_ != base::ProgressMode::kJson) line += kPrefix;
  line += text;
  if (redraws) line += "\x1b[K";
  // What the program writes next begins a line.
  line += stays || !redraws ? "\n" : "\r";
  const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  static_cast<void>(written);  // what standard error does not take is lost without a word
}

void Progress::finish() {
  std::unique_lock lock(mutex_);
  look();
  std::string kept;
  model::ProgramRow row = watch_->row(moment_);
  if (row.time > 0 && home_.empty()) {
    kept = "not kept: no folder (FORETASK_HOME)";
  } else if (row.time > 0) {
    const model::ProgramInput of = input();
    row.inputs = of.others;
    row.n = of.n;
    row.build_id = build_id_;
    const auto added = model::ProgramStore(home_, machine_, warn).add(program_, {row});
    if (!added) warn("this run is not kept: " + added.error().message());
    kept = added ? "kept for the next run" : "";
  }
  if (mode_ == base::ProgressMode::kText) write_line(progress_end_text(state_, kept), true);
  if (mode_ == base::ProgressMode::kJson) write_line(progress_json(state_, true), true);
}

foretask_status Progress::refuse_size(double value) noexcept {
  static_cast<void>(activity_now());  // the mode is known from here on
  try {
    const std::lock_guard lock(mutex_);
    const bool is_shown = mode_ == base::ProgressMode::kText || mode_ == base::ProgressMode::kJson;
    if (is_shown && !std::exchange(warned_of_size_, true))
      warn("foretask_progress_input: n=" + std::to_string(value) + " is no number above 0: it is not taken");
    return FORETASK_BAD_ARGUMENT;
  } catch (const std::exception&) {
    return FORETASK_NO_MEMORY;
  }
}

foretask_status Progress::set_input(const char* name, double value) noexcept {
  if (!name || !is_name(name)) return FORETASK_BAD_NAME;
  if (!std::isfinite(value)) return FORETASK_NOT_FINITE;
  if (name == kSize && !model::is_size(value)) return refuse_size(value);
  if ((activity_now() & kProgress) == 0) return FORETASK_OFF;
  try {
    const std::lock_guard lock(mutex_);
    inputs_[name] = value;
    return FORETASK_OK;
  } catch (const std::exception&) {
    return FORETASK_NO_MEMORY;
  }
}

foretask_status Progress::state(foretask_progress_state& state) noexcept {
  const std::uint32_t size = state.size;
  try {
    if ((activity_now() & kProgress) != 0) {
      const std::lock_guard lock(mutex_);
      if (watch_) {
        look();
        state = state_;
        state.size = size;
        return FORETASK_OK;
      }
    }
  } catch (const std::exception&) {
    return FORETASK_NO_MEMORY;
  }
  state = FORETASK_PROGRESS_STATE_INIT;
  state.size = size;
  state.done = state.remaining_ns = state.low_ns = state.high_ns = kNothing;
  state.speedup_low = state.speedup_high = kNothing;
  return FORETASK_OFF;
}

// In the order in which they are taken elsewhere.
void Progress::before_fork() {
  mutex_.lock();
  lock_progress_kernels();
  lock_thread_counters();
}

void Progress::after_fork_in_parent() {
  unlock_thread_counters();
  unlock_progress_kernels();
  mutex_.unlock();
}

// The run is the parent's.
void Progress::after_fork_in_child() {
  activity.fetch_and(~static_cast<std::uint32_t>(kProgress));
  running_ = false;
  ended_ = true;
  after_fork_in_parent();
}

}  // namespace foretask::api

extern "C" {

foretask_status foretask_progress(foretask_progress_state* state) {
  if (!state || state->size < sizeof(foretask_progress_state)) return FORETASK_BAD_ARGUMENT;
  return foretask::api::Progress::instance().state(*state);
}

foretask_status foretask_progress_input(const char* name, double value) {
  return foretask::api::Progress::instance().set_input(name, value);
}

foretask_status foretask_progress_start(void) { return foretask::api::Progress::instance().start_quietly(); }

}  // extern "C"
