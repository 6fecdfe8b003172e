// SPDX-License-Identifier: Apache-2.0
// HOT: the C ABI of threads.h. docs/threads.md says why.
#include "foretask/threads.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/messages.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/kernels/size_cells.hpp"
#include "runtime/learning/learned_ticks.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/threads/team_table.hpp"

namespace foretask::runtime {
namespace {

using base::Ticks;

// The learner gets the runs of sizes that are not settled, and of others one as often as that: it needs a processor as
// well.
constexpr Ticks kLearnedEach = 1 << 18;

// Until the next run of this thread is timed, in ticks that its runs take.
constinit thread_local std::int64_t untimed_left __attribute__((tls_model("initial-exec"))) = 0;
// When the learner gets the next run of this thread.
constinit thread_local Ticks learns_at __attribute__((tls_model("initial-exec"))) = 0;

constexpr double kNoSize = -1;

// How large a run is; a number for which SizeCells::is_size() does not hold where a parameter is none.
double size_of(const double* parameters, std::size_t count) noexcept {
  if (count == 1) [[likely]]
    return parameters[0];
  constexpr double kMost = 1e37;  // to the power of FORETASK_MAX_PARAMETERS: a number
  double size = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (!SizeCells::is_size(parameters[i]) || parameters[i] > kMost) return kNoSize;
    size *= parameters[i];
  }
  return size;
}

// The parameters of a sample.
using Row = std::array<double, FORETASK_MAX_PARAMETERS>;
Row row_of(const double* parameters, std::size_t count, int threads) noexcept {
  Row row{};
  std::copy_n(parameters, count, row.begin());
  row[count] = threads;
  return row;
}

void find_learned(TeamTable& table, const foretask_kernel* kernel, const double* parameters, std::size_t count,
                  double size, int max) noexcept {
  for (int slot = 0; slot <= TeamTimes::slot_of(max); ++slot) {
    const int threads = TeamTimes::threads_of(slot, max);
    const Row row = row_of(parameters, count, threads);
    const Ticks ticks = learned_ticks(kernel, row.data(), count + 1);
    if (ticks != 0) table.promise(size, threads, ticks);
  }
}

// Whether a run can be decided on; else it gets as many threads as are allowed.
bool is_question(const foretask_kernel* kernel, const double* parameters, std::size_t count) noexcept {
  if (!base::is_on() || !kernel || (count > 0 && !parameters)) return false;
  if (kernel_parameter_count(kernel) == count + 1) return true;
  static constinit std::atomic<bool> said{false};
  base::say_once(said,
                 "a kernel whose threads are to be chosen has one parameter more than it is asked with, for them");
  return false;
}

bool is_size(double size) noexcept {
  if (SizeCells::is_size(size)) return true;
  static constinit std::atomic<bool> said{false};
  base::say_once(said, "the size of a run is negative or no number: it gets as many threads as are allowed");
  return false;
}

int begin_slow(foretask_threads_run& run, foretask_kernel* kernel, const double* parameters, std::size_t count,
               int max) noexcept {
  if (!is_question(kernel, parameters, count)) return max;
  TeamTable* const table = made_table(kernel->teams);
  const double size = size_of(parameters, count);
  if (!table || !is_size(size)) return max;
  const int most = std::min(max, TeamTable::kMostThreads);
  if ((activity_now() & kLearning) != 0 && table->is_new(size, most))
    find_learned(*table, kernel, parameters, count, size, most);
  untimed_left = static_cast<std::int64_t>(TeamTable::kTimedEach);
  run.max = most;
  run.threads = table->choose(size, most);
  std::copy_n(parameters, count, run.parameters);
  run.kernel = kernel;
  run.begin_ticks = base::ticks_now();
  return run.threads;
}

}  // namespace
}  // namespace foretask::runtime

extern "C" {

using namespace foretask::runtime;
using foretask::base::ticks_now;

int foretask_threads_begin(foretask_threads_run* run, foretask_kernel* kernel, const double* parameters, size_t count,
                           int max) {
  if (!run) return foretask_threads(kernel, parameters, count, max);
  run->kernel = nullptr;
  if (max <= 1) return 1;
  if (kernel && (parameters || count == 0)) [[likely]] {
    const TeamTable* const table = kernel->teams.load(std::memory_order_acquire);
    const double size = size_of(parameters, count);
    if (table && SizeCells::is_size(size)) [[likely]] {
      const TeamTable::Decision now = table->decision(size);
      untimed_left -= static_cast<std::int64_t>(now.ticks);
      if (now.most == max && untimed_left > 0) [[likely]]
        return now.threads;
    }
  }
  return begin_slow(*run, kernel, parameters, count, max);
}

void foretask_threads_end_slow(foretask_threads_run* run) {
  const Ticks now = ticks_now();
  const Ticks ticks = now > run->begin_ticks ? now - run->begin_ticks : 1;
  foretask_kernel* const kernel = run->kernel;
  run->kernel = nullptr;
  TeamTable& table = *kernel->teams.load(std::memory_order_acquire);
  const std::size_t count = kernel_parameter_count(kernel) - 1;
  const double size = size_of(run->parameters, count);
  table.add(size, run->max, run->threads, ticks);
  if ((activity_now() & kLearning) == 0) return;
  if (table.decision(size).most == run->max && now < learns_at) return;
  learns_at = now + kLearnedEach;
  const Row row = row_of(run->parameters, count, run->threads);
  static_cast<void>(foretask_learn(kernel, row.data(), count + 1, Learning::instance().scale().ns(ticks)));
}

int foretask_threads(foretask_kernel* kernel, const double* parameters, size_t count, int max) {
  if (max <= 1) return 1;
  if (!is_question(kernel, parameters, count)) return max;
  const double size = size_of(parameters, count);
  TeamTable* const table = made_table(kernel->teams);
  if (!table || !is_size(size)) return max;
  const int most = std::min(max, TeamTable::kMostThreads);
  if ((activity_now() & kLearning) != 0 && table->is_new(size, most))
    find_learned(*table, kernel, parameters, count, size, most);
  const int best = table->best(size, most);
  return best == 0 ? max : best;
}

}  // extern "C"
