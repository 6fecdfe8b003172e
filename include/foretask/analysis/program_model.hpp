// SPDX-License-Identifier: Apache-2.0
// T(n, p): a program's time on another input size and number of workers, from smaller runs. The largest runs are held
// out to judge the models. Ours answers, with an interval from its errors. The method: docs/prediction.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "foretask/analysis/program_table.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// In the unit of the table's times.
struct ProgramPrediction {
  double n = 0;
  double p = 0;
  double time = 0;  // work + delay + no_work = p * time
  double low = 0;   // 90 % prediction interval: from here ...
  double high = 0;  // ... to here
  double work = 0;
  double delay = 0;
  double no_work = 0;
  double serial_work = 0;
  double create_task = 0;
  double span = 0;         // 0: not known
  double lower_bound = 0;  // max(work / p, span): work law and span law
  double upper_bound = 0;  // Cilkview's work / p + 1.7 burdened span; work where no span is known
};

struct ProgramModelScore {
  std::string name;
  // Runs are held out in up to six ways. For each the median of |predicted - measured| / measured over the upper third
  // of the sizes; then the geometric mean. NaN: not fitted, or too few runs to hold any out.
  double holdout_error = 0;
  double weight = 0;  // 1: this model answers; else 0
  std::string why;    // its formula in words, or why it cannot be fitted
};

struct ProgramModelOptions {
  std::string model;  // the one that answers; empty: ours. A published one is fitted only if it is named here
  // Called while recordings are replayed, with the share done and a word for it; may be empty.
  std::function<void(double done, const char* what)> progress;
};

// Fitted once. Every member is const and thread safe.
class ProgramModel {
 public:
  // Some seconds for 500 runs. Errors: no model can be fitted to the table; no model has the name asked for, or it
  // cannot be fitted.
  [[nodiscard]] static Result<ProgramModel> fit(const ProgramTable& table, const ProgramModelOptions& options = {});

  // The same for a table of recordings (program_table_of_runs()), with replays of the largest run's graph: they answer
  // for more workers than recorded, and are one more model. Reads one to three recordings again. Replays each six times
  // on each of 5 to 24 numbers of workers, more for more parallelism. A recording that cannot be replayed leaves all
  // that out. If the runs are from this machine, measures its memory bandwidth: about 0.1 s for each of 1, 2, 4, ...
  // threads, up to one a processor and 64, with 96 MB a thread.
  [[nodiscard]] static Result<ProgramModel> fit_runs(const ProgramTable& table,
                                                     const ProgramModelOptions& options = {});

  // Some ms. Errors: n not above 0; p not a whole number from 1; another n where all runs have one; no time from the
  // model for this n.
  [[nodiscard]] Result<ProgramPrediction> predict(double n, double p) const;

  [[nodiscard]] const std::string& chosen() const;                     // the one that answers
  [[nodiscard]] const std::vector<ProgramModelScore>& scores() const;  // best first
  // What the table cannot support: only one n, two n, or one p; n above 64 times the largest; p above 16 times the
  // most; an error above 30 % for the held-out runs, or too few runs to hold any out.
  [[nodiscard]] std::vector<std::string> warnings(const std::vector<ProgramPoint>& questions) const;

  ProgramModel(ProgramModel&&) noexcept;
  ProgramModel& operator=(ProgramModel&&) noexcept;
  ~ProgramModel();

  struct Impl;  // the library's

 private:
  explicit ProgramModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace foretask::analysis
