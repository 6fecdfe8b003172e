// SPDX-License-Identifier: Apache-2.0
// The tasks' bodies, and their creation with depend clauses.
#include "fmm/program.hpp"

namespace fmm {

Points Program::points(int leaf) {
  const Range range = tree_.leaves().children(leaf);
  return {&particles_.x[range.begin], &particles_.y[range.begin], &particles_.charge[range.begin],
          &particles_.potential[range.begin], static_cast<std::size_t>(range.size())};
}

void Program::p2m(Task& task) {
  Level& leaves = tree_.leaves();
  const TimedBody body(kernels_, task);
  const Range cells = leaves.group(task.target);
  for (int leaf = cells.begin; leaf < cells.end; ++leaf)
    laplace_.p2m(leaves.box(leaf), points(leaf), leaves.multipole(leaf));
}

void Program::m2m(Task& task) {
  Level& level = tree_.level(task.depth);
  Level& below = tree_.level(task.depth + 1);
  const TimedBody body(kernels_, task);
  const Range children = common_part(level.children(level.group(task.target)), below.group(task.source));
  for (int child = children.begin; child < children.end; ++child)
    laplace_.m2m(below.corner(child), below.multipole(child), level.multipole(below.parent(child)));
}

void Program::m2l_in(Task& task) {
  Level& level = tree_.level(task.depth);
  const Level& above = tree_.level(task.depth - 1);
  TimedBody body(kernels_, task);
  const Range cells = level.group(task.target);
  long interactions = 0;
  for (int target = cells.begin; target < cells.end; ++target)
    for_each_far_cell(level, above, target, cells, [&](int source) {
      laplace_.m2l(level.x(source) - level.x(target), level.y(source) - level.y(target), level.width(),
                   level.multipole(source), level.local(target));
      ++interactions;
    });
  body.set_indirect({static_cast<double>(interactions)});
}

void Program::m2l_out(Task& task) {
  Level& level = tree_.level(task.depth);
  TimedBody body(kernels_, task);
  const std::vector<Link>& links = far_pairs_[task.depth][task.source].links;
  for (const Link link : links)
    laplace_.m2l(level.x(link.source) - level.x(link.target), level.y(link.source) - level.y(link.target),
                 level.width(), level.multipole(link.source), level.local(link.target));
  body.set_indirect({static_cast<double>(links.size())});
}

void Program::l2l(Task& task) {
  Level& level = tree_.level(task.depth);
  Level& above = tree_.level(task.depth - 1);
  const TimedBody body(kernels_, task);
  const Range children = common_part(above.children(above.group(task.source)), level.group(task.target));
  for (int child = children.begin; child < children.end; ++child)
    laplace_.l2l(level.corner(child), above.local(level.parent(child)), level.local(child));
}

void Program::l2p(Task& task) {
  Level& leaves = tree_.leaves();
  const TimedBody body(kernels_, task);
  const Range cells = leaves.group(task.target);
  for (int leaf = cells.begin; leaf < cells.end; ++leaf)
    laplace_.l2p(leaves.box(leaf), leaves.local(leaf), points(leaf));
}

void Program::p2p_in(Task& task) {
  const Level& leaves = tree_.leaves();
  TimedBody body(kernels_, task);
  const Range cells = leaves.group(task.target);
  NearWork work;
  for (int target = cells.begin; target < cells.end; ++target) {
    const Points targets = points(target);
    for_each_near_leaf(leaves, target, cells, [&](int source) {
      const Points sources = points(source);
      laplace_.p2p(targets, sources);
      work.add(static_cast<double>(targets.count), static_cast<double>(sources.count));
    });
  }
  body.set_indirect({work.sums, work.pairs});
}

void Program::p2p_out(Task& task) {
  TimedBody body(kernels_, task);
  NearWork work;
  for (const Link link : near_pairs_[task.source].links) {
    const Points targets = points(link.target);
    const Points sources = points(link.source);
    laplace_.p2p(targets, sources);
    work.add(static_cast<double>(targets.count), static_cast<double>(sources.count));
  }
  body.set_indirect({work.sums, work.pairs});
}

void Program::run_task(Task& task, void (Program::*kernel)(Task&)) {
  if (prediction_ == kOnline) predict(task);
  (this->*kernel)(task);
}

// One construct a kernel, so that a recording knows them apart. The first number of a group stands for all of it.
void Program::create(Task* task) {
  // GCC 12 does not count a depend clause as a use.
  [[maybe_unused]] const double* read = nullptr;
  [[maybe_unused]] double* written = nullptr;
  switch (task->kernel) {
    case kP2m:
      written = multipoles(task->depth, task->target);
#pragma omp task depend(out : written[0]) firstprivate(task)
      run_task(*task, &Program::p2m);
      break;
    case kM2m:
      read = multipoles(task->depth + 1, task->source);
      written = multipoles(task->depth, task->target);
#pragma omp task depend(in : read[0]) depend(inout : written[0]) firstprivate(task)
      run_task(*task, &Program::m2m);
      break;
    case kM2lIn:
      read = multipoles(task->depth, task->target);
      written = locals(task->depth, task->target);
#pragma omp task depend(in : read[0]) depend(inout : written[0]) firstprivate(task)
      run_task(*task, &Program::m2l_in);
      break;
    case kM2lOut:
      read = multipoles(task->depth, far_pairs_[task->depth][task->source].source);
      written = locals(task->depth, task->target);
#pragma omp task depend(in : read[0]) depend(inout : written[0]) firstprivate(task)
      run_task(*task, &Program::m2l_out);
      break;
    case kL2l:
      read = locals(task->depth - 1, task->source);
      written = locals(task->depth, task->target);
#pragma omp task depend(in : read[0]) depend(inout : written[0]) firstprivate(task)
      run_task(*task, &Program::l2l);
      break;
    case kL2p:
      read = locals(task->depth, task->target);
      written = potentials(task->target);
#pragma omp task depend(in : read[0]) depend(inout : written[0]) firstprivate(task)
      run_task(*task, &Program::l2p);
      break;
    case kP2pIn:
      written = potentials(task->target);
#pragma omp task depend(inout : written[0]) firstprivate(task)
      run_task(*task, &Program::p2p_in);
      break;
    default:
      written = potentials(task->target);
#pragma omp task depend(inout : written[0]) firstprivate(task)
      run_task(*task, &Program::p2p_out);
      break;
  }
}

void Program::create_tasks() {
  for (Task& task : tasks_) create(&task);
#pragma omp taskwait
}

void Program::run(examples::Run& run) {
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp single nowait
    {
      run.start();
      create_tasks();
    }
  }
  run.stop();
}

}  // namespace fmm
