// SPDX-License-Identifier: Apache-2.0
// HOT: which locks a thread holds, OpenMP's and the system's.
#include <pthread.h>
#include <threads.h>

#include "tuning.hpp"

using foretask::tune::this_thread;

// Locks and critical sections: a task that is run while its creator holds one may wait for it in vain. One that another
// thread lets go of counts as held for good, which only leaves tasks to the runtime.
static void let_go() noexcept {
  if (this_thread.locks > 0) --this_thread.locks;
}

#define FORETASK_LOCK(name, parameters, arguments)                 \
  FORETASK_ENTRY void name parameters {                            \
    FORETASK_NEXT_OF(name, __builtin_return_address(0)) arguments; \
    ++this_thread.locks;                                           \
  }
#define FORETASK_UNLOCK(name, parameters, arguments)               \
  FORETASK_ENTRY void name parameters {                            \
    let_go();                                                      \
    FORETASK_NEXT_OF(name, __builtin_return_address(0)) arguments; \
  }
#define FORETASK_TEST_LOCK(name)                                                \
  FORETASK_ENTRY int name(void* lock) {                                         \
    const int held = FORETASK_NEXT_OF(name, __builtin_return_address(0))(lock); \
    if (held != 0) ++this_thread.locks;                                         \
    return held;                                                                \
  }

FORETASK_LOCK(GOMP_critical_start, (), ())
FORETASK_UNLOCK(GOMP_critical_end, (), ())
FORETASK_LOCK(GOMP_critical_name_start, (void** name), (name))
FORETASK_UNLOCK(GOMP_critical_name_end, (void** name), (name))
FORETASK_LOCK(__kmpc_critical, (void* place, std::int32_t thread, void* lock), (place, thread, lock))
FORETASK_LOCK(__kmpc_critical_with_hint, (void* place, std::int32_t thread, void* lock, std::uint32_t hint),
              (place, thread, lock, hint))
FORETASK_UNLOCK(__kmpc_end_critical, (void* place, std::int32_t thread, void* lock), (place, thread, lock))
// C's functions, and Fortran's with an underscore behind the name.
#define FORETASK_LOCKS(fortran)                                       \
  FORETASK_LOCK(omp_set_lock##fortran, (void* lock), (lock))          \
  FORETASK_UNLOCK(omp_unset_lock##fortran, (void* lock), (lock))      \
  FORETASK_TEST_LOCK(omp_test_lock##fortran)                          \
  FORETASK_LOCK(omp_set_nest_lock##fortran, (void* lock), (lock))     \
  FORETASK_UNLOCK(omp_unset_nest_lock##fortran, (void* lock), (lock)) \
  FORETASK_TEST_LOCK(omp_test_nest_lock##fortran)
FORETASK_LOCKS()
FORETASK_LOCKS(_)

// The system's, which std::mutex and its like are made of: 0 where the thread has got it.
#define FORETASK_SYSTEM_LOCK(name, parameters, arguments) \
  FORETASK_ENTRY int name parameters {                    \
    const int result = FORETASK_NEXT(name) arguments;     \
    if (result == 0) ++this_thread.locks;                 \
    return result;                                        \
  }
#define FORETASK_SYSTEM_UNLOCK(name, parameters) \
  FORETASK_ENTRY int name parameters {           \
    let_go();                                    \
    return FORETASK_NEXT(name)(lock);            \
  }
using Time = const struct timespec;
FORETASK_SYSTEM_LOCK(pthread_mutex_lock, (pthread_mutex_t * lock) noexcept, (lock))
FORETASK_SYSTEM_LOCK(pthread_mutex_trylock, (pthread_mutex_t * lock) noexcept, (lock))
FORETASK_SYSTEM_LOCK(pthread_mutex_timedlock, (pthread_mutex_t * lock, Time* until) noexcept, (lock, until))
FORETASK_SYSTEM_LOCK(pthread_mutex_clocklock, (pthread_mutex_t * lock, clockid_t clock, Time* until) noexcept,
                     (lock, clock, until))
FORETASK_SYSTEM_UNLOCK(pthread_mutex_unlock, (pthread_mutex_t * lock) noexcept)
FORETASK_SYSTEM_LOCK(pthread_rwlock_rdlock, (pthread_rwlock_t * lock) noexcept, (lock))
FORETASK_SYSTEM_LOCK(pthread_rwlock_wrlock, (pthread_rwlock_t * lock) noexcept, (lock))
FORETASK_SYSTEM_LOCK(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock) noexcept, (lock))
FORETASK_SYSTEM_LOCK(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock) noexcept, (lock))
FORETASK_SYSTEM_UNLOCK(pthread_rwlock_unlock, (pthread_rwlock_t * lock) noexcept)
FORETASK_SYSTEM_LOCK(pthread_spin_lock, (pthread_spinlock_t * lock) noexcept, (lock))
FORETASK_SYSTEM_LOCK(pthread_spin_trylock, (pthread_spinlock_t * lock) noexcept, (lock))
FORETASK_SYSTEM_UNLOCK(pthread_spin_unlock, (pthread_spinlock_t * lock) noexcept)
FORETASK_SYSTEM_LOCK(mtx_lock, (mtx_t * lock), (lock))
FORETASK_SYSTEM_LOCK(mtx_trylock, (mtx_t * lock), (lock))
FORETASK_SYSTEM_UNLOCK(mtx_unlock, (mtx_t * lock))
