// SPDX-License-Identifier: Apache-2.0
// T(n, p): a program's time on another input and another number of workers, from runs on smaller ones. Models are held
// against the largest runs, which they have not seen; the best answer, with an interval from their errors. The method:
// docs/prediction.md.
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
  double low = 0;   // in 90 of 100 cases the time is from low ...
  double high = 0;  // ... to high
  double work = 0;
  double delay = 0;
  double no_work = 0;
  double serial_work = 0;
  double create_task = 0;
  double span = 0;         // 0: not known
  double lower_bound = 0;  // max(work / p, span): work and span law
  double upper_bound = 0;  // Cilkview's (T1 / p + 1.7 burdened span)
};

struct ProgramModelScore {
  std::string name;
  // Runs are held out in up to six ways. Of each the median of |predicted - measured| / measured, over those of the
  // upper third of the sizes; of these the geometric mean. NaN: not fitted, or too few runs to hold any out.
  double holdout_error = 0;
  double weight = 0;  // 1 of the one that answers, else 0
  std::string why;    // its formula in words, or why it cannot be fitted
};

struct ProgramModelOptions {
  std::string model;  // answers; empty: the best one
  // Called with the share done and a word for it while recordings are replayed; may be empty.
  std::function<void(double done, const char* what)> progress;
};

// Fitted once; every member is const and thread safe.
class ProgramModel {
 public:
  // Errors: a table that no model can be fitted to; a model of no known name. Some seconds for 500 runs.
  [[nodiscard]] static Result<ProgramModel> fit(const ProgramTable& table, const ProgramModelOptions& options = {});

  // The same for a table of recordings (program_table_of_runs()), with a model that rests on replays of the largest
  // run's graph: reads one to three of the recordings again, and replays each three times on each of 5 to 24 numbers
  // of workers, more where it has more parallelism. A recording that cannot be replayed leaves that model out. If the
  // runs were made on this machine the memory's bandwidth is measured too: about 0.1 s for each of 1, 2, 4, ...
  // threads, up to one a processor and 64, with 96 MB a thread.
  [[nodiscard]] static Result<ProgramModel> fit_runs(const ProgramTable& table,
                                                     const ProgramModelOptions& options = {});

  // Errors: n that is not above 0, p that is no whole number from 1, a question that the table says nothing about
  // (another n where all runs have one), an n for which the model says no time. Some milliseconds.
  [[nodiscard]] Result<ProgramPrediction> predict(double n, double p) const;

  [[nodiscard]] const std::string& chosen() const;                     // the model that answers
  [[nodiscard]] const std::vector<ProgramModelScore>& scores() const;  // best first
  // What the table cannot support of a question: one n, two, one p; n beyond 64 times the largest, p beyond 16 times
  // the most; errors above 30 % for the runs held out, or too few runs to hold any out.
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
