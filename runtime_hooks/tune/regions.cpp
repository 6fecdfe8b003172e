// SPDX-License-Identifier: Apache-2.0
// HOT: parallel regions and taskloops: with which schedule their loops run that leave it to the runtime, and on how
// many threads.
#include <algorithm>
#include <cstdarg>
#include <utility>

#include "gomp/libgomp.hpp"
#include "tuning.hpp"

extern "C" {
void __kmp_invoke_microtask(void (*body)(std::int32_t*, std::int32_t*, ...), std::int32_t thread, std::int32_t number,
                            std::int32_t count, void** arguments, void** frame);
std::int32_t __kmpc_global_thread_num(void* place);
}

namespace {

using namespace foretask::tune;
using Unsigned = unsigned long long;

bool is_asked() noexcept {
  return (__atomic_load_n(&foretask_tuned_has_loop, __ATOMIC_RELAXED) | foretask_tuned_has_region_threads) != 0 &&
         tunes();
}

bool is_recorded() noexcept {
  static const bool is = foretask::kit::find_anywhere<void (*)()>("foretask_gomp_task") != nullptr;
  return is;
}

// A region of `code`, from its begin to its end. `threads`: what the program asks for; 0: nothing.
class Region {
 public:
  Region(const void* code, unsigned threads) noexcept : threads_(threads) {
    static const auto most = foretask::kit::find_function<int (*)()>("omp_get_max_threads");
    if (!is_asked()) return;
    const int allowed = threads == 0 && most != nullptr ? most() : 1;
    const int chosen = foretask_tuned_region_begin(&region_, foretask::kit::code_of(code), allowed);
    if (chosen < allowed) threads_ = static_cast<unsigned>(chosen);
    this_thread.region = &region_;
  }
  ~Region() {
    foretask_tuned_region_end(&region_);
    this_thread.region = outer_;
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  [[nodiscard]] unsigned threads() const noexcept { return threads_; }

 private:
  foretask_tuned_region region_{};
  foretask_tuned_region* outer_ = this_thread.region;
  unsigned threads_ = 0;
};

template <typename Function>
const void* address_of(Function* function) {
  return reinterpret_cast<const void*>(function);
}

// How many iterations a loop has. `span`: its last bound less its first one; it and `step` are in two's complement.
std::uint64_t iterations_of(std::uint64_t span, std::uint64_t step) noexcept {
  const auto size = [](std::uint64_t number) { return std::min(number, ~number + 1); };
  // GCC's runtime computes chunks of such in too few bits.
  if (size(span) >> 62 != 0 || size(step) >> 31 != 0) return UINT64_MAX;
  return size(span) / std::max<std::uint64_t>(size(step), 1) + 1;
}

void see_loop(std::uint64_t span, std::uint64_t step) noexcept {
  if (__atomic_load_n(&foretask_tuned_has_loop, __ATOMIC_RELAXED) == 0)
    __atomic_store_n(&foretask_tuned_has_loop, 1, __ATOMIC_RELAXED);
  foretask_tuned_region* const region = this_thread.region;
  if (region == nullptr || region->iterations == UINT64_MAX) return;
  const std::uint64_t iterations = iterations_of(span, step);
  region->iterations = iterations == UINT64_MAX ? iterations : region->iterations + iterations;
}

}  // namespace

// A program that sets a schedule may count on which iterations a thread gets.
#define FORETASK_SET_SCHEDULE(name, Integer)                            \
  FORETASK_ENTRY void name(Integer kind, Integer chunk) {               \
    if (foretask_tuned_is_setting == 0) foretask_tuned_keep_schedule(); \
    FORETASK_NEXT_OF(name, __builtin_return_address(0))(kind, chunk);   \
  }
FORETASK_SET_SCHEDULE(omp_set_schedule, int)
FORETASK_SET_SCHEDULE(omp_set_schedule_, const std::int32_t*)
FORETASK_SET_SCHEDULE(omp_set_schedule_8_, const std::int64_t*)

// GCC's programs.

FORETASK_ENTRY void GOMP_parallel(foretask::gomp::Body body, void* data, unsigned threads, unsigned flags) {
  const Region region(address_of(body), threads);
  FORETASK_NEXT_OF(GOMP_parallel, __builtin_return_address(0))(body, data, region.threads(), flags);
}

#define FORETASK_PARALLEL_LOOP(name)                                                                                  \
  FORETASK_ENTRY void name(foretask::gomp::Body body, void* data, unsigned threads, long first, long last, long step, \
                           unsigned flags) {                                                                          \
    const auto real = FORETASK_NEXT_OF(name, __builtin_return_address(0));                                            \
    /* A recorder has the loop's place from this call, which a jump leaves as it is. */                               \
    if (is_recorded()) return real(body, data, threads, first, last, step, flags);                                    \
    const Region region(address_of(body), threads);                                                                   \
    see_loop(static_cast<std::uint64_t>(last - first), static_cast<std::uint64_t>(step));                             \
    real(body, data, region.threads(), first, last, step, flags);                                                     \
  }
FORETASK_PARALLEL_LOOP(GOMP_parallel_loop_runtime)
FORETASK_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
FORETASK_PARALLEL_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#define FORETASK_LOOP(suffix)                                                                                          \
  FORETASK_ENTRY bool GOMP_loop_##suffix##_start(long first, long last, long step, long* begin, long* end) {           \
    see_loop(static_cast<std::uint64_t>(last - first), static_cast<std::uint64_t>(step));                              \
    return FORETASK_NEXT_OF(GOMP_loop_##suffix##_start, __builtin_return_address(0))(first, last, step, begin, end);   \
  }                                                                                                                    \
  FORETASK_ENTRY bool GOMP_loop_ull_##suffix##_start(bool up, Unsigned first, Unsigned last, Unsigned step,            \
                                                     Unsigned* begin, Unsigned* end) {                                 \
    see_loop(last - first, step);                                                                                      \
    return FORETASK_NEXT_OF(GOMP_loop_ull_##suffix##_start, __builtin_return_address(0))(up, first, last, step, begin, \
                                                                                         end);                         \
  }
