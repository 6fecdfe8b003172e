// SPDX-License-Identifier: Apache-2.0
// HOT: critical sections, ordered regions and locks. GCC uses an atomic instruction where there is one; the lock of the
// others is too short to be worth an event.
#include <cstdint>

#include "libgomp.hpp"
#include "thread.hpp"

using namespace foretask::gomp;

namespace {

// Addresses for what has none.
const char unnamed_critical = 0;
const char ordered = 0;

ompt_wait_id_t id_of(const void* lock) { return reinterpret_cast<std::uintptr_t>(lock); }

// Around libgomp's function `real`.
template <typename Real, typename... Arguments>
void acquire(ompt_mutex_t kind, const void* lock, Real real, Arguments... arguments) {
  const bool is_told = enter() != nullptr;
  if (is_told) tell<ompt_callback_mutex_acquire>(kind, 0U, 0U, id_of(lock), nullptr);
  real(arguments...);
  if (is_told) tell<ompt_callback_mutex_acquired>(kind, id_of(lock), nullptr);
}

template <typename Real, typename... Arguments>
void release(ompt_mutex_t kind, const void* lock, Real real, Arguments... arguments) {
  real(arguments...);
  if (enter() != nullptr) tell<ompt_callback_mutex_released>(kind, id_of(lock), nullptr);
}

// `held`: how often this thread now holds the nestable lock.
void tell_nested(int held, const void* lock) {
  if (held == 1) {
    tell<ompt_callback_mutex_acquired>(ompt_mutex_test_nest_lock, id_of(lock), nullptr);
  } else if (held > 1) {
    tell<ompt_callback_nest_lock>(ompt_scope_begin, id_of(lock), nullptr);
  }
}

}  // namespace

FORETASK_ENTRY void GOMP_critical_start() {
  acquire(ompt_mutex_critical, &unnamed_critical, FORETASK_NEXT(GOMP_critical_start));
}

FORETASK_ENTRY void GOMP_critical_end() {
  release(ompt_mutex_critical, &unnamed_critical, FORETASK_NEXT(GOMP_critical_end));
}

FORETASK_ENTRY void GOMP_critical_name_start(void** name) {
  acquire(ompt_mutex_critical, name, FORETASK_NEXT(GOMP_critical_name_start), name);
}

FORETASK_ENTRY void GOMP_critical_name_end(void** name) {
  release(ompt_mutex_critical, name, FORETASK_NEXT(GOMP_critical_name_end), name);
}

FORETASK_ENTRY void GOMP_ordered_start() { acquire(ompt_mutex_ordered, &ordered, FORETASK_NEXT(GOMP_ordered_start)); }

FORETASK_ENTRY void GOMP_ordered_end() { release(ompt_mutex_ordered, &ordered, FORETASK_NEXT(GOMP_ordered_end)); }

// C's functions, and Fortran's with an underscore behind the name. Of a nestable lock a test says whether the thread's
// own task holds it already: then there is no wait to tell of.
#define FORETASK_LOCKS(fortran)                                                                                       \
  FORETASK_ENTRY void omp_set_lock##fortran(void* lock) {                                                             \
    acquire(ompt_mutex_lock, lock, FORETASK_NEXT(omp_set_lock##fortran), lock);                                       \
  }                                                                                                                   \
  FORETASK_ENTRY void omp_unset_lock##fortran(void* lock) {                                                           \
    release(ompt_mutex_lock, lock, FORETASK_NEXT(omp_unset_lock##fortran), lock);                                     \
  }                                                                                                                   \
  FORETASK_ENTRY int omp_test_lock##fortran(void* lock) {                                                             \
    const int held = FORETASK_NEXT(omp_test_lock##fortran)(lock);                                                     \
    if (held != 0 && enter() != nullptr)                                                                              \
      tell<ompt_callback_mutex_acquired>(ompt_mutex_test_lock, id_of(lock), nullptr);                                 \
    return held;                                                                                                      \
  }                                                                                                                   \
  FORETASK_ENTRY int omp_test_nest_lock##fortran(void* lock) {                                                        \
    const int held = FORETASK_NEXT(omp_test_nest_lock##fortran)(lock);                                                \
    if (held != 0 && enter() != nullptr) tell_nested(held, lock);                                                     \
    return held;                                                                                                      \
  }                                                                                                                   \
  FORETASK_ENTRY void omp_set_nest_lock##fortran(void* lock) {                                                        \
    const auto real = FORETASK_NEXT(omp_set_nest_lock##fortran);                                                      \
    if (enter() == nullptr) return real(lock);                                                                        \
    if (const int held = FORETASK_NEXT(omp_test_nest_lock##fortran)(lock); held != 0) return tell_nested(held, lock); \
    acquire(ompt_mutex_nest_lock, lock, real, lock);                                                                  \
  }                                                                                                                   \
  FORETASK_ENTRY void omp_unset_nest_lock##fortran(void* lock) {                                                      \
    FORETASK_NEXT(omp_unset_nest_lock##fortran)(lock);                                                                \
    if (enter() != nullptr) tell<ompt_callback_mutex_released>(ompt_mutex_nest_lock, id_of(lock), nullptr);           \
  }
FORETASK_LOCKS()
FORETASK_LOCKS(_)
