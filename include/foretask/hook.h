/* SPDX-License-Identifier: Apache-2.0 */
/* HOT: how a runtime's hook records a task-parallel program. Each thread has one stream; events are appended inline.
 *
 * A stream is a file mapping in the trace's own format. An append is a time stamp and two or three stores:
 *
 *   packet | header, context | event | event | ... | free |
 *                                            ^cursor      ^limit: past it an event may not fit
 *
 * Only the owning thread calls a stream's functions. The inline ones take no lock, allocate nothing and never wait. The
 * out-of-line half of an append maps the next packet: some 300 us a MiB, in steps, recorded as foretask's own time.
 * Appending to NULL does nothing. The nth creation of a stream makes task n. docs/trace_format.md describes the events.
 *
 * Ids of tasks and regions have 64 bits, from the lowest on: 32 for the number within the stream, 19 for the stream's
 * own + 1. Then, of tasks where short ones are contracted, one that says that it is only counted, and its kind: 6 bits
 * for its level, 4 for the recorder's number of its code. What is only counted has no number of its own, but that
 * of the task in which it is. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "foretask/foretask.h"
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of events: 5 bits of an event's first word. 0 is free space. 31 is the extended header, the only one for kinds
 * from 32 on. */
enum foretask_event_kind {
  FORETASK_EVENT_TASK_CREATE = 1,         /* u32 low half of the creating code's address */
  FORETASK_EVENT_TASK_CREATE_FLAGGED = 2, /* u32 code, u32 foretask_task_flag */
  FORETASK_EVENT_TASK_SWITCH_OWN = 3,     /* u32 number: a task of this stream starts or goes on */
  FORETASK_EVENT_TASK_SWITCH = 4,         /* u32 number, u32 stream */
  FORETASK_EVENT_TASK_END = 5,            /* the running task has ended */
  FORETASK_EVENT_TASK_DETACH = 6,         /* its body has ended, its event is not fulfilled yet */
  FORETASK_EVENT_TASK_FULFILL = 7,        /* u32 number, u32 stream: that task's event */
  FORETASK_EVENT_WAIT_BEGIN = 8,          /* taskwait */
  FORETASK_EVENT_WAIT_END = 9,
  FORETASK_EVENT_DEPEND_WAIT_END = 10, /* u32 number, u32 stream: the taskwait with dependences is over */
  FORETASK_EVENT_GROUP_BEGIN = 11,     /* taskgroup */
  FORETASK_EVENT_GROUP_WAIT = 12,      /* its body has ended, it waits for its tasks */
  FORETASK_EVENT_GROUP_END = 13,
  FORETASK_EVENT_BARRIER_BEGIN = 14,
  FORETASK_EVENT_BARRIER_END = 15,
  FORETASK_EVENT_REGION_BEGIN = 16,   /* u32 code, u32 requested threads; the nth of a stream is region n */
  FORETASK_EVENT_REGION_END = 17,     /* u32 number, u32 stream */
  FORETASK_EVENT_IMPLICIT_BEGIN = 18, /* u32 region number, u32 region stream, u32 team size, u32 index */
  FORETASK_EVENT_IMPLICIT_END = 19,   /* u32 number, u32 stream: of the implicit task */
  FORETASK_EVENT_DEPENDENCES = 20,    /* u32 count, then count of (u64 address, u32 kind): of the last task created */
  FORETASK_EVENT_LOCK_WAIT = 21,      /* u64 lock, u32 kind */
  FORETASK_EVENT_LOCK_ACQUIRED = 22,  /* u64 lock */
  FORETASK_EVENT_LOCK_RELEASED = 23,  /* u64 lock */
  FORETASK_EVENT_CODE_HIGH = 24,      /* u32 upper half of the code addresses that follow */
  FORETASK_EVENT_TOOL_TIME = 25,      /* u64 ticks: foretask's own time, until now */
  FORETASK_EVENT_THREAD_BEGIN = 26,   /* u32 operating system's thread id, u32 processor */
  FORETASK_EVENT_THREAD_END = 27,
  FORETASK_EVENT_TASK_CANCEL = 28,     /* u32 number, u32 stream: that task has ended, cut short or never run */
  FORETASK_EVENT_TASK_CREATE_FAR = 29, /* u32 low, u32 upper half of the code's address, which holds from here on */
  FORETASK_EVENT_TASK_COUNTERS = 30,  /* u32 count, then count u64: used by the running task since it was switched on */
  FORETASK_EVENT_EXTENDED = 31,       /* not an event: the header with a word for the kind */
  FORETASK_EVENT_TASK_KERNEL = 32,    /* u32 kernel, u32 count, then count f64 parameters: of the last task created */
  FORETASK_EVENT_TASK_PARAMETER = 33, /* u32 index, f64 value: of the running task */
  FORETASK_EVENT_KERNEL_SAMPLE = 34,  /* u32 kernel, f64 duration in ns, u32 count, then count f64 parameters */
  FORETASK_EVENT_ACCESSES =
      35, /* u32 count, then count of (u64 address, u64 bytes, u32 kind): of the last task created */
  FORETASK_EVENT_BLOCK_BEGIN = 36, /* u32 foretask_block: until BLOCK_END, time is not the running task's own */
  FORETASK_EVENT_BLOCK_END = 37,
  FORETASK_EVENT_MESSAGE_SENT = 38,     /* u32 rank, u32 tag, u64 communicator, u64 bytes */
  FORETASK_EVENT_MESSAGE_RECEIVED = 39, /* u32 rank, u32 tag, u64 communicator, u64 bytes, u32 order of posting */
  FORETASK_EVENT_COLLECTIVE_ENTER = 40, /* u64 communicator, u32 number on it, u32 foretask_collective, u32 own rank in
                                           it, u32 root's, u32 its size, u64 bytes */
  FORETASK_EVENT_COLLECTIVE_LEAVE = 41, /* u64 communicator, u32 number on it */
  FORETASK_EVENT_CANCEL = 42, /* u32 foretask_cancel: cancels a construct, or finds it cancelled and goes to its end */
  FORETASK_EVENT_LOOP_BEGIN = 43,  /* u64 code, u32 foretask_construct, u32 foretask_schedule, u64 iterations of all
                                      threads, u64 chunk (0: none asked for): this thread's share of it begins */
  FORETASK_EVENT_LOOP_CHUNKS = 44, /* u32 chunks, u64 their iterations, i64 the first one's first iteration, i64 the
                                      last one's last: run by this thread since its last event of the loop */
  FORETASK_EVENT_LOOP_END = 45,
  FORETASK_EVENT_THREAD_TIMES = 46, /* u64 ticks of an interval that ends here, u64 of them on a core, u64 ticks waited
                                       for a core since the last event that says it, u32 foretask_thread_times_flag */
  FORETASK_EVENT_CODE_SAMPLE = 47,  /* u64 ticks when, u32 operating system's thread id, u32 ns that it stands for, u64
                                       address: where that thread was; in no thread's own stream */
  FORETASK_EVENT_GRANULARITY = 48,  /* u32 kernel, u32 tasks made, u32 parts called, u32 decisions timed, u32 ns that
                                       they took, u32 ns that a part has to take to become a task: what this thread has
                                       decided since its last such event */
  FORETASK_EVENT_SUBTREE = 49, /* u32 span, u32 ticks in no task, u32 ticks of foretask's own time, u32 taskwaits, u32
                                  taskgroups, u32 tasks without stamps, u32 count, then count of (u64 code, u32 tasks,
                                  u32 their ticks): all that the running task has made, which ran on this thread,
                                  instead of its events */
  FORETASK_EVENT_TASK_TAKEN = 50, /* u64 code, u32 number, u32 stream: a task of that code, which was only counted in
                                     the named one, and is to run outside of it. It counts as made by who made that
                                     one, just then */
  FORETASK_EVENT_INTEREST = 51,   /* u32 1: what a report is to be about begins here, 0: it ends; on any thread */
  FORETASK_EVENT_KINDS
};

