# SPDX-License-Identifier: Apache-2.0
"""What random cases are made of. A word that is there twice is drawn twice as often."""

ERRORS = """
    EIO ENOSPC EINTR EPERM ENOMEM ENOSYS EACCES EMFILE
""".split()

TASKS = """
    tasks:{n} tasks:{n} fib:{f} chain:{n} group:{n} regions:20 alone:{n} nested:20
""".split()

LOOKS = """
    descriptors lowest children signals environment state arguments errno:100
""".split()

CHANGES = """
    chdir:/ name:other ignore block take own-file overwrite at-exit traps close-from:3 close-all:3 limit:nofile:8
    limit:fsize:8192 clearenv chroot setuid:65534 redirect-stderr
""".split()

PROCESSES = """
    fork-leave fork-exit fork-tasks:10 clone-leave vfork-exec spawn shell start-self:10 leave-behind
""".split()

SPOILS = """
    garble:run.json garble:metadata nest:run.json:5000 lock-up lock-up:run.json remove-run rename-run
""".split()

THREADS = """
    beside small-stack:256 race:5000:30000
""".split()

ENDS = """
    return:0 return:3 exit:7 quick_exit:7 _exit:7 abort raise:TERM raise:KILL raise:SEGV raise:PIPE raise:USR1 bus
    exec:5 in-task:exit:7 in-task:_exit:7 in-task:abort in-task:SEGV in-task:TERM from-thread:7 main-thread-first:7
""".split()

# Calls that the recorder makes, and that no program of ours needs.
FILTERED = """
    fallocate madvise rename renameat2 pwrite64 prctl getrandom statfs sysinfo membarrier perf_event_open mkdir
    fcntl close_range unlink sched_setscheduler pipe2 statx
""".split()

SHIMMED = """
    open open openat mmap posix_fallocate posix_fallocate pwrite ftruncate fstat write read rename renameat2 mkdir
    unlink madvise munmap flock pthread_create
""".split()

TRACED = """
    fallocate renameat2 rename mkdir pwrite64 flock madvise getdents64
""".split()

LIMITS = """
    nofile:6 nofile:10 nofile:16 fsize:8192 fsize:65536 fsize:131072 fsize:1000000 stack:262144 stack:1048576
    as:1000000000 core:0
""".split()

STREAM_DAMAGE = """
    flip:{s}:{at}:{bit} flip:{s}:{at}:{bit} flip:{s}:{at}:{bit} word:{s}:{at}:{word} zero:{s}:{at}:{size}
    cut:{s}:{at} drop:{s}:{at}:{size} append:{s}:{size} repeat:{s} copy:stream_0:stream_{other}
    swap:stream_0:stream_1 remove:{s} replace:{s}:{thing} head:{s}:{field}:{word} stamp:{s}:{at}
    copy:{s}:stream_0{other} copy:metadata:stream_2
""".split()

TEXT_DAMAGE = """
    flip:{t}:{at}:{bit} flip:{t}:{at}:{bit} cut:{t}:{at} zero:{t}:{at}:{size} drop:{t}:{at}:{size}
    replace:{t}:{thing} nest:{t}:{depth} nest:{t}:{depth}:object append:{t}:{size} line:{t}:{at}:{how}
""".split()

FIELDS = """
    streams clock/ticks_per_second clock/start/ticks clock/end/ticks clock/start/monotonic_ns clock/launch_ns
    losses/dropped_events probe_costs_ns modules machine/places params trace_id stream_bytes state foretask_run
    counters exit pid command environment ranks
""".split()

VALUES = """
    0 -1 7 1e300 18446744073709551615 null "text" [] {} [[[1]]] true
""".split()