FORETASK_LOOP(runtime)
FORETASK_LOOP(nonmonotonic_runtime)
FORETASK_LOOP(maybe_nonmonotonic_runtime)
FORETASK_LOOP(ordered_runtime)

// LLVM's programs.

namespace {

using Microtask = void (*)(std::int32_t* thread, std::int32_t* number, ...);

// So many arguments go on as they came; more of them through one of the runtime's own functions.
constexpr int kArguments = 16;

struct Packed {
  Microtask body;
  std::int32_t count;
  void** arguments;
};

void run_packed(std::int32_t* thread, std::int32_t* number, ...) {
  std::va_list list;
  va_start(list, number);
  const auto* const packed = va_arg(list, const Packed*);
  va_end(list);
  void* frame = nullptr;
  FORETASK_NEXT_OF(__kmp_invoke_microtask, nullptr)
  (packed->body, *thread, *number, packed->count, packed->arguments, &frame);
}

thread_local bool has_asked_for_threads = false;

}  // namespace

FORETASK_ENTRY void __kmpc_push_num_threads(void* place, std::int32_t thread, std::int32_t threads) {
  has_asked_for_threads = true;
  FORETASK_NEXT_OF(__kmpc_push_num_threads, __builtin_return_address(0))(place, thread, threads);
}

FORETASK_ENTRY void __kmpc_fork_call(void* place, std::int32_t count, Microtask body, ...) {
  const void* const caller = __builtin_return_address(0);
  const auto real = FORETASK_NEXT_OF(__kmpc_fork_call, caller);
  const bool has_asked = std::exchange(has_asked_for_threads, false);
  auto** const arguments =
      static_cast<void**>(__builtin_alloca(static_cast<std::size_t>(std::max(count, kArguments)) * sizeof(void*)));
  std::va_list list;
  va_start(list, body);
  for (int i = 0; i < std::max(count, kArguments); ++i) arguments[i] = i < count ? va_arg(list, void*) : nullptr;
  va_end(list);
  const Region region(address_of(body), has_asked ? 1 : 0);
  if (!has_asked && region.threads() != 0) {
    const std::int32_t thread = FORETASK_NEXT_OF(__kmpc_global_thread_num, caller)(place);
    const auto push = FORETASK_NEXT_OF(__kmpc_push_num_threads, caller);
    push(place, thread, static_cast<std::int32_t>(region.threads()));
  }
  if (count > kArguments) {
    const Packed packed{body, count, arguments};
    return real(place, 1, run_packed, &packed);
  }
  real(place, count, body, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5],
       arguments[6], arguments[7], arguments[8], arguments[9], arguments[10], arguments[11], arguments[12],
       arguments[13], arguments[14], arguments[15]);
}

