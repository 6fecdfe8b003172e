// SPDX-License-Identifier: Apache-2.0
// The choice among models of T(n, p), and the answer with its interval and bounds.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foretask/analysis/program_model.hpp"
#include "predict/growth/growth_law.hpp"
#include "predict/program/judged_form.hpp"
#include "predict/program/replayed_graph.hpp"
#include "predict/program/work_law.hpp"

namespace foretask::analysis {

// Replays of the graph that stands for these runs; null where none can be had.
using ReplayGraph = std::function<std::shared_ptr<const predict::ReplayedGraph>(std::span<const ProgramRun>)>;

struct ProgramModel::Impl {
  // `replay` may be empty; `memory` is that of the machine that the runs were on.
  [[nodiscard]] static Result<std::unique_ptr<Impl>> fit(const ProgramTable& table, const ProgramModelOptions& options,
                                                         const ReplayGraph& replay,
                                                         const std::optional<predict::MemorySlowdown>& memory);

  // For what is fitted elsewhere.
  [[nodiscard]] static ProgramModel model_of(std::unique_ptr<Impl> impl) { return ProgramModel(std::move(impl)); }

  [[nodiscard]] const predict::JudgedForm& chosen() const { return forms[chosen_place]; }

  [[nodiscard]] Result<void> choose(const std::string& wanted);
  void list_scores();

  std::string size_name;
  std::vector<double> sizes;
  std::vector<double> workers;
  std::vector<predict::JudgedForm> forms;  // `growth` first, which says what the chosen one does not: the span
  std::size_t chosen_place = 0;
  std::optional<predict::GrowthLaw> burdened_span;
  std::vector<ProgramModelScore> scores;
};

}  // namespace foretask::analysis