/* What an event of a thread's times says. Off the cores a thread that never blocked waited for one. */
enum foretask_thread_times_flag {
  FORETASK_TIMES_BLOCKED = 1,   /* it blocked in the system at least once */
  FORETASK_TIMES_HAS_WAITED = 2 /* the ticks that it waited for a core are known */
};

/* What is cancelled, and by whom. OMPT's numbers. */
enum foretask_cancel {
  FORETASK_CANCEL_PARALLEL = 1,
  FORETASK_CANCEL_SECTIONS = 2,
  FORETASK_CANCEL_LOOP = 4,
  FORETASK_CANCEL_TASKGROUP = 8,
  FORETASK_CANCEL_ACTIVATED = 16, /* by the running task; the first of several counts */
  FORETASK_CANCEL_DETECTED = 32   /* by another task, earlier */
};

/* What a team's threads share, or one of them runs. OMPT's numbers, but for MASKED. */
enum foretask_construct {
  FORETASK_CONSTRUCT_LOOP = 1,
  FORETASK_CONSTRUCT_SECTIONS = 2,
  FORETASK_CONSTRUCT_SINGLE = 3,
  FORETASK_CONSTRUCT_TASKLOOP = 5, /* no end of it is told: the running task makes its tasks. Of AUTO, as many as the
                                      runtime chooses for its threads */
  FORETASK_CONSTRUCT_DISTRIBUTE = 6,
  FORETASK_CONSTRUCT_MASKED = 100
};

/* How a loop's iterations go to threads. AUTO is the runtime's choice. */
enum foretask_schedule {
  FORETASK_SCHEDULE_UNKNOWN = 0, /* iterations are numbered from an unknown one on */
  FORETASK_SCHEDULE_STATIC = 1,
  FORETASK_SCHEDULE_STATIC_CHUNKED = 2,
  FORETASK_SCHEDULE_DYNAMIC = 3,
  FORETASK_SCHEDULE_GUIDED = 4,
  FORETASK_SCHEDULE_AUTO = 5,
  FORETASK_SCHEDULE_ORDERED = 256,   /* a bit: the loop has an ordered clause */
  FORETASK_SCHEDULE_UNNUMBERED = 512 /* a bit: iterations are numbered from an unknown one on */
};

/* Why time is not a task's own. */
enum foretask_block { FORETASK_BLOCK_MPI = 1 };

/* Who waits for whom in a collective call of MPI. */
enum foretask_collective {
  FORETASK_COLLECTIVE_ALL = 1,       /* each for all: barrier, allreduce, allgather, alltoall, reduce_scatter */
  FORETASK_COLLECTIVE_FROM_ROOT = 2, /* each for the root: bcast, scatter */
  FORETASK_COLLECTIVE_TO_ROOT = 3,   /* the root for all: reduce, gather */
  FORETASK_COLLECTIVE_PREFIX = 4,    /* each for those of lower rank: scan, exscan */
  FORETASK_COLLECTIVE_LAST = 5       /* each for all, and nothing comes after it: MPI_Finalize */
};

enum foretask_task_flag {
  FORETASK_TASK_UNTIED = 1,
  FORETASK_TASK_UNDEFERRED = 2,
  FORETASK_TASK_FINAL = 4,
  FORETASK_TASK_MERGED = 8,
  FORETASK_TASK_HAS_DEPENDENCES = 16,
  FORETASK_TASK_WAIT = 32,       /* not a task, but a taskwait with dependences */
  FORETASK_TASK_LOOP = 64,       /* of a taskloop */
  FORETASK_TASK_IF_CLAUSE = 128, /* the program made it undeferred, whatever the team */
  FORETASK_TASK_ONE_ORDER = 256, /* its dependences hold among all tasks with this flag, whoever created them; the
                                    runtime may create it on a thread that runs no task */
  FORETASK_TASK_EMPTY = 512,     /* has no body: over as soon as what it comes after is over, once a TASK_FULFILL has
                                    said that its dependences are complete */
  FORETASK_TASK_LOOSE = 1024,    /* its creator's waits and groups do not wait for it, but what names it does */
  FORETASK_TASK_OWN = 2048 /* with ONE_ORDER: nobody has told who submitted it, and what it waited for. It begins at
                              once: a scope of foretask.h outside of every runtime, a task of Taskflow's */
};

/* OMPT's numbers, but for AFTER, BEFORE and GROUP. */
enum foretask_dependence_kind {
  FORETASK_DEPENDENCE_IN = 1,
  FORETASK_DEPENDENCE_OUT = 2,
  FORETASK_DEPENDENCE_INOUT = 3,
  FORETASK_DEPENDENCE_MUTEXINOUTSET = 4,
  FORETASK_DEPENDENCE_SOURCE = 5,
  FORETASK_DEPENDENCE_SINK = 6,
  FORETASK_DEPENDENCE_INOUTSET = 7,
  FORETASK_DEPENDENCE_OUT_ALL_MEMORY = 34,
  FORETASK_DEPENDENCE_INOUT_ALL_MEMORY = 35,
  FORETASK_DEPENDENCE_AFTER =
      64, /* instead of an address the id of a task, created earlier, that this one comes after */
  FORETASK_DEPENDENCE_BEFORE = 65, /* instead of an address the id of a task, created earlier and not begun, that comes
                                      after this one */
  FORETASK_DEPENDENCE_GROUP = 66   /* instead of an address the id of a task that has begun a group and not waited for
                                      it: this one comes after the group's tasks so far */
};

