# SPDX-License-Identifier: Apache-2.0
"""Every past failure, by name. These run first, in each campaign."""

from __future__ import annotations

import special
from case import Case, from_text

# name: (kind, what it was, the case)
PROGRAMS = {
    # Memory
    "stack-16k-record": ("memory", "first OpenMP use on a stack of 16 KiB", "acts=small-stack:16"),
    "stack-20k-record": ("memory", "as before, 20 KiB: memory 43 KB below was written", "acts=small-stack:20"),
    "stack-32k-record": ("memory", "as before, 32 KiB", "acts=small-stack:32"),
    "stack-64k-record": ("memory", "as before, 64 KiB", "acts=small-stack:64"),
    "stack-72k-record": ("memory", "as before, 72 KiB: the guard page was hit", "acts=small-stack:72"),
    "stack-16k-learn": ("memory", "learning on a stack of 16 KiB", "mode=learn,acts=small-stack:16"),
    "stack-32k-learn": ("memory", "learning on a stack of 32 KiB", "mode=learn,acts=small-stack:32"),
    "stack-72k-learn": ("memory", "learning on a stack of 72 KiB", "mode=learn,acts=small-stack:72"),
    "stack-16k-progress": ("memory", "progress on a stack of 16 KiB", "mode=progress,acts=small-stack:16"),
    "stack-16k-counters": ("memory", "counters on a stack of 16 KiB", "mode=counters,acts=small-stack:16"),
    "stack-16k-gcc": ("memory", "a program of GCC's on a stack of 16 KiB", "cc=gcc,acts=small-stack:16"),
    "stack-16k-later": ("memory", "a second thread with a small stack, after the first use",
                        "acts=tasks:100+small-stack:16"),
    "late-library": ("memory", "no room was left for a library with variables of threads", "acts=tasks:10+load-late"),
    "late-library-learn": ("memory", "as before, learning", "mode=learn,acts=tasks:10+load-late"),
    # Signals
    "signal-to-parent": ("signals", "kill(getppid(), SIGUSR1) came back", "acts=tasks:10+signal-parent:USR1+tasks:10"),
    "signal-to-parent-early": ("signals", "as before, OpenMP not yet started", "acts=signal-parent:USR2+tasks:10"),
    "signal-to-parent-learn": ("signals", "as before, learning", "mode=learn,acts=tasks:10+signal-parent:USR1"),
    "parent-is-parent": ("signals", "the program's parent is who started foretask", "acts=parent+tasks:10+parent"),
    "own-stop-seen": ("signals", "a program's SIGSTOP was invisible to its parent", "acts=tasks:10+stop+tasks:10"),
    "own-stop-seen-learn": ("signals", "as before, learning", "mode=learn,acts=tasks:10+stop"),
    "suspend-is-seen": ("signals", "Ctrl-Z: the parent sees the same stop", "acts=tasks:10+suspend+tasks:10"),
    "suspend-orphaned-group": ("signals", "Ctrl-Z in an orphaned group stopped the launcher",
                               "option=orphan,acts=tasks:10+suspend+tasks:10"),
    "killed-by-parent": ("signals", "SIGKILL to what the parent started left the program behind",
                         "acts=tasks:10+pause,send=KILL:ready"),
    "terminated-by-parent": ("signals", "SIGTERM from the parent", "acts=tasks:10+pause,send=TERM:ready"),
    "stopped-by-parent": ("signals", "SIGSTOP from the parent stops the program",
                          "acts=tasks:10+await:USR1+tasks:10,send=STOP:ready.USR1+USR1:ready.USR1"),
    "signal-once": ("signals", "a signal from the parent comes once", "acts=tasks:10+await:USR1,send=USR1:ready.USR1"),
    "alarm-handler-forks": ("signals", "a SIGALRM handler that forks hung", "acts=alarm-fork"),
    "alarm-handler-forks-learn": ("signals", "as before, learning", "mode=learn,acts=alarm-fork"),
    "own-bus-error": ("signals", "a bus error of the program's own ends it", "acts=tasks:10+bus"),
    "childs-bus-error": ("signals", "a bus error of a child's ends that child", "acts=tasks:10+fork-bus+tasks:10"),
    "own-bus-handler": ("signals", "a SIGBUS handler of the program's own",
                        "acts=catch-bus+tasks:10+caught-bus+tasks:10"),
    "own-bus-handler-later": ("signals", "as before, set once OpenMP runs",
                              "mode=small,acts=tasks:40000+catch-bus+caught-bus+tasks:40000"),
    "own-handlers": ("signals", "what the program handles is what it asked for, also where the disk is full",
                     "place=full:100k,acts=signals+tasks:40000+signals"),
    "openmp-paused": ("exit status", "omp_pause_resource_all() unmapped the hook: SIGSEGV at exit",
                      "acts=tasks:100+pause-openmp+return:3"),
    "openmp-paused-learn": ("exit status", "as before, learning", "mode=learn,acts=tasks:100+pause-openmp+return:3"),
    "openmp-paused-gcc": ("exit status", "as before, on GCC's runtime", "cc=gcc,acts=tasks:100+pause-openmp+tasks:50"),
    # By hand, and another user
    "by-hand-children": ("output", "a program that a recorded one starts says on its own standard error, a file",
                         "mode=hand,threads=9,acts=redirect-stderr+fib:3+children+lock-up+start-self:10+descriptors+"
                         "raise:PIPE"),
    "setuid-before-openmp": ("environment", "in a build that only root may read the environment was not restored",
                             "mode=watch,threads=4,acts=setuid:65534+group:10+group:10+environment+return:3"),
    # Floating point, scheduling
    "traps-record": ("floating point", "feenableexcept before the first OpenMP use", "acts=traps+tasks:1000+beside"),
    "traps-learn": ("floating point", "as before, learning", "mode=learn,acts=traps:underflow+fib:15+tasks:20000"),
    "traps-watch": ("floating point", "as before, progress", "mode=watch,acts=traps+fib:15+tasks:20000"),
    "traps-all-record": ("floating point", "all traps, once OpenMP runs", "acts=tasks:10+traps:all+tasks:1000"),
    "traps-all-learn": ("floating point", "as before, learning", "mode=learn,acts=tasks:10+traps:all+fib:15"),
    "traps-all-progress": ("floating point", "as before, progress", "mode=progress,acts=tasks:10+traps:all+fib:15"),
    "real-time-learn": ("threads", "foretask's threads inherited SCHED_FIFO",
                        "mode=learn,option=nice-fifo,acts=tasks:1000+quiet+state"),
    "real-time-progress": ("threads", "as before, progress",
                           "mode=progress,option=nice-fifo,acts=tasks:1000+quiet+state"),
    "bound-learn": ("threads", "foretask's threads inherited a thread's one processor", "mode=learn,acts=bound"),
    "bound-progress": ("threads", "as before, progress", "mode=progress,acts=bound"),
    # Descriptors
    "descriptor-race": ("descriptors", "dup2 and close of the program's own failed", "acts=race:30000:100000"),
    "descriptor-race-learn": ("descriptors", "as before, learning", "mode=learn,acts=race:30000:30000"),
    "descriptor-race-progress": ("descriptors", "as before, progress", "mode=progress,acts=race:30000:60000"),
    "stderr-closed": ("descriptors", "warnings were written into the program's own file",
                      "mode=small,close=2,acts=own-file+own-file+own-file+tasks:40000"),
    "stderr-closed-learn": ("descriptors", "as before, learning",
                            "mode=learn,close=2,acts=own-file+own-file+tasks:40000"),
    "stderr-closed-progress": ("descriptors", "as before, progress",
                               "mode=progress,close=2,acts=own-file+own-file+tasks:40000"),
    "stderr-closed-counters": ("descriptors", "as before, a counter that is not here",
                               "mode=counters,close=2,acts=own-file+own-file+tasks:100"),
    "stderr-replaced": ("descriptors", "the program closes stderr and opens its own file in its place",
                        "mode=small,acts=redirect-stderr+tasks:40000"),
    "all-streams-closed": ("descriptors", "started without standard streams",
                           "mode=small,close=0+1+2,acts=own-file+tasks:40000+own-file"),
    "errno-learn": ("memory", "errno changed where a task is made, learning", "mode=learn,acts=errno:300"),
    "errno-progress": ("memory", "as before, progress, where a module cannot be looked at any more",
                       "mode=progress,acts=tasks:100+chroot+errno:100"),
    # Exit status
    "run-json-nested": ("exit status", "a deeply nested run.json killed the launcher",
                        "acts=tasks:10+nest:run.json:200000+_exit:7"),
    "run-json-nested-more": ("exit status", "as before, a million deep", "acts=tasks:10+nest:run.json:1000000+_exit:7"),
    "run-json-garbled": ("exit status", "an unreadable run.json took the exit code",
                         "acts=tasks:10+garble:run.json+_exit:7"),
    "run-folder-locked": ("exit status", "a folder that cannot be read took the exit code",
                          "acts=tasks:10+lock-up+_exit:7"),
    "kernels-nested": ("exit status", "a nested .kernels.jsonl", "acts=tasks:10+nest:.kernels.jsonl:200000+return:7"),
    # Processes
    "plain-fork-tasks": ("processes", "a child of _Fork crashed at its first task", "acts=tasks:10+_Fork-tasks:10"),
    "first-thread-gone": ("processes", "the process did not end with its last own thread",
                          "cc=gcc,acts=tasks:10+main-thread-first:0"),
    "first-thread-gone-learn": ("processes", "as before, learning",
                                "mode=learn,cc=gcc,acts=tasks:10+main-thread-first:0"),
    "first-thread-gone-progress": ("processes", "as before, with progress",
                                   "mode=progress,cc=gcc,acts=tasks:10+main-thread-first:0"),
    "clone-tasks": ("processes", "a child of a raw clone crashed at its first task", "acts=tasks:10+clone-tasks:10"),
    "plain-fork-tasks-learn": ("processes", "as before, learning",
                               "mode=learn,acts=tasks:10+_Fork-tasks:10+clone-tasks:10"),
    "look-up-gcc": ("environment", "getenv missed a variable of the program's when OpenMP starts", "cc=gcc,acts=look-up"),
    "look-up": ("environment", "as before, a program of Clang's", "acts=look-up"),
    "gcc-clearenv": ("environment", "a GCC program that first calls clearenv() crashed: as on LLVM's runtime alone",
                     "cc=gcc,option=on-libomp,acts=clearenv+tasks:10"),
    "clearenv-own-gomp": ("environment", "as before, on its own runtime", "cc=gcc,acts=clearenv+tasks:10"),
    # Programs on GCC's own runtime
    "errno-learn-gomp": ("memory", "errno changed where libgomp is first called, learning",
                         "mode=learn,cc=gcc,acts=errno:300"),
    "chroot-first-gomp": ("files and folders", "the store was made anew in the chroot of before the first task",
                          "mode=learn,cc=gcc,acts=chroot+tasks:1"),
    # Files
    "streams-truncated": ("files and folders", "a stream truncated in mid-run was a SIGBUS",
                          "acts=tasks:1000+truncate-streams+tasks:100000"),
    "run-folder-gone": ("files and folders", "'recorded into' was said of a folder that is gone",
                        "acts=tasks:10+remove-run+return:3"),
    "run-folder-gone-at-end": ("files and folders", "as before, just before the end",
                               "acts=tasks:10+remove-run+_exit:3"),
    "run-folder-renamed": ("files and folders", "as before, renamed", "acts=tasks:10+rename-run+tasks:10+return:3"),
    "chroot-store": ("files and folders", "the store was made anew inside the program's chroot",
                     "mode=learn,acts=tasks:100+chroot+tasks:10"),
    # Limits
    "four-descriptors": ("limits", "RLIMIT_NOFILE=4", "limit=nofile:4,acts=tasks:10+return:3"),
    "four-descriptors-learn": ("limits", "as before, learning", "mode=learn,limit=nofile:4,acts=tasks:10+return:3"),
    "no-memory-aside": ("limits", "no memory to work aside: a message asked for it without end",
                        "acts=tasks:30000,shim=mmap:EACCES:1:1000000"),
    "filter-kills-learn": ("filters", "a filter of the program's own that kills, learning",
                           "mode=learn,acts=tasks:10+filter:openat:kill+tasks:1000+_exit:3"),
}

