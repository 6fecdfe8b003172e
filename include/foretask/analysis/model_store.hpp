// SPDX-License-Identifier: Apache-2.0
// What the store holds of kernels that earlier processes learned (FORETASK=learn, foretask_save()), and what it
// predicts. Any thread; reads files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foretask/analysis/data_table.hpp"
#include "foretask/analysis/model_fit.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// One of the competing models.
struct CandidateModel {
  std::string name;  // "history", "linear", "support points", "clusters", "power", "level"
  double error = 0;  // mean absolute error, as a share, over recent samples, each predicted before it was learned
};

struct ParameterRange {
  std::string name;
  double smallest = 0;
  double largest = 0;
};

struct StoredTerm {
  std::string name;  // as in FitOptions::terms
  double coefficient = 0;
};

// As foretask_predict(), in ns.
struct StoredPrediction {
  double value_ns = 0;
  double low_ns = 0;
  double high_ns = 0;
  std::string status;  // as foretask_prediction_status_text() has it
  std::string model;
};

// A kernel on one machine and worker class, with one version of its code.
struct StoredModel {
  std::string kernel;
  std::string code;     // `function (file:line)` where the kernel is named by its code's address, and it is known
  std::string machine;  // its fingerprint
  std::string worker_class;
  std::string code_version;
  std::string saved;  // 2026-01-31T12:00:00Z
  std::string path;
  std::uint64_t samples = 0;
  std::uint64_t changes = 0;  // level shifts
  std::uint64_t tuples = 0;   // parameter values known one by one
  std::vector<ParameterRange> parameters;
  std::vector<StoredTerm> terms;       // of the linear model; empty: too few samples
  std::vector<CandidateModel> models;  // best first, which answers; history where it knows the parameters
  double low = 1;                      // 95 % prediction interval, as factors on the prediction
  double high = 1;
  std::optional<StoredPrediction> prediction;  // where values were given
};

struct StoreQuery {
  std::string home;                                    // empty: as foretask_save()
  std::string kernel;                                  // also a function's name; empty: all
  bool all_machines = false;                           // else this machine's alone
  std::vector<std::pair<std::string, double>> values;  // parameters and values to predict for; empty: no prediction
};

struct RefusedFile {
  std::string path;
  std::string reason;
};

struct StoreListing {
  std::string folder;
  std::vector<StoredModel> models;  // by machine and kernel, the latest saved first
  std::vector<RefusedFile> refused;
};

// Errors: no store, no such kernel, values that do not fit the kernel's parameters.
[[nodiscard]] Result<StoreListing> read_model_store(const StoreQuery& query);

// Stores a fit for the online models (the three phases of Agullo et al.). The kernel's linear model then has these
// terms, and starts from these rows. It is stale until the program's own samples confirm it. The target is in ns.
// Returns the file's path. Errors: an impossible kernel name, too many parameters or terms, no row with a time, no
// store, a file that cannot be written.
[[nodiscard]] Result<std::string> save_fitted_model(const std::string& home, const std::string& kernel,
                                                    const DataTable& table, const ModelFit& fit);

}  // namespace foretask::analysis