/* 2^27 ticks: after a longer gap an event needs the extended header. */
#define FORETASK_COMPACT_TICKS ((uint64_t)1 << 27)
/* The longest event that is appended: a subtree of 15 kernels. */
#define FORETASK_MAX_EVENT_BYTES 288
#define FORETASK_MAX_COUNTERS 8
#define FORETASK_DEPENDENCES_PER_EVENT 4
#define FORETASK_ACCESSES_PER_EVENT 3
#define FORETASK_KERNELS_PER_SUBTREE 15
#define FORETASK_INITIAL_REGION 0xffffffffU
/* Instead of a member's index in its team: it creates tasks and waits for them, but runs none, and is not counted in
 * the team's size. */
#define FORETASK_RUNS_NO_TASKS 0xffffffffU

/* Ids of tasks. */
#define FORETASK_ID_STREAM_MASK 0x7ffffU
/* A hook's own, in what it keeps of an id: no stream has such a number. The functions below are not told of them. */
#define FORETASK_ID_HOOK_BITS ((uint64_t)3 << 49)
#define FORETASK_ID_COUNTED ((uint64_t)1 << 51)
#define FORETASK_ID_LEVEL_SHIFT 52
#define FORETASK_ID_CODE_SHIFT 58
#define FORETASK_ID_CODES 16 /* 0: of a code that has no number, as there are too many */
/* A task is a level below the one that makes it; of a code whose tasks are much smaller than that, several. */
#define FORETASK_ID_LEVELS 64
#define FORETASK_ID_KINDS (FORETASK_ID_CODES * FORETASK_ID_LEVELS)
#define FORETASK_MOST_STREAMS FORETASK_ID_STREAM_MASK

/* A task that the stream's thread has started and not ended. What is in it may become one event at its end. */
typedef struct foretask_started_task {
  uint32_t* event;    /* by which it started; NULL: its events stay */
  uint32_t next_task; /* the stream's, then */
  uint32_t code_high;
  uint32_t level; /* the stream's, before */
  uint32_t kind;
  uint32_t child; /* the number of the code of a task that ran within it; 0: none of those that are looked at */
  uint32_t child_ticks;
} foretask_started_task;
#define FORETASK_STARTED_TASKS 64 /* a power of two: the innermost are kept */

/* A running task whose kind is known to be short, with all that it makes. That is counted. */
typedef struct foretask_counting {
  uint64_t name;       /* what the ids of counted tasks begin with; 0: no more are counted */
  uint32_t level;      /* the stream's started_count while the task, or a counted one, runs */
  uint32_t running;    /* counted tasks that have started and not ended */
  uint32_t until_look; /* those that start until the clock is looked at */
  uint32_t kind;
  uint64_t began_ticks; /* later by as long as other tasks have run meanwhile */
  uint64_t left_ticks;  /* when another task began to */
  uint32_t waits;
  uint32_t groups;
  uint32_t tasks[FORETASK_ID_CODES]; /* that have started, by code */
} foretask_counting;

/* The number of a code, as in ids. */
typedef struct foretask_numbered_code {
  const void* code;
  uint64_t number;
} foretask_numbered_code;
#define FORETASK_NUMBERED_CODES 8 /* a power of two */
/* What is not longer stays, in words of 32 bits. */
#define FORETASK_LEAST_SUBTREE_WORDS 24

/* The owner's view of a stream. The layout belongs to the ABI of FORETASK_HOOK_VERSION. */
typedef struct foretask_stream {
  uint32_t* cursor;       /* next event */
  uint32_t* limit;        /* from here on an event may not fit; below cursor once the stream has stopped */
  uint64_t* content_bits; /* in the packet's context: bits that are valid; a killed process leaves a valid trace */
  uint64_t last_ticks;    /* of the last event */
  uint32_t index;         /* this stream's number */
  uint32_t next_task;     /* number of the next task created */
  uint32_t next_region;   /* number of the next parallel region */
  uint32_t code_high;     /* upper half of the code addresses recorded */
  uint32_t* packet;       /* the packet's first byte */
  void* owner;            /* the library's */
  uint32_t clock_is_tsc;  /* as foretask_clock_is_tsc() returns it */
  uint32_t has_next_task; /* 1: the next task created has a kernel and parameters */
  void* counters;         /* the library's; NULL: no counter is read */
  uint64_t times_due;     /* time stamp from which on an event has the thread's times read; 0: never */
  foretask_started_task* started;    /* FORETASK_STARTED_TASKS of them; NULL: all events stay */
  uint32_t started_count;            /* of those that have not ended; the last one is at this - 1 */
  uint32_t level;                    /* of the task that started last */
  foretask_counting* counting;       /* NULL: the running task's events are recorded */
  foretask_counting* counted_around; /* the innermost of those that have not ended; NULL: none */
  const uint8_t* short_kinds;        /* by kind: tasks are counted in those */
  const uint8_t* levels;             /* by number of a code: of its tasks, below those that make them */
  uint32_t counted_flags;            /* foretask_task_flag that counted tasks may have */
  foretask_numbered_code codes[FORETASK_NUMBERED_CODES];
} foretask_stream;

#define FORETASK_HOOK_VERSION 1

typedef struct foretask_hook_options {
  size_t size;                 /* sizeof(foretask_hook_options) */
  uint32_t version;            /* FORETASK_HOOK_VERSION */
  const char* runtime;         /* "openmp" */
  const char* runtime_version; /* what the runtime calls itself */
  uint64_t entered_ticks;      /* foretask_ticks() when the hook was entered; 0: now */
  uint32_t flags;              /* foretask_hook_flag; older hooks lack it */
} foretask_hook_options;

enum foretask_hook_flag {
  /* No runtime begins and ends tasks on these threads: each recorded thread has an initial task from its first event to
   * its end. If an OpenMP runtime is there, it is started first, so that its own hook records its threads. */
  FORETASK_HOOK_OWN_THREADS = 1,
  /* The runtime runs the program's tasks: the recording is named after it, although an OpenMP runtime is there. It is
   * not if the program used OpenMP before. */
  FORETASK_HOOK_RUNS_TASKS = 2,
  /* Of untied tasks it tells foretask_record_first_part(), and foretask_stop_counting_slow() where one goes on that was
   * left in its midst. */
  FORETASK_HOOK_TELLS_PARTS = 4
};

enum {
  FORETASK_HOOK_OFF = 0, /* or a fault: one line on stderr, and the program goes on */
  FORETASK_HOOK_RECORDS = 1,
  FORETASK_HOOK_LEARNS = 2 /* a bit each; foretask_hook_follows_tasks() says whether task_hook.h is to be called */
};

/* Starts recording and learning, as the environment asks (FORETASK, FORETASK_OUT, ...). Returns which; later calls do
 * nothing else. Any thread; about 10 ms. */
FORETASK_API int foretask_hook_start(const foretask_hook_options* options);

