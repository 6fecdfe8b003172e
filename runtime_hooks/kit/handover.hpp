// SPDX-License-Identifier: Apache-2.0
// What a runtime hands from one thread to another, said to the thread sanitizer, which does not see how the runtime
// orders its threads. Nothing in any other build. What a thread has done before handed_over() comes before what another
// one does after taken_over() of the same address. Null is no address.
#pragma once

#ifdef FORETASK_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace foretask {

inline void handed_over([[maybe_unused]] const void* address) noexcept {
#ifdef FORETASK_THREAD_SANITIZER
  if (address) __tsan_release(const_cast<void*>(address));
#endif
}

inline void taken_over([[maybe_unused]] const void* address) noexcept {
#ifdef FORETASK_THREAD_SANITIZER
  if (address) __tsan_acquire(const_cast<void*>(address));
#endif
}

}  // namespace foretask
