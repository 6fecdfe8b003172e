// SPDX-License-Identifier: Apache-2.0
// One line on standard error that says how far a long piece of work is; nothing where that is no terminal.
#pragma once

#include <chrono>
#include <mutex>
#include <thread>

namespace foretask::cli {

class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  // `done` in [0, 1]. Any thread; draws at most ten times a second.
  void update(double done, const char* what);

  // Takes the line away again, before other output.
  void clear();

 private:
  const bool is_terminal_;
  std::mutex mutex_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

// One message on standard error when work has taken some seconds, where that is no terminal: there ProgressLine is.
class LongWorkNote {
 public:
  explicit LongWorkNote(const char* what);

 private:
  std::jthread waiting_;
};

}  // namespace foretask::cli