/* The same, with these options. `entered_ticks`: foretask_ticks() when the hook was entered, or 0. */
static inline int foretask_hook_start_as(const char* runtime, const char* runtime_version, uint32_t flags,
                                         uint64_t entered_ticks) {
  const foretask_hook_options options = {sizeof options,  FORETASK_HOOK_VERSION, runtime,
                                         runtime_version, entered_ticks,         flags};
  return foretask_hook_start(&options);
}

/* Ends the recording: closes all streams and writes run.json. Later appends are dropped, later calls do nothing. Any
 * thread. */
FORETASK_API void foretask_hook_stop(void);

/* Gives the variables of the environment whose names begin with `prefix`, and which a launcher has changed, the values
 * back that the user gave them. foretask_hook_start() does so for all. For a runtime that shows its settings. */
FORETASK_API void foretask_hook_restore_variables(const char* prefix);

/* Says "foretask: warning: TEXT" on standard error, without a risk to the program. Any thread. */
FORETASK_API void foretask_hook_warn(const char* text);

/* This process is rank `rank` of `ranks`. */
FORETASK_API void foretask_hook_set_rank(uint32_t rank, uint32_t ranks);

/* The calling thread's stream: the one its runtime's hook opened, else a new one, closed at the thread's end. NULL as
 * in foretask_stream_open(). */
FORETASK_API foretask_stream* foretask_stream_of_thread(void);

/* Opens a stream for the calling thread, one of the runtime's, whose begin it records. NULL when nothing is recorded,
 * or on a fault, which is counted as a loss. */
FORETASK_API foretask_stream* foretask_stream_open(void);

/* Records the calling thread's end and closes its stream. NULL is allowed. */
FORETASK_API void foretask_stream_close(foretask_stream* stream);

/* The out-of-line half of an append: next packet, extended header, or NULL and a counted loss. */
FORETASK_API uint32_t* foretask_stream_reserve_slow(foretask_stream* stream, uint32_t kind, uint64_t now);

/* Out-of-line halves of the functions below. Reading the counters takes 0.3 to 2 us. */
FORETASK_API void foretask_counters_switch_slow(foretask_stream* stream, uint64_t next);
FORETASK_API void foretask_counters_end_slow(foretask_stream* stream, uint64_t ended, uint64_t resumed);
FORETASK_API void foretask_counters_pause_slow(foretask_stream* stream);
FORETASK_API void foretask_counters_resume_slow(foretask_stream* stream, uint64_t task);
FORETASK_API void foretask_record_next_task_slow(foretask_stream* stream);
/* The task that `started` says has ended just now: its events become one, if it was short, waited for all that it made,
 * and all of that ran on this thread, without locks, dependences, parameters or counters. Some ns for each event. */
FORETASK_API void foretask_contract_slow(foretask_stream* stream, const foretask_started_task* started);
/* Puts the code and its number into the stream's place for it. */
FORETASK_API void foretask_number_code_slow(foretask_stream* stream, foretask_numbered_code* place, const void* code);
/* A task that has started just now, of a kind that is short: what it makes is counted, but in one of some 64. */
FORETASK_API void foretask_count_slow(foretask_stream* stream, uint64_t task);
/* The task in which tasks are counted ends, and none of them runs. Records what was counted. */
FORETASK_API void foretask_count_end_slow(foretask_stream* stream);
/* A counted task starts. Returns its id, as it is recorded from here on; 0: it is counted. */
FORETASK_API uint64_t foretask_take_slow(foretask_stream* stream, uint64_t task);
/* A task went on, or may go on, on another thread: none is counted or contracted from here on, on any thread. */
FORETASK_API void foretask_stop_counting_slow(void);

/* The next task that the calling thread creates runs iterations of the loop whose code is at `code`. Its kernel is
 * called after that code and has one parameter, `iterations`. If the program has named the task, its kernel is put into
 * `named`, else NULL: each task that gets iterations from this one is to be named so before it is created, by
 * foretask_openmp_next_task(). Returns 0, and NULL, where the named kernel has other parameters, or there is no room
 * for more kernels. Some 10 ns, a kernel's first task some us.
 * In a recording the task has to be created at `code`, and foretask_record_task_end_with() gives the parameter. Once
 * this has returned 1, it need not be asked again for that code, unless has_next_task is set.
 * For the learner foretask_openmp_set(0, ...) gives the parameter before the task's end. */
FORETASK_API int foretask_hook_next_loop_part(const void* code, foretask_kernel** named);

/* Reads how long the thread was on a core, 0.4 us. Every 4 to 128 ms of blocked time it also asks how long the thread
 * waited for one, some 30 us, recorded as foretask's own time. */
FORETASK_API void foretask_thread_times_slow(foretask_stream* stream);

/* 0: time stamps are CLOCK_MONOTONIC in ns. Else the processor's counter, shifted left by one bit less than this. */
FORETASK_API int foretask_clock_is_tsc(void);

/* CLOCK_MONOTONIC in ns. */
FORETASK_API uint64_t foretask_monotonic_ns(void);

/* Time stamp in ticks of the recording's clock. 12 ns on x86-64. */
static inline uint64_t foretask_stream_ticks(const foretask_stream* stream) {
#if defined(__x86_64__)
  if (__builtin_expect(stream->clock_is_tsc != 0, 1)) return __rdtsc();
#elif defined(__aarch64__)
  if (__builtin_expect(stream->clock_is_tsc != 0, 1)) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks << (stream->clock_is_tsc - 1);
  }
#endif
  return foretask_monotonic_ns();
}

/* The same where there is no stream yet. */
static inline uint64_t foretask_ticks(void) {
  foretask_stream clock;
  clock.clock_is_tsc = (uint32_t)foretask_clock_is_tsc();
  return foretask_stream_ticks(&clock);
}

/* Writes an event's first word. Returns where its payload goes, or NULL where it is dropped. */
static inline uint32_t* foretask_event_begin_(foretask_stream* stream, uint32_t kind) {
  const uint64_t now = foretask_stream_ticks(stream);
  if (__builtin_expect((stream->cursor >= __atomic_load_n(&stream->limit, __ATOMIC_RELAXED)) |
                           (now - stream->last_ticks >= FORETASK_COMPACT_TICKS),
                       0))
    return foretask_stream_reserve_slow(stream, kind, now);
  stream->last_ticks = now;
  uint32_t* word = stream->cursor;
  *word = kind | ((uint32_t)now << 5);
  return word + 1;
}

/* The same with the extended header, for kinds from 32 on. */
static inline uint32_t* foretask_event_begin_extended_(foretask_stream* stream, uint32_t kind) {
  const uint64_t now = foretask_stream_ticks(stream);
  if (__builtin_expect((stream->cursor >= __atomic_load_n(&stream->limit, __ATOMIC_RELAXED)) |
                           (now - stream->last_ticks >= FORETASK_COMPACT_TICKS),
                       0))
    return foretask_stream_reserve_slow(stream, kind, now);
  stream->last_ticks = now;
  uint32_t* word = stream->cursor;
  word[0] = FORETASK_EVENT_EXTENDED;
  word[1] = kind;
  word[2] = (uint32_t)now;
  word[3] = (uint32_t)(now >> 32);
  return word + 4;
}