CHECKS = {"four-descriptors": special.must_run, "four-descriptors-learn": special.must_run}

INJECTED = {}
for error in ("EIO", "EPERM", "EINTR"):
    INJECTED[f"no-full-disk-{error}-fallocate"] = (
        error, "posix_fallocate", f"shim=posix_fallocate:{error}:1:1,acts=tasks:1000")
    INJECTED[f"no-full-disk-{error}-pwrite"] = (error, "pwrite", f"shim=pwrite:{error}:2:1,acts=tasks:60000")

DAMAGED = {
    "stream-copied": ("a stream copied under another number doubled the tasks", "damage=copy:stream_0:stream_2"),
    "stream-copied-over": ("a stream copied over another", "damage=copy:stream_0:stream_1"),
    "stream-copied-simulate": ("as before, simulate", "damage=copy:stream_0:stream_2,reader=simulate"),
    "stream-stray": ("a stray stream_00 hid good streams", "damage=copy:stream_0:stream_00,answer=same"),
    "stream-stray-other": ("as before, stream_1x", "damage=copy:stream_1:stream_1x,answer=same"),
    "stamp-far": ("one changed time stamp made a run of 110 years", "damage=head:stream_0:24:4611686018427387904"),
    "stamp-far-other": ("as before, the other stream", "damage=head:stream_1:24:4611686018427387904"),
    "stamp-early": ("one changed time stamp lost 26 of 60 tasks", "damage=head:stream_0:24:1"),
    "stamp-early-other": ("as before, the other stream", "damage=head:stream_1:24:1"),
    "stamp-far-unsealed": ("as before, of a packet without a checksum",
                           "damage=head:stream_0:24:4611686018427387904+head:stream_0:80:0"),
    "stamp-early-unsealed": ("as before, early", "damage=head:stream_0:24:1+head:stream_0:80:0"),
    "stamp-event-unsealed": ("an event's full time stamp in a packet without a checksum",
                             "damage=stamp:stream_0:500+head:stream_0:80:0"),
    "stamp-event": ("an event's full time stamp is far away", "damage=stamp:stream_0:500"),
    "stamp-event-end": ("as before, at the end", "damage=stamp:stream_0:990"),
    "flip-in-stamp": ("one bit of an event's time", "damage=flip:stream_0:200:7"),
    "flip-in-stamp-late": ("as before, later", "damage=flip:stream_0:800:7"),
    "flip-clock": ("another clock rate in run.json", "damage=set:run.json:clock/ticks_per_second:5000000000"),
    "nested-brackets": ("[ x 200,000 killed readers", "damage=nest:run.json:200000"),
    "nested-objects": ("nested objects", "damage=nest:run.json:200000:object"),
    "nested-params": ("nested values in run.json", "damage=nest-field:run.json:params:200000"),
    "nested-params-more": ("as before, a million deep", "damage=nest-field:run.json:params:1000000"),
    "nested-params-simulate": ("as before, simulate", "damage=nest-field:run.json:params:1000000,reader=simulate"),
    "nested-kernels": ("[ x 200,000 in .kernels.jsonl", "damage=nest:.kernels.jsonl:200000"),
    "nested-kernels-more": ("as before, 2,000,000", "damage=nest:.kernels.jsonl:2000000"),
    "nested-store": ("a nested file in the store", "damage=nest:store.json:1000000,reader=store"),
    "nested-store-learn": ("as before, learning", "damage=nest:store.json:1000000,reader=learn"),
    "nested-graph": ("a nested line of a task-graph file", "damage=line:graph.jsonl:500:deep,reader=graph"),
}