namespace {

// Kinds of schedules of compiled code, below the bits of monotonic and nonmonotonic.
constexpr std::int32_t kKinds = (1 << 29) - 1;
constexpr std::int32_t kRuntime = 37;
constexpr std::int32_t kAuto = 38;

// That of a loop that leaves it to the runtime.
std::int32_t schedule_of(std::int32_t schedule, std::uint64_t span, std::uint64_t step) noexcept {
  const std::int32_t kind = schedule & kKinds;
  if (kind != kRuntime && kind != kAuto) return schedule;
  see_loop(span, step);
  return kind == kAuto && foretask_tuned_has_schedule() != 0 ? schedule - kAuto + kRuntime : schedule;
}

}  // namespace

#define FORETASK_DISPATCH(suffix, Number, Signed)                                                                      \
  FORETASK_ENTRY void __kmpc_dispatch_init_##suffix(void* place, std::int32_t thread, std::int32_t schedule,           \
                                                    Number lower, Number upper, Signed step, Signed chunk) {           \
    FORETASK_NEXT_OF(__kmpc_dispatch_init_##suffix, __builtin_return_address(0))                                       \
    (place, thread,                                                                                                    \
     schedule_of(schedule, static_cast<std::uint64_t>(upper - lower), static_cast<std::uint64_t>(step)), lower, upper, \
     step, chunk);                                                                                                     \
  }
FORETASK_DISPATCH(4, std::int32_t, std::int32_t)
FORETASK_DISPATCH(4u, std::uint32_t, std::int32_t)
FORETASK_DISPATCH(8, std::int64_t, std::int64_t)
FORETASK_DISPATCH(8u, std::uint64_t, std::int64_t)

namespace {

struct TaskHead {  // of kmp_task_t
  void* shared;
  void (*routine)();
};

// How a taskloop divides its iterations: as the runtime wants, or into num_tasks.
enum Division : std::int32_t { kNothing = 0, kNumber = 2 };

}  // namespace

// Compiled code waits for the tasks by the end of a group that it has begun before: until there it is timed.
#define FORETASK_TASKLOOP(name, declared, given)                                                                      \
  FORETASK_ENTRY void name(void* place, std::int32_t thread, TaskHead* task, std::int32_t condition, Unsigned* lower, \
                           Unsigned* upper, long long step, std::int32_t no_group, std::int32_t division,             \
                           Unsigned number declared, void* copy) {                                                    \
    const auto real = FORETASK_NEXT_OF(name, __builtin_return_address(0));                                            \
    see_other();                                                                                                      \
    foretask_tuned_region& timed = this_thread.taskloop;                                                              \
    if (condition != 0 && no_group != 0 && division == kNothing && timed.loops == nullptr && tunes()) {               \
      timed.iterations = iterations_of(*upper - *lower, static_cast<Unsigned>(step));                                 \
      const int tasks = foretask_tuned_taskloop_begin(&timed, foretask::kit::code_of(task->routine));                 \
      if (tasks != 0) {                                                                                               \
        division = kNumber;                                                                                           \
        number = static_cast<Unsigned>(tasks);                                                                        \
      }                                                                                                               \
    }                                                                                                                 \
    real(place, thread, task, condition, lower, upper, step, no_group, division, number given, copy);                 \
  }
#define FORETASK_COMMA ,
FORETASK_TASKLOOP(__kmpc_taskloop, , )
FORETASK_TASKLOOP(__kmpc_taskloop_5, FORETASK_COMMA std::int32_t modifier, FORETASK_COMMA modifier)
