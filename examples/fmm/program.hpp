// SPDX-License-Identifier: Apache-2.0
// The method as tasks over groups: all of them are listed first, so that their times can be predicted before the first
// one runs, then created in that order, with depend clauses.
#pragma once

#include <vector>

#include "common.hpp"
#include "fmm/group_tree.hpp"
#include "fmm/interactions.hpp"
#include "fmm/kernels.hpp"
#include "fmm/laplace.hpp"

namespace fmm {

// When foretask is asked for a task's time: before the first task runs, from what its store knows; or just before the
// task itself, from what it has learned by then as well.
enum Prediction : long { kNoPrediction, kAhead, kOnline };

class Program {
 public:
  // The particles are in the tree's order. All arguments must outlive the program.
  Program(Particles& particles, GroupTree& tree, const Laplace& laplace, const Kernels& kernels, Prediction prediction);

  // Once: adds to the particles' potentials.
  void run(examples::Run& run);

  // Timed, and predicted if that was asked for, when run() is done.
  [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; }

 private:
  void list_upward();
  void list_far_field();
  void list_downward();
  void list_near_field();
  void list_transfers(KernelId kernel, int depth);
  void list(KernelId kernel, int depth, int target, int source, Parameters parameters);

  // Fills in its indirect parameters, counted without doing the work.
  void count_indirect(Task& task) const;
  void predict(Task& task);

  void create_tasks();
  void create(Task* task);
  void run_task(Task& task, void (Program::*kernel)(Task&));
  void p2m(Task& task);
  void m2m(Task& task);
  void m2l_in(Task& task);
  void m2l_out(Task& task);
  void l2l(Task& task);
  void l2p(Task& task);
  void p2p_in(Task& task);
  void p2p_out(Task& task);

  // What stands for a group in the depend clauses.
  [[nodiscard]] double* multipoles(int depth, int group) {
    return tree_.level(depth).multipole(tree_.level(depth).group(group).begin);
  }
  [[nodiscard]] double* locals(int depth, int group) {
    return tree_.level(depth).local(tree_.level(depth).group(group).begin);
  }
  [[nodiscard]] double* potentials(int group) {
    return &particles_.potential[tree_.leaves().children(tree_.leaves().group(group)).begin];
  }
  // Of a leaf.
  [[nodiscard]] Points points(int leaf);

  Particles& particles_;
  GroupTree& tree_;
  const Laplace& laplace_;
  const Kernels& kernels_;
  Prediction prediction_;
  std::vector<std::vector<GroupPair>> far_pairs_;  // by level
  std::vector<GroupPair> near_pairs_;
  std::vector<Task> tasks_;
};

}  // namespace fmm