/* Makes the event valid. Release: a process killed here leaves the whole event or none of it. */
static inline void foretask_event_publish_(foretask_stream* stream, uint32_t* end) {
  stream->cursor = end;
  __atomic_store_n(stream->content_bits, (uint64_t)((const char*)end - (const char*)stream->packet) * 8,
                   __ATOMIC_RELEASE);
}

/* The same. 0.25 ms after the last time the thread's times are read again; else that is a load and a branch. */
static inline void foretask_event_end_(foretask_stream* stream, uint32_t* end) {
  foretask_event_publish_(stream, end);
  if (__builtin_expect(stream->times_due - 1 < stream->last_ticks, 0)) foretask_thread_times_slow(stream);
}

/* Whether an event can be appended right away: there is room, a compact stamp tells its time, and nothing else is due.
 * Then `now` is that time. */
static inline int foretask_event_fits_(const foretask_stream* stream, uint64_t* now) {
  if (__builtin_expect(stream->clock_is_tsc == 0, 0)) return 0;
  const uint64_t ticks = foretask_stream_ticks(stream);
  if (__builtin_expect(stream->cursor >= __atomic_load_n(&stream->limit, __ATOMIC_RELAXED), 0)) return 0;
  if (__builtin_expect(ticks - stream->last_ticks >= FORETASK_COMPACT_TICKS, 0)) return 0;
  if (__builtin_expect(stream->times_due - 1 < ticks, 0)) return 0;
  *now = ticks;
  return 1;
}

/* Appends an event of `count` words, two at most, that fits. */
static inline void foretask_event_put_(foretask_stream* stream, uint32_t kind, uint64_t now, uint32_t count, uint32_t a,
                                       uint32_t b) {
  uint32_t* word = stream->cursor;
  stream->last_ticks = now;
  word[0] = kind | ((uint32_t)now << 5);
  if (count > 0) word[1] = a;
  if (count > 1) word[2] = b;
  foretask_event_publish_(stream, word + 1 + count);
}

/* The long way of the function below. */
static __attribute__((noinline, cold, unused)) void foretask_record_words_slow_(foretask_stream* stream, uint32_t kind,
                                                                                uint32_t count, uint32_t a,
                                                                                uint32_t b) {
  uint32_t* word = foretask_event_begin_(stream, kind);
  if (!word) return;
  if (count > 0) word[0] = a;
  if (count > 1) word[1] = b;
  foretask_event_end_(stream, word + count);
}

static inline void foretask_record_words_(foretask_stream* stream, uint32_t kind, uint32_t count, uint32_t a,
                                          uint32_t b) {
  if (!stream) return;
  uint64_t now;
  if (__builtin_expect(foretask_event_fits_(stream, &now), 1))
    foretask_event_put_(stream, kind, now, count, a, b);
  else
    foretask_record_words_slow_(stream, kind, count, a, b);
}

static inline void foretask_record_0_(foretask_stream* stream, uint32_t kind) {
  foretask_record_words_(stream, kind, 0, 0, 0);
}

static inline void foretask_record_1_(foretask_stream* stream, uint32_t kind, uint32_t a) {
  foretask_record_words_(stream, kind, 1, a, 0);
}

static inline void foretask_record_2_(foretask_stream* stream, uint32_t kind, uint32_t a, uint32_t b) {
  foretask_record_words_(stream, kind, 2, a, b);
}

static inline uint64_t foretask_name_(const foretask_stream* stream, uint32_t number) {
  return ((uint64_t)(stream->index + 1) << 32) | number;
}

static inline uint32_t foretask_stream_of_(uint64_t name) {
  return ((uint32_t)(name >> 32) & FORETASK_ID_STREAM_MASK) - 1;
}

/* Of a counted task nothing is recorded. */
static inline void foretask_record_named_(foretask_stream* stream, uint32_t kind, uint64_t name) {
  if (__builtin_expect((name & FORETASK_ID_COUNTED) != 0, 0)) return;
  foretask_record_2_(stream, kind, (uint32_t)name, foretask_stream_of_(name));
}

/* The upper bits of the id of a task that is made now by one of that level: its kind. */
static inline uint64_t foretask_kind_(foretask_stream* stream, const void* code, uint32_t level) {
  if (!stream->started) return 0;
  foretask_numbered_code* const place = &stream->codes[((uintptr_t)code >> 4) % FORETASK_NUMBERED_CODES];
  if (__builtin_expect(place->code != code, 0)) foretask_number_code_slow(stream, place, code);
  level += __atomic_load_n(&stream->levels[place->number], __ATOMIC_RELAXED);
  if (level >= FORETASK_ID_LEVELS) level = FORETASK_ID_LEVELS - 1;
  return place->number << FORETASK_ID_CODE_SHIFT | (uint64_t)level << FORETASK_ID_LEVEL_SHIFT;
}

/* The id of a task that the running task makes, if that one's are counted; else 0. */
static inline uint64_t foretask_count_create_(foretask_stream* stream, const void* code, uint32_t flags) {
  const foretask_counting* const counting = stream->counting;
  if (!counting->name || (flags & ~stream->counted_flags) || stream->has_next_task) return 0;
  const uint64_t kind = foretask_kind_(stream, code, stream->level + counting->running);
  return kind >> FORETASK_ID_CODE_SHIFT ? counting->name | kind : 0;
}

static inline void foretask_count_wait_(foretask_stream* stream, uint32_t kind) {
  if (kind == FORETASK_EVENT_WAIT_BEGIN) ++stream->counting->waits;
  if (kind == FORETASK_EVENT_GROUP_WAIT) ++stream->counting->groups;
}

static inline void foretask_record_code_high_(foretask_stream* stream, const void* code) {
  const uint32_t high = (uint32_t)((uint64_t)(uintptr_t)code >> 32);
  if (__builtin_expect(high == stream->code_high, 1)) return;
  stream->code_high = high;
  foretask_record_1_(stream, FORETASK_EVENT_CODE_HIGH, high);
}

/* Counters, where FORETASK_COUNTERS asks for some; else a load and a branch. The functions below read them just before
 * their event, which records what the running task has used. */

/* The running task, if any, is left, and `next` runs. */
static inline void foretask_counters_switch_(foretask_stream* stream, uint64_t next) {
  if (__builtin_expect(stream && stream->counters, 0)) foretask_counters_switch_slow(stream, next);
}

/* The running task ends. `resumed` (0: unknown), the task below it, goes on unless it was waiting. `ended` is 0, or a
 * task that may never have run: then the call counts only where that task runs. */
