// SPDX-License-Identifier: Apache-2.0
// What earlier processes have learned of kernels (FORETASK=learn, foretask_save()), as it lies in the store, and what
// it predicts. Any thread; reads files.
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

// One of the models that are kept side by side.
struct CandidateModel {
  std::string name;  // "history", "linear", "support points", "clusters", "power", "level"
  double error = 0;  // mean share by which its predictions of the latest samples were off, each made before it was seen
};

struct ParameterRange {
  std::string name;
  double smallest = 0;
  double largest = 0;
};

struct StoredTerm {
  std::string name;  // as FitOptions::terms has it
  double coefficient = 0;
};

// Of foretask_predict(): times in ns.
struct StoredPrediction {
  double value_ns = 0;
  double low_ns = 0;
  double high_ns = 0;
  std::string status;  // "ready", "extrapolating", "rank deficient"
  std::string model;
};

// What is known of one kernel, on one machine and class of workers, of one version of its code.
struct StoredModel {
  std::string kernel;
  std::string code;     // `function (file:line)` of a kernel that is named after its code, where that can be told
  std::string machine;  // its fingerprint
  std::string worker_class;
  std::string code_version;
  std::string saved;  // 2026-01-31T12:00:00Z
  std::string path;
  std::uint64_t samples = 0;
  std::uint64_t changes = 0;  // lasting changes of its speed
  std::uint64_t tuples = 0;   // of parameters that are known one by one
  std::vector<ParameterRange> parameters;
  std::vector<StoredTerm> terms;       // of the linear model; none where it has too few samples
  std::vector<CandidateModel> models;  // best first: the first answers, history where the tuple is known
  double low = 1;                      // 95 of 100 times lie between low and high times the prediction
  double high = 1;
  std::optional<StoredPrediction> prediction;  // where values were asked for
};

struct StoreQuery {
  std::string home;                                    // empty: as foretask_save() finds it
  std::string kernel;                                  // empty: all
  bool all_machines = false;                           // else this machine's
  std::vector<std::pair<std::string, double>> values;  // a parameter and its value, to be predicted; none: nothing is
};

struct RefusedFile {
  std::string path;
  std::string reason;
};

struct StoreListing {
  std::string folder;
  std::vector<StoredModel> models;  // by kernel, the latest saved of each first
  std::vector<RefusedFile> refused;
};

// Errors: no folder to look in, a kernel that is not there, values that are not the kernel's parameters.
[[nodiscard]] Result<StoreListing> read_model_store(const StoreQuery& query);

// Keeps a fit for the online models, Agullo et al.'s three phases: the kernel's linear model then has these terms, and
// begins with what the rows say; it is stale until the program's own samples have calibrated it. The target is in ns.
// Gives the file's path. Errors: a name no kernel can have, more parameters or terms than the online models take.
[[nodiscard]] Result<std::string> save_fitted_model(const std::string& home, const std::string& kernel,
                                                    const DataTable& table, const ModelFit& fit);

}  // namespace foretask::analysis
