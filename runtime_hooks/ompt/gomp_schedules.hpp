// SPDX-License-Identifier: Apache-2.0
// The schedules by which libgomp's functions are named, and a foretask_schedule of each.
#pragma once

#include "foretask/hook.h"

#define FORETASK_FOR_EACH_GOMP_LOOP(loop, runtime_loop)                                                             \
  loop(static, FORETASK_SCHEDULE_STATIC) loop(dynamic, FORETASK_SCHEDULE_DYNAMIC)                                   \
      loop(guided, FORETASK_SCHEDULE_GUIDED) loop(nonmonotonic_dynamic, FORETASK_SCHEDULE_DYNAMIC)                  \
          loop(nonmonotonic_guided, FORETASK_SCHEDULE_GUIDED)                                                       \
              loop(ordered_static, FORETASK_SCHEDULE_STATIC | FORETASK_SCHEDULE_ORDERED)                            \
                  loop(ordered_dynamic, FORETASK_SCHEDULE_DYNAMIC | FORETASK_SCHEDULE_ORDERED)                      \
                      loop(ordered_guided, FORETASK_SCHEDULE_GUIDED | FORETASK_SCHEDULE_ORDERED)                    \
                          runtime_loop(runtime, FORETASK_SCHEDULE_UNKNOWN)                                          \
                              runtime_loop(nonmonotonic_runtime, FORETASK_SCHEDULE_UNKNOWN)                         \
                                  runtime_loop(maybe_nonmonotonic_runtime, FORETASK_SCHEDULE_UNKNOWN) runtime_loop( \
                                      ordered_runtime, FORETASK_SCHEDULE_UNKNOWN | FORETASK_SCHEDULE_ORDERED)