static inline void foretask_counters_end_(foretask_stream* stream, uint64_t ended, uint64_t resumed) {
  if (__builtin_expect(stream && stream->counters, 0)) foretask_counters_end_slow(stream, ended, resumed);
}

/* The running task waits for children, a group, a barrier, a region or a lock. */
static inline void foretask_counters_pause_(foretask_stream* stream) {
  if (__builtin_expect(stream && stream->counters, 0)) foretask_counters_pause_slow(stream);
}

/* Such a wait is over. `task` goes on; 0: the one that waited. */
static inline void foretask_counters_resume_(foretask_stream* stream, uint64_t task) {
  if (__builtin_expect(stream && stream->counters, 0)) foretask_counters_resume_slow(stream, task);
}

/* The long way of the function below. */
static __attribute__((noinline, cold, unused)) uint64_t foretask_record_task_create_slow_(foretask_stream* stream,
                                                                                          const void* code,
                                                                                          uint32_t flags) {
  const uint32_t high = (uint32_t)((uint64_t)(uintptr_t)code >> 32);
  if (flags != 0) foretask_record_code_high_(stream, code);
  const uint64_t kind = foretask_kind_(stream, code, stream->level);
  const uint64_t name = foretask_name_(stream, stream->next_task++) | kind;
  if ((flags & FORETASK_TASK_UNTIED & ~stream->counted_flags) && stream->short_kinds) foretask_stop_counting_slow();
  if (flags != 0) {
    foretask_record_2_(stream, FORETASK_EVENT_TASK_CREATE_FLAGGED, (uint32_t)(uintptr_t)code, flags);
  } else if (high == stream->code_high) {
    foretask_record_1_(stream, FORETASK_EVENT_TASK_CREATE, (uint32_t)(uintptr_t)code);
  } else {
    foretask_record_2_(stream, FORETASK_EVENT_TASK_CREATE_FAR, (uint32_t)(uintptr_t)code, high);
    stream->code_high = high;
  }
  if (stream->has_next_task && !(flags & FORETASK_TASK_WAIT)) foretask_record_next_task_slow(stream);
  return name;
}

/* Creates a task as the function below does, if its event fits. Else 0, and nothing is recorded. Calls nothing, so that
 * a hook's own function needs no frame. `has_group`: the running task begins a group just before, which takes no time
 * stamp of its own. */
static inline int foretask_try_task_create_(foretask_stream* stream, const void* code, int has_group, uint64_t* name) {
  uint64_t now;
  if (stream->counting) return (*name = foretask_count_create_(stream, code, 0)) != 0;
  if (__builtin_expect((uint32_t)((uint64_t)(uintptr_t)code >> 32) != stream->code_high, 0)) return 0;
  if (__builtin_expect(stream->has_next_task != 0, 0)) return 0;
  if (__builtin_expect(!foretask_event_fits_(stream, &now), 0)) return 0;
  if (has_group) *stream->cursor++ = FORETASK_EVENT_GROUP_BEGIN | ((uint32_t)now << 5);
  foretask_event_put_(stream, FORETASK_EVENT_TASK_CREATE, now, 1, (uint32_t)(uintptr_t)code, 0);
  *name = foretask_name_(stream, stream->next_task++) | foretask_kind_(stream, code, stream->level);
  return 1;
}

/* The running task creates a task at the address `code`. Returns its task id, 0 without a stream. */
static inline uint64_t foretask_record_task_create(foretask_stream* stream, const void* code, uint32_t flags) {
  uint64_t name;
  if (!stream) return 0;
  if (flags != 0 && stream->counting && (name = foretask_count_create_(stream, code, flags)) != 0) return name;
  if (flags == 0 && __builtin_expect(foretask_try_task_create_(stream, code, 0, &name), 1)) return name;
  return foretask_record_task_create_slow_(stream, code, flags);
}

/* Another task starts while tasks are counted in the one around it. */
static __attribute__((noinline, cold, unused)) void foretask_leave_counting_(foretask_stream* stream) {
  stream->counting->left_ticks = stream->last_ticks;
  stream->counting = NULL;
}

/* A task has ended. The one below it goes on, and may be the one in which tasks are counted. */
static __attribute__((noinline, cold, unused)) void foretask_go_on_counting_(foretask_stream* stream) {
  foretask_counting* const around = stream->counted_around;
  if (around->level != stream->started_count) return;
  around->began_ticks += stream->last_ticks - around->left_ticks;
  stream->counting = around;
}

/* A task has started by the event at `event`, or a region that runs others, whose `task` is 0. */
static inline void foretask_note_start_(foretask_stream* stream, uint32_t* event, uint64_t task) {
  const uint32_t index = stream->started_count++ % FORETASK_STARTED_TASKS;
  if (!stream->started) return;
  if (__builtin_expect(stream->counting != NULL, 0)) foretask_leave_counting_(stream);
  foretask_started_task* place = &stream->started[index];
  place->event = event;
  place->next_task = stream->next_task;
  place->code_high = stream->code_high;
  place->level = stream->level;
  place->child = 0;
  place->kind = (uint32_t)(task >> FORETASK_ID_LEVEL_SHIFT);
  stream->level = place->kind % FORETASK_ID_LEVELS;
  if (stream->short_kinds && __atomic_load_n(&stream->short_kinds[place->kind], __ATOMIC_RELAXED))
    foretask_count_slow(stream, task);
}

/* The one that started last has ended, by the last event. */
static inline void foretask_note_end_(foretask_stream* stream) {
  const uint32_t index = --stream->started_count % FORETASK_STARTED_TASKS;
  if (!stream->started) return;
  foretask_started_task* place = &stream->started[index];
  const foretask_started_task task = *place;
  place->event = NULL;
  stream->level = task.level;
  if (__builtin_expect(stream->counted_around != NULL, 0)) foretask_go_on_counting_(stream);
  if (task.event && stream->cursor - task.event > FORETASK_LEAST_SUBTREE_WORDS) foretask_contract_slow(stream, &task);
}

/* Whether what starts is only counted, now. */
static inline int foretask_count_start_(foretask_stream* stream, uint64_t task) {
  foretask_counting* const counting = stream->counting;
  if (__builtin_expect(!counting || (task << 12) != (counting->name << 12) || !--counting->until_look, 0)) return 0;
  ++counting->running;
  ++counting->tasks[task >> FORETASK_ID_CODE_SHIFT];
  return 1;
}