FUNCTIONS = {
    "run-path": ("files and folders", "empty entries in RUNPATH", special.run_path),
    "left-child": ("files and folders", "a child that is left had a removed folder on its library path",
                   special.left_child),
    "reader-gone": ("signals", "a message of foretask's was the program's SIGPIPE", special.reader_gone),
    "full-pipe": ("signals", "a message waited for ever for the reader of a full pipe", special.full_pipe),
    "first-calibration": ("environment", "the first answer measures the runtime, no recording does",
                          special.first_calibration),
    "closed-build": ("environment", "after setuid() LLVM's runtime could not read the hook: silently unrecorded",
                     special.closed_build),
    "no-child-signal": ("signals", "a pending SIGCHLD of a child of foretask's", special.no_child_signal),
    "exit-codes": ("exit status", "exit(-1) was taken for a program that goes on", special.exit_codes),
    "started-by-env": ("environment", "the recorded command was that of env", special.started_by_env),
    "own-tool": ("environment", "the user's own OMP_TOOL_LIBRARIES meant no recording", special.own_tool),
    "own-new": ("memory", "allocations seen by the program's own operator new", special.own_new),
    "newline-in-out": ("files and folders", "a newline in --out", special.newline),
    "out-said-right": ("files and folders", "'is there already' of a path that is too long, or no folder",
                       special.error_text),
    "out-not-searched": ("files and folders", "'is there already' of a path that cannot be searched",
                         special.cannot_search),
    "store-locked": ("files and folders", "a held store lock delayed the end by 10 s, and 'learned' was said",
                     special.store_lock),
    "arguments-overwritten": ("environment", "the recorded command was read after the program changed it",
                              special.command_line),
    "cancelled-nested-gomp": ("recordings", "discarded tasks were told of when their creator's wait was over",
                              special.without_doubt("program_gcc", "cancel:50", "return:3")),
    "fortran-event-gomp": ("recordings", "an event fulfilled by Fortran's function was not seen",
                           special.without_doubt("program_gcc", "detach:50", "return:3")),
    "target-tasks-gomp": ("recordings", "target with nowait ran unseen in its creator's wait",
                          special.without_doubt("target")),
    "wrong-field": ("readers", "a wrong field discarded all of run.json", special.wrong_field),
}


def named_cases() -> list[Case]:
    cases = [Case(name, kind, from_text(text), about, CHECKS.get(name))
             for name, (kind, about, text) in PROGRAMS.items()]
    for name, (error, call, text) in INJECTED.items():
        about = f"{error} of {call} was called a full disk"
        cases.append(Case(name, "disk", from_text(text), about, special.not_a_full_disk(error, call)))
    cases += [Case(name, "readers", from_text(text), about) for name, (about, text) in DAMAGED.items()]
    cases += [Case(name, kind, None, about, check) for name, (kind, about, check) in FUNCTIONS.items()]
    return cases
