// SPDX-License-Identifier: Apache-2.0
// HOT: the C ABI of tune_hook.h, of regions. docs/tune.md says why.
#include "runtime/granularity/tuned_tasks.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <string>

#include "base/region_name.hpp"
#include "foretask/tune_hook.h"
#include "runtime/granularity/tuned_loops.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/code_kernels.hpp"

extern "C" {

__attribute__((weak)) int omp_get_level();
__attribute__((weak)) int omp_get_num_threads();
__attribute__((weak)) int omp_get_max_threads();
__attribute__((weak)) void omp_get_schedule(int* kind, int* chunk);
__attribute__((weak)) void omp_set_schedule(int kind, int chunk);

constinit int foretask_tuned_has_loop = 0;
constinit int foretask_tuned_has_region_threads = 0;
constinit __thread int foretask_tuned_is_setting = 0;

}  // extern "C"

namespace foretask::runtime {
namespace {

using base::Ticks;

// As omp_set_schedule() has it; kind 0: the program's own.
struct LoopSchedule {
  int kind;
  int chunk;
};
constexpr std::array<LoopSchedule, 6> kSchedules{{{0, 0}, {3, 1}, {2, 16}, {2, 256}, {1, 0}, {2, 1}}};
// What handing a chunk to one of several threads may take, in ticks, and which part of a run all may take in a trial.
constexpr Ticks kHanding = 1000;
constexpr Ticks kTrialPart = 4;
// In longer ones the tasks of a taskloop are worth making.
constexpr Ticks kShortTaskloop = 2'000'000;
constexpr std::size_t kTaskloopWays = 3;  // as the runtime has it, one task, and as many as there are threads

std::atomic<bool> tunes_loops{false};  // neither the user nor the program has said a schedule
const model::TunedProgram* recalled = nullptr;
// The program's, as it was when it began.
std::atomic<int> first_kind{0};
std::atomic<int> first_chunk{0};

void set_schedule(int kind, int chunk) noexcept {
  foretask_tuned_is_setting = 1;
  omp_set_schedule(kind, chunk);
  foretask_tuned_is_setting = 0;
}

// Null: there is no memory, or the code is not known.
TunedLoops* loops_of(foretask_kernel* kernel) noexcept {
  if (TunedLoops* const loops = kernel->tuned_loops.load(std::memory_order_acquire)) return loops;
  TunedLoops* const loops = made_table(kernel->tuned_loops);
  if (!loops || !loops->try_begin()) return nullptr;
  try {
    const std::string version = version_of(*kernel);
    for (const model::TunedPlace& one : recalled->regions) {
      if (one.name != kernel->name || one.version != version || one.cells.size() != 1) continue;
      const auto& [way, threads] = one.cells.front();
      if (way < kSchedules.size()) loops->recall(static_cast<int>(way), static_cast<int>(threads), one.took);
    }
  } catch (const std::exception&) {
  }
  loops->end();
  return loops;
}

// False: they are left alone.
template <typename MayTry>
bool begin_ways(foretask_tuned_region& region, foretask_kernel* kernel, std::size_t ways, int threads,
                MayTry may_try) noexcept {
  TunedLoops* const loops = kernel ? loops_of(kernel) : nullptr;
  if (!loops || !loops->try_begin()) return false;
  region.loops = reinterpret_cast<foretask_tuned_loops*>(loops);
  region.way = loops->next(static_cast<int>(ways), threads, may_try);
  return true;
}

// Of the thread that opens a region.
void begin_loops(foretask_tuned_region& region, foretask_kernel* kernel) noexcept {
  const auto may_try = [](int way, Ticks ticks, std::uint64_t iterations) {
    const auto chunk = static_cast<std::uint64_t>(kSchedules[static_cast<std::size_t>(way)].chunk);
    return kSchedules[static_cast<std::size_t>(way)].kind != 2 || iterations / chunk * kHanding < ticks / kTrialPart;
  };
  if (!begin_ways(region, kernel, kSchedules.size(), omp_get_max_threads(), may_try)) return;
  omp_get_schedule(&region.kind, &region.chunk);
  if (first_kind.load(std::memory_order_relaxed) == 0) {
    first_chunk.store(region.chunk, std::memory_order_relaxed);
    first_kind.store(region.kind, std::memory_order_relaxed);
  }
  const LoopSchedule& schedule = kSchedules[static_cast<std::size_t>(region.way)];
  if (schedule.kind != 0) set_schedule(schedule.kind, schedule.chunk);
}

}  // namespace

void start_tuning_regions(const base::Environment& environment, const model::TunedProgram& earlier) {
  const char* const said = std::getenv("OMP_SCHEDULE");
  tunes_loops = !environment.tunes_dry && (!said || !*said);
  foretask_tuned_has_region_threads = environment.tunes_region_threads && !environment.tunes_dry ? 1 : 0;
  recalled = &earlier;
}

TunedRegions count_tuned_regions() {
  TunedRegions count;
  for (const foretask_kernel* kernel : KernelRegistry::instance().all()) {
    const TunedLoops* const loops = kernel->tuned_loops.load();
    count.with_loops += loops && loops->has_loops() ? 1 : 0;
    count.changed += loops && loops->best() != 0 ? 1 : 0;
  }
  return count;
}

void keep_tuned_regions(model::TunedProgram& found) {
  for (const foretask_kernel* kernel : KernelRegistry::instance().all()) {
    TunedLoops* const loops = kernel->tuned_loops.load();
    if (!loops || !loops->has_loops() || !loops->try_begin()) continue;
    found.regions.push_back({kernel->name, version_of(*kernel), loops->ticks(), {loops->found()}});
    loops->end();
  }
}

}  // namespace foretask::runtime