/* The event of the function below. Returns where it is; NULL: it is not looked at again. */
static inline uint32_t* foretask_record_switch_(foretask_stream* stream, uint64_t task) {
  uint64_t now;
  uint32_t* event = NULL;
  foretask_counters_switch_(stream, task);
  if (__builtin_expect(foretask_stream_of_(task) != stream->index, 0)) {
    foretask_record_named_(stream, FORETASK_EVENT_TASK_SWITCH, task);
  } else if (__builtin_expect(foretask_event_fits_(stream, &now), 1)) {
    event = stream->cursor;
    foretask_event_put_(stream, FORETASK_EVENT_TASK_SWITCH_OWN, now, 1, (uint32_t)task, 0);
  } else {
    foretask_record_words_slow_(stream, FORETASK_EVENT_TASK_SWITCH_OWN, 1, (uint32_t)task, 0);
  }
  return event;
}

/* The thread leaves its running task for `task`, which starts or goes on. Returns its id from here on. */
static inline uint64_t foretask_record_task_switch(foretask_stream* stream, uint64_t task) {
  if (!stream) return task;
  if (task & FORETASK_ID_COUNTED) {
    if (foretask_count_start_(stream, task)) return task;
    const uint64_t taken = foretask_take_slow(stream, task);
    if (taken == 0) return task;
    task = taken;
  }
  foretask_note_start_(stream, foretask_record_switch_(stream, task), task);
  return task;
}

/* Whether what ends is only counted. */
static inline int foretask_count_end_(foretask_stream* stream) {
  foretask_counting* const counting = stream ? stream->counting : NULL;
  if (!counting || counting->running == 0) return 0;
  --counting->running;
  return 1;
}

/* What was counted in the running task, which ends, is recorded. */
static inline void foretask_record_counted_(foretask_stream* stream) {
  if (stream && stream->counting) foretask_count_end_slow(stream);
}

/* An untied task of LLVM's starts, by foretask_record_task_switch() next, whose first part has done nothing but give it
 * back to the runtime: from `began` to `ended`, in ticks, on this thread, when `around` went on. Not recorded where
 * there is an event since then, where tasks are counted, or where the ids are of other streams. */
static inline void foretask_record_first_part(foretask_stream* stream, uint64_t untied, uint64_t around, uint64_t began,
                                              uint64_t ended) {
  if (!stream || stream->counting || ((untied | around) & FORETASK_ID_COUNTED) || !stream->clock_is_tsc) return;
  if (foretask_stream_of_(untied) != stream->index || foretask_stream_of_(around) != stream->index) return;
  if (stream->cursor >= __atomic_load_n(&stream->limit, __ATOMIC_RELAXED)) return;
  if (began < stream->last_ticks || ended - stream->last_ticks >= FORETASK_COMPACT_TICKS) return;
  foretask_event_put_(stream, FORETASK_EVENT_TASK_SWITCH_OWN, began, 1, (uint32_t)untied, 0);
  foretask_event_put_(stream, FORETASK_EVENT_TASK_SWITCH_OWN, ended, 1, (uint32_t)around, 0);
}

/* The same at the end of a first part that began by foretask_record_task_switch(), as nobody knew that it was one. */
static inline void foretask_record_start_undone(foretask_stream* stream, uint64_t untied, uint64_t task) {
  if (!stream) return;
  if ((untied & FORETASK_ID_COUNTED) && foretask_count_end_(stream)) {
    --stream->counting->tasks[untied >> FORETASK_ID_CODE_SHIFT];
    return;
  }
  foretask_record_switch_(stream, task);
  if (stream->started) stream->started[(stream->started_count - 1) % FORETASK_STARTED_TASKS].event = NULL;
  foretask_note_end_(stream);
}

/* The running task has ended. `resumed`: the task below it, which goes on unless it was waiting; 0: not known. */
static inline void foretask_record_task_end(foretask_stream* stream, uint64_t resumed) {
  if (foretask_count_end_(stream)) return;
  foretask_record_counted_(stream);
  foretask_counters_end_(stream, 0, resumed);
  foretask_record_0_(stream, FORETASK_EVENT_TASK_END);
  if (stream) foretask_note_end_(stream);
}

/* The same of a task whose end nobody told: at `ended`, in ticks, if nothing was recorded since. */
static inline void foretask_record_untold_end(foretask_stream* stream, uint64_t ended) {
  uint64_t now;
  if (!stream->counting && foretask_event_fits_(stream, &now) && ended >= stream->last_ticks && ended < now) {
    foretask_event_put_(stream, FORETASK_EVENT_TASK_END, ended, 0, 0, 0);
    foretask_note_end_(stream);
  } else {
    foretask_record_task_end(stream, 0);
  }
}

/* The same where its event is not fulfilled yet. */
static inline void foretask_record_task_detach(foretask_stream* stream, uint64_t resumed) {
  if (foretask_count_end_(stream)) return;
  foretask_record_counted_(stream);
  foretask_counters_end_(stream, 0, resumed);
  foretask_record_0_(stream, FORETASK_EVENT_TASK_DETACH);
  if (stream) foretask_note_end_(stream);
}

/* `task` has ended, cut short or never run. */
static inline void foretask_record_task_cancel(foretask_stream* stream, uint64_t task, uint64_t resumed) {
  foretask_counters_end_(stream, task, resumed);
  foretask_record_named_(stream, FORETASK_EVENT_TASK_CANCEL, task);
}

/* The event of `task` is fulfilled, or the dependences of a task without a body are complete. */
static inline void foretask_record_task_fulfill(foretask_stream* stream, uint64_t task) {
  foretask_record_named_(stream, FORETASK_EVENT_TASK_FULFILL, task);
}

/* The running task begins a group. */
static inline void foretask_record_group_begin(foretask_stream* stream) {
  if (stream && !stream->counting) foretask_record_0_(stream, FORETASK_EVENT_GROUP_BEGIN);
}

/* The running task waits, and goes on. `kind`: WAIT_BEGIN and WAIT_END, GROUP_WAIT and GROUP_END, BARRIER_BEGIN and
 * BARRIER_END. `task` is the one that goes on; 0: the one that waited. */
static inline void foretask_record_wait_begin(foretask_stream* stream, uint32_t kind) {
  if (stream && stream->counting) {
    foretask_count_wait_(stream, kind);
    return;
  }
  foretask_counters_pause_(stream);
  foretask_record_0_(stream, kind);
}
static inline void foretask_record_wait_end(foretask_stream* stream, uint32_t kind, uint64_t task) {
  if (stream && stream->counting) return;
  foretask_counters_resume_(stream, task);
  foretask_record_0_(stream, kind);
}

/* The running task waits for what dependences name, which are recorded next. Returns the wait's id. `task` goes on at
 * its end; 0: the one that waited. */
static inline uint64_t foretask_record_depend_wait_begin(foretask_stream* stream, const void* code, uint32_t flags) {
  foretask_counters_pause_(stream);
  return foretask_record_task_create(stream, code, flags | FORETASK_TASK_WAIT | FORETASK_TASK_HAS_DEPENDENCES);
}
static inline void foretask_record_depend_wait_end(foretask_stream* stream, uint64_t wait, uint64_t task) {
  foretask_counters_resume_(stream, task);
  foretask_record_named_(stream, FORETASK_EVENT_DEPEND_WAIT_END, wait);
}

