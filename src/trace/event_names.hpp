// SPDX-License-Identifier: Apache-2.0
// Names and fields of the events, as the trace's metadata gives them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "foretask/hook.h"

namespace foretask::trace {

struct EventDescription {
  std::uint32_t kind;
  std::string_view name;
  std::string_view fields;  // in CTF's TSDL
};

inline constexpr std::array kEvents = {
    EventDescription{FORETASK_EVENT_TASK_CREATE, "task_create", "hex32 code;"},
    EventDescription{FORETASK_EVENT_TASK_CREATE_FLAGGED, "task_create_flagged", "hex32 code; hex32 flags;"},
    EventDescription{FORETASK_EVENT_TASK_SWITCH_OWN, "task_switch_own", "uint32 task;"},
    EventDescription{FORETASK_EVENT_TASK_SWITCH, "task_switch", "uint32 task; uint32 creator;"},
    EventDescription{FORETASK_EVENT_TASK_END, "task_end", ""},
    EventDescription{FORETASK_EVENT_TASK_DETACH, "task_detach", ""},
    EventDescription{FORETASK_EVENT_TASK_FULFILL, "task_fulfill", "uint32 task; uint32 creator;"},
    EventDescription{FORETASK_EVENT_WAIT_BEGIN, "taskwait_begin", ""},
    EventDescription{FORETASK_EVENT_WAIT_END, "taskwait_end", ""},
    EventDescription{FORETASK_EVENT_DEPEND_WAIT_END, "depend_wait_end", "uint32 task; uint32 creator;"},
    EventDescription{FORETASK_EVENT_GROUP_BEGIN, "taskgroup_begin", ""},
    EventDescription{FORETASK_EVENT_GROUP_WAIT, "taskgroup_wait", ""},
    EventDescription{FORETASK_EVENT_GROUP_END, "taskgroup_end", ""},
    EventDescription{FORETASK_EVENT_BARRIER_BEGIN, "barrier_begin", ""},
    EventDescription{FORETASK_EVENT_BARRIER_END, "barrier_end", ""},
    EventDescription{FORETASK_EVENT_REGION_BEGIN, "region_begin", "hex32 code; uint32 requested;"},
    EventDescription{FORETASK_EVENT_REGION_END, "region_end", "uint32 region; uint32 creator;"},
    EventDescription{FORETASK_EVENT_IMPLICIT_BEGIN, "implicit_begin",
                     "uint32 region; uint32 creator; uint32 team_size; uint32 index;"},
    EventDescription{FORETASK_EVENT_IMPLICIT_END, "implicit_end", "uint32 task; uint32 creator;"},
    EventDescription{FORETASK_EVENT_DEPENDENCES, "dependences",
                     "uint32 count; struct { hex64 address; uint32 kind; } list[count];"},
    EventDescription{FORETASK_EVENT_LOCK_WAIT, "lock_wait", "hex64 lock; uint32 kind;"},
    EventDescription{FORETASK_EVENT_LOCK_ACQUIRED, "lock_acquired", "hex64 lock;"},
    EventDescription{FORETASK_EVENT_LOCK_RELEASED, "lock_released", "hex64 lock;"},
    EventDescription{FORETASK_EVENT_CODE_HIGH, "code_high", "hex32 high;"},
    EventDescription{FORETASK_EVENT_TOOL_TIME, "tool_time", "uint64 ticks;"},
    EventDescription{FORETASK_EVENT_THREAD_BEGIN, "thread_begin", "uint32 thread; uint32 processor;"},
    EventDescription{FORETASK_EVENT_THREAD_END, "thread_end", ""},
    EventDescription{FORETASK_EVENT_TASK_CANCEL, "task_cancel", "uint32 task; uint32 creator;"},
    EventDescription{FORETASK_EVENT_TASK_CREATE_FAR, "task_create_far", "hex32 code; hex32 high;"},
    EventDescription{FORETASK_EVENT_TASK_COUNTERS, "task_counters", "uint32 count; uint64 values[count];"},
    EventDescription{FORETASK_EVENT_TASK_KERNEL, "task_kernel",
                     "uint32 kernel; uint32 count; float64 parameters[count];"},
    EventDescription{FORETASK_EVENT_TASK_PARAMETER, "task_parameter", "uint32 index; float64 value;"},
    EventDescription{FORETASK_EVENT_KERNEL_SAMPLE, "kernel_sample",
                     "uint32 kernel; float64 duration_ns; uint32 count; float64 parameters[count];"},
    EventDescription{FORETASK_EVENT_ACCESSES, "accesses",
                     "uint32 count; struct { hex64 address; uint64 bytes; uint32 kind; } list[count];"},
    EventDescription{FORETASK_EVENT_BLOCK_BEGIN, "block_begin", "uint32 why;"},
    EventDescription{FORETASK_EVENT_BLOCK_END, "block_end", ""},
    EventDescription{FORETASK_EVENT_MESSAGE_SENT, "message_sent",
                     "uint32 rank; uint32 tag; hex64 communicator; uint64 bytes;"},
    EventDescription{FORETASK_EVENT_MESSAGE_RECEIVED, "message_received",
                     "uint32 rank; uint32 tag; hex64 communicator; uint64 bytes; uint32 posted;"},
    EventDescription{FORETASK_EVENT_COLLECTIVE_ENTER, "collective_enter",
                     "hex64 communicator; uint32 number; uint32 kind; uint32 own_rank; uint32 root; uint32 size; "
                     "uint64 bytes;"},
    EventDescription{FORETASK_EVENT_COLLECTIVE_LEAVE, "collective_leave", "hex64 communicator; uint32 number;"},
    EventDescription{FORETASK_EVENT_CANCEL, "cancel", "uint32 what;"},
};

}  // namespace foretask::trace
