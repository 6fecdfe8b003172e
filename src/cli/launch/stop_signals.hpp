// SPDX-License-Identifier: Apache-2.0
// Work that puts in order what it leaves when it is asked to end (Ctrl-C, SIGTERM, SIGHUP, SIGQUIT): the first request
// is kept, the second ends the process at once. Those that the user had ignored stay so. One thread; one object at a
// time.
#pragma once

namespace foretask::cli {

class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  // The signal that asked, those held back by launch() included; 0: none yet.
  [[nodiscard]] int requested();

  // A signal that came while a program ran (ExitStatus::asked_to_end); 0 for none.
  void take(int number);
};

}  // namespace foretask::cli
