// SPDX-License-Identifier: Apache-2.0
// The progress of this process: what earlier runs say, the thread that looks at this one now and then and shows it, and
// what happens of it at start, fork and end. Any thread.
#pragma once

#include <pthread.h>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "foretask/foretask.h"
#include "model/store/program_row.hpp"
#include "predict/progress/estimator.hpp"
#include "runtime/progress/run_watch.hpp"

namespace foretask::runtime {

class Progress {
 public:
  // Never destroyed.
  [[nodiscard]] static Progress& instance();

  // Follows as the environment asks; once.
  void start(const base::Environment& environment) noexcept;

  // The same, the environment read now; `quietly`: followed, and nothing is shown, where it does not ask.
  void start(bool quietly = false) noexcept;
  // By the program's wish.
  foretask_status start_quietly() noexcept;

  // At the process's end, or when the library is unloaded: says and keeps what the run was.
  void end() noexcept;

  foretask_status set_input(const char* name, double value) noexcept;
  foretask_status state(foretask_progress_state& state) noexcept;

  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  Progress() = default;

  // True: the thread is to be started.
  [[nodiscard]] bool begin(const base::Environment& environment, bool is_terminal);
  void start_thread() noexcept;
  static void* run_thread(void* self);
  void run() noexcept;
  void load_rows();
  void watch();
  void finish();
  // With the mutex held.
  void look();
  void renew_forecast();
  void show_if_due();
  void write_line(const std::string& text, bool stays) const;
  [[nodiscard]] std::size_t room() const;
  [[nodiscard]] model::ProgramInput input() const;
  foretask_status refuse_size(double value);

  std::mutex mutex_;
  std::condition_variable wake_;
  pthread_t thread_{};
  bool running_ = false;
  bool stopping_ = false;
  bool ended_ = false;
  bool started_ = false;
  bool warned_ = false;  // of the environment
  base::ProgressMode mode_ = base::ProgressMode::kOff;
  bool warned_of_size_ = false;
  model::InputNumbers inputs_;
  std::string home_;
  std::string program_;
  std::string build_id_;
  std::string machine_;
  std::vector<model::ProgramRow> rows_;
  bool rows_are_there_ = false;
  std::optional<RunWatch> watch_;
  std::optional<predict::ProgressEstimator> estimator_;
  std::string forecast_inputs_;  // what the estimator is for
  double forecast_n_ = -1;
  double forecast_p_ = -1;
  RunMoment moment_;
  foretask_progress_state state_ = FORETASK_PROGRESS_STATE_INIT;
  // What is shown.
  bool is_terminal_ = false;
  double shown_ns_ = -1;
  double shown_done_ = -1;
  bool said_that_it_learns_ = false;
};

}  // namespace foretask::runtime