extern "C" {

using namespace foretask::runtime;
using foretask::base::KernelKind;
using foretask::base::ticks_now;

int foretask_tuned_region_begin(foretask_tuned_region* region, const void* code, int threads) {
  if (!omp_get_level || !omp_set_schedule || omp_get_level() > 0) return threads;
  foretask_kernel* const kernel = kernel_of_code(code, KernelKind::kRegion);
  if (!kernel) return threads;
  if (tunes_loops && __atomic_load_n(&foretask_tuned_has_loop, __ATOMIC_RELAXED) != 0) begin_loops(*region, kernel);
  if (foretask_tuned_has_region_threads != 0 && threads > 1)
    threads = foretask_threads_begin(&region->run, kernel, nullptr, 0, threads);
  region->begin_ticks = ticks_now();
  return threads;
}

int foretask_tuned_taskloop_begin(foretask_tuned_region* region, const void* code) {
  if (!tunes_loops || !omp_get_num_threads) return 0;
  foretask_kernel* const kernel = kernel_of_code(code, KernelKind::kLoopTasks);
  const auto may_try = [](int, Ticks ticks, std::uint64_t) { return ticks < kShortTaskloop; };
  if (!begin_ways(*region, kernel, kTaskloopWays, omp_get_num_threads(), may_try)) return 0;
  region->begin_ticks = ticks_now();
  return region->way < 2 ? region->way : omp_get_num_threads();
}

void foretask_tuned_region_end(foretask_tuned_region* region) {
  if (region->loops) {
    auto& loops = *reinterpret_cast<TunedLoops*>(region->loops);
    loops.add(region->way, ticks_now() - region->begin_ticks, region->iterations);
    if (region->way != 0 && region->kind != 0) set_schedule(region->kind, region->chunk);
    loops.end();
  }
  foretask_threads_end(&region->run);
}

void foretask_tuned_keep_schedule(void) { tunes_loops.store(false); }

int foretask_tuned_has_schedule(void) {
  int kind = 0;
  int chunk = 0;
  const int first = first_kind.load(std::memory_order_relaxed);
  if (first == 0 || !omp_get_schedule) return 0;
  omp_get_schedule(&kind, &chunk);
  return kind != first || chunk != first_chunk.load(std::memory_order_relaxed) ? 1 : 0;
}

}  // extern "C"