/* A parallel region begins, and the running task waits for it. Returns its region id. */
static inline uint64_t foretask_record_region_begin(foretask_stream* stream, const void* code, uint32_t requested) {
  if (!stream) return 0;
  foretask_counters_pause_(stream);
  foretask_record_code_high_(stream, code);
  const uint64_t name = foretask_name_(stream, stream->next_region++);
  foretask_record_2_(stream, FORETASK_EVENT_REGION_BEGIN, (uint32_t)(uintptr_t)code, requested);
  foretask_note_start_(stream, NULL, 0);
  return name;
}

/* It is over, and `task` goes on; 0: the one that waited. */
static inline void foretask_record_region_end(foretask_stream* stream, uint64_t region, uint64_t task) {
  foretask_counters_resume_(stream, task);
  foretask_record_named_(stream, FORETASK_EVENT_REGION_END, region);
  if (stream) foretask_note_end_(stream);
}

/* This thread joins `region` as `index` of `team_size`; region 0: it is an initial thread. Returns the implicit task's
 * id. */
static inline uint64_t foretask_record_implicit_begin(foretask_stream* stream, uint64_t region, uint32_t team_size,
                                                      uint32_t index) {
  if (!stream) return 0;
  const uint64_t name = foretask_name_(stream, stream->next_task++);
  foretask_counters_switch_(stream, name);
  uint32_t* word = foretask_event_begin_(stream, FORETASK_EVENT_IMPLICIT_BEGIN);
  if (!word) return name;
  word[0] = region ? (uint32_t)region : FORETASK_INITIAL_REGION;
  word[1] = region ? foretask_stream_of_(region) : FORETASK_INITIAL_REGION;
  word[2] = team_size;
  word[3] = index;
  foretask_event_end_(stream, word + 4);
  return name;
}

/* The thread leaves the region whose implicit task it ran. */
static inline void foretask_record_implicit_end(foretask_stream* stream, uint64_t task) {
  foretask_counters_end_(stream, 0, 0);
  foretask_record_named_(stream, FORETASK_EVENT_IMPLICIT_END, task);
}

static inline void foretask_record_lock_(foretask_stream* stream, uint32_t kind, uint64_t lock) {
  foretask_record_2_(stream, kind, (uint32_t)lock, (uint32_t)(lock >> 32));
}

/* The running task waits for a lock until it is acquired. */
static inline void foretask_record_lock_wait(foretask_stream* stream, uint64_t lock, uint32_t lock_kind) {
  if (!stream) return;
  foretask_counters_pause_(stream);
  uint32_t* word = foretask_event_begin_(stream, FORETASK_EVENT_LOCK_WAIT);
  if (!word) return;
  word[0] = (uint32_t)lock;
  word[1] = (uint32_t)(lock >> 32);
  word[2] = lock_kind;
  foretask_event_end_(stream, word + 3);
}

/* It has the lock, for which it `has_waited`. */
static inline void foretask_record_lock_acquired(foretask_stream* stream, uint64_t lock, int has_waited) {
  if (has_waited) foretask_counters_resume_(stream, 0);
  foretask_record_lock_(stream, FORETASK_EVENT_LOCK_ACQUIRED, lock);
}

/* Dependences of this stream's last created task, at most FORETASK_DEPENDENCES_PER_EVENT a call. */
static inline void foretask_record_dependences(foretask_stream* stream, const uint64_t* addresses,
                                               const uint32_t* kinds, uint32_t count) {
  if (!stream) return;
  uint32_t* word = foretask_event_begin_(stream, FORETASK_EVENT_DEPENDENCES);
  if (!word) return;
  *word++ = count;
  for (uint32_t i = 0; i < count; ++i) {
    /* In place of an address a task's id: without its kind. */
    const uint64_t is_task = kinds[i] >= FORETASK_DEPENDENCE_AFTER;
    const uint64_t address = is_task ? addresses[i] & (FORETASK_ID_COUNTED - 1) : addresses[i];
    *word++ = (uint32_t)address;
    *word++ = (uint32_t)(address >> 32);
    *word++ = kinds[i];
  }
  foretask_event_end_(stream, word);
}

/* An event that needs the extended header. */
static inline void foretask_record_extended_(foretask_stream* stream, uint32_t kind, const uint32_t* words,
                                             uint32_t count) {
  if (!stream) return;
  uint32_t* word = foretask_event_begin_extended_(stream, kind);
  if (!word) return;
  for (uint32_t i = 0; i < count; ++i) *word++ = words[i];
  foretask_event_end_(stream, word);
}

/* The long way of the function below. */
static __attribute__((noinline, cold, unused)) void foretask_record_task_end_with_slow_(foretask_stream* stream,
                                                                                        const uint32_t* words) {
  foretask_record_extended_(stream, FORETASK_EVENT_TASK_PARAMETER, words, 3);
  foretask_record_0_(stream, FORETASK_EVENT_TASK_END);
  foretask_note_end_(stream);
}

/* The running task has ended, and parameter `index` of it is `value`. One append, with one time stamp. */
static inline void foretask_record_task_end_with(foretask_stream* stream, uint32_t index, double value) {
  if (!stream) return;
  if (foretask_count_end_(stream)) return;
  foretask_record_counted_(stream);
  foretask_counters_end_(stream, 0, 0);
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const uint32_t parameter[3] = {index, (uint32_t)bits, (uint32_t)(bits >> 32)};
  uint64_t now;
  if (__builtin_expect(!foretask_event_fits_(stream, &now), 0)) {
    foretask_record_task_end_with_slow_(stream, parameter);
    return;
  }
  uint32_t* word = stream->cursor;
  stream->last_ticks = now;
  word[0] = FORETASK_EVENT_EXTENDED;
  word[1] = FORETASK_EVENT_TASK_PARAMETER;
  word[2] = (uint32_t)now;
  word[3] = (uint32_t)(now >> 32);
  word[4] = parameter[0];
  word[5] = parameter[1];
  word[6] = parameter[2];
  word[7] = FORETASK_EVENT_TASK_END | ((uint32_t)now << 5);
  foretask_event_publish_(stream, word + 8);
  foretask_note_end_(stream);
}

/* The running task enters a call whose time is not its own, and leaves it. */
static inline void foretask_record_block_begin(foretask_stream* stream, uint32_t why) {
  foretask_counters_pause_(stream);
  foretask_record_extended_(stream, FORETASK_EVENT_BLOCK_BEGIN, &why, 1);
}
static inline void foretask_record_block_end(foretask_stream* stream) {
  foretask_counters_resume_(stream, 0);
  foretask_record_extended_(stream, FORETASK_EVENT_BLOCK_END, NULL, 0);
}

#ifdef __cplusplus
}
#endif
