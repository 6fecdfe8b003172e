# SPDX-License-Identifier: Apache-2.0
"""Random cases: the same ones for the same seed."""

from __future__ import annotations

import random

from case import Case, CorruptCase, ProgramCase

ERRORS = ("EIO", "ENOSPC", "EINTR", "EPERM", "ENOMEM", "ENOSYS", "EACCES", "EMFILE")

TASKS = ("tasks:{n}", "tasks:{n}", "fib:{f}", "chain:{n}", "group:{n}", "regions:20", "alone:{n}", "nested:20")
LOOKS = ("descriptors", "lowest", "children", "signals", "environment", "state", "arguments", "errno:100")
CHANGES = ("chdir:/", "name:other", "ignore", "block", "take", "own-file", "overwrite", "at-exit", "traps", "close-from:3",
           "close-all:3", "limit:nofile:8", "limit:fsize:8192", "clearenv", "chroot", "setuid:65534", "redirect-stderr")
PROCESSES = ("fork-leave", "fork-exit", "fork-tasks:10", "clone-leave", "vfork-exec", "spawn", "shell", "start-self:10",
             "leave-behind")
SPOILS = ("garble:run.json", "garble:metadata", "nest:run.json:5000", "lock-up", "lock-up:run.json", "remove-run", "rename-run")
THREADS = ("beside", "small-stack:256", "race:5000:30000")
ENDS = ("return:0", "return:3", "exit:7", "quick_exit:7", "_exit:7", "abort", "raise:TERM", "raise:KILL", "raise:SEGV",
        "raise:PIPE", "raise:USR1", "bus", "exec:5", "in-task:exit:7", "in-task:_exit:7", "in-task:abort", "in-task:SEGV",
        "in-task:TERM", "from-thread:7", "main-thread-first:7")
# Calls that the recorder makes, and that no program of ours needs.
FILTERED = ("fallocate", "madvise", "rename", "renameat2", "pwrite64", "prctl", "getrandom", "statfs", "sysinfo", "membarrier",
            "perf_event_open", "mkdir", "fcntl", "close_range", "unlink", "sched_setscheduler", "pipe2", "statx")
SHIMMED = ("open", "open", "openat", "mmap", "posix_fallocate", "posix_fallocate", "pwrite", "ftruncate", "fstat", "write",
           "read", "rename", "renameat2", "mkdir", "unlink", "madvise", "munmap", "flock", "pthread_create")
TRACED = ("fallocate", "renameat2", "rename", "mkdir", "pwrite64", "flock", "madvise", "getdents64")
LIMITS = ("nofile:6", "nofile:10", "nofile:16", "fsize:8192", "fsize:65536", "fsize:131072", "fsize:1000000", "stack:262144",
          "stack:1048576", "as:1000000000", "core:0")

STREAM_DAMAGE = ("flip:{s}:{at}:{bit}", "flip:{s}:{at}:{bit}", "flip:{s}:{at}:{bit}", "word:{s}:{at}:{word}", "zero:{s}:{at}:{size}",
                 "cut:{s}:{at}", "drop:{s}:{at}:{size}", "append:{s}:{size}", "repeat:{s}", "copy:stream_0:stream_{other}",
                 "swap:stream_0:stream_1", "remove:{s}", "replace:{s}:{thing}", "head:{s}:{field}:{word}", "stamp:{s}:{at}",
                 "copy:{s}:stream_0{other}", "copy:metadata:stream_2")
TEXT_DAMAGE = ("flip:{t}:{at}:{bit}", "flip:{t}:{at}:{bit}", "cut:{t}:{at}", "zero:{t}:{at}:{size}", "drop:{t}:{at}:{size}",
               "replace:{t}:{thing}", "nest:{t}:{depth}", "nest:{t}:{depth}:object", "append:{t}:{size}", "line:{t}:{at}:{how}")
FIELDS = ("streams", "clock/ticks_per_second", "clock/start/ticks", "clock/end/ticks", "clock/start/monotonic_ns",
          "clock/launch_ns", "losses/dropped_events", "probe_costs_ns", "modules", "machine/places", "params", "trace_id",
          "stream_bytes", "state", "foretask_run", "counters", "exit", "pid", "command", "environment", "ranks")
VALUES = ("0", "-1", "7", "1e300", "18446744073709551615", "null", '"text"', "[]", "{}", "[[[1]]]", "true")


class Generator:
    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def case(self, index: int) -> Case:
        kind, make = self.random.choice(self.kinds())
        return Case(f"random-{index}", kind, make())

    def kinds(self):
        damage = [("damaged streams", self.streams), ("damaged run.json", self.run_file), ("damaged texts", self.texts)]
        programs = [("programs", self.program), ("injected errors", self.injected), ("filters", self.filtered),
                    ("limits", self.limited), ("signals", self.signalled), ("full disks", self.full), ("traced errors", self.traced)]
        return damage * 2 + programs + [("programs", self.program), ("injected errors", self.injected)] * 2

    def pick(self, words: tuple[str, ...]) -> str:
        n = self.random.choice((1, 10, 100, 1000, 5000))
        return self.random.choice(words).format(n=n, f=self.random.choice((3, 10, 14)))

    def base(self) -> ProgramCase:
        mode = self.random.choices(("record", "learn", "progress", "watch", "counters", "small", "hand"), (8, 5, 2, 2, 1, 2, 2))[0]
        cc = "gcc" if mode != "hand" and self.random.random() < 0.25 else "clang"
        return ProgramCase(mode=mode, cc=cc, threads=self.random.choice((1, 2, 2, 2, 4, 9)))

    def acts(self, spec: ProgramCase, few: bool = False) -> list[str]:
        # Before OpenMP starts, foretask's variables are there: docs/command_line.md.
        early = tuple(look for look in LOOKS if look != "environment")
        acts = [self.pick(early)] if self.random.random() < 0.3 else []
        if not few and self.random.random() < 0.25:
            acts.append(self.pick(CHANGES))
        acts.append(self.pick(TASKS))
        for _ in range(self.random.randint(0, 1 if few else 4)):
            words = self.random.choices((TASKS, LOOKS, CHANGES, PROCESSES, SPOILS, THREADS), (6, 5, 3, 3, 1 if not few else 0, 1))[0]
            acts.append(self.pick(words))
        if self.random.random() < 0.5:
            acts.append(self.pick(LOOKS))
        if "take" in acts:
            acts.append("still-taken")
        acts.append(self.random.choice(ENDS) if self.random.random() < 0.6 else "return:" + str(self.random.randint(0, 255)))
        return [act for act in acts if self.is_sound(spec, act, acts)]

    def is_sound(self, spec: ProgramCase, act: str, acts: list[str]) -> bool:
        """Not what fails, or differs, by itself."""
        name = act.split(":")[0]
        # What a process may not do any more is no matter of foretask's.
        if name == "nested" and spec.threads > 4:
            return False
        # LLVM's runtime changes errno when it starts, and GCC's does not.
        if name == "errno" and spec.cc == "gcc":
            return False
        if name == "environment" and (spec.mode == "hand" or spec.shim or spec.cc == "gcc"):
            return False
        # GCC's runtime hangs in a forked child, and LLVM's stops where these are.
        if spec.cc == "gcc" and name in ("fork-tasks", "clearenv", "traps", "at-exit", "fork-exit"):
            return False
        # LLVM's runtime: threads of the program's own that each open a region meet its error.
        if name in ("beside", "small-stack") and spec.threads > 1 and sum(a.split(":")[0] in THREADS for a in acts) > 1:
            return False
        if name in ("start-self", "shell", "spawn", "vfork-exec") and "chroot" in acts:
            return False
        if name == "leave-behind" and any(a.startswith("in-task") for a in acts):
            return False
        return True

    def program(self) -> ProgramCase:
        spec = self.base()
        spec.acts = self.acts(spec)
        if self.random.random() < 0.15:
            spec.close = self.random.choice((["0"], ["1"], ["2"], ["0", "1", "2"]))
        if self.random.random() < 0.1:
            spec.option = [self.random.choice(("nobody", "orphan", "nice-fifo"))]
        return spec

    def injected(self) -> ProgramCase:
        spec = self.base()
        first, count = self.random.choice((1, 1, 2, 3, 5, 8)), self.random.choice((1, 1, 2, 1000000))
        spec.shim = f"{self.random.choice(SHIMMED)}:{self.random.choice(ERRORS)}:{first}:{count}"
        spec.acts = self.acts(spec, few=True)
        if self.random.random() < 0.5:
            spec.acts.insert(0, "tasks:30000")
        return spec

    def filtered(self) -> ProgramCase:
        spec = self.base()
        spec.acts = self.acts(spec, few=True)
        text = f"{self.random.choice(FILTERED)}:{self.random.choice(ERRORS)}"
        if self.random.random() < 0.5:
            spec.filter = [text]
        else:
            spec.acts.insert(self.random.randint(0, len(spec.acts) - 1), "filter:" + text)
        return spec

    def limited(self) -> ProgramCase:
        spec = self.base()
        spec.limit = [self.random.choice(LIMITS)]
        spec.acts = [act for act in self.acts(spec, few=True) if not act.startswith(("environment", "race", "take", "still-taken"))]
        if self.random.random() < 0.5:
            spec.acts.insert(0, "tasks:30000")
        return spec

    def signalled(self) -> ProgramCase:
        spec = self.base()
        spec.acts = self.acts(spec, few=True)[:-1]
        spec.acts = [act for act in spec.acts if not act.startswith(("block", "ignore", "chroot"))]
        if self.random.random() < 0.6:
            spec.acts.append("pause")
            spec.send = [self.random.choice(("TERM", "KILL", "INT", "HUP", "QUIT", "ALRM", "USR2")) + ":ready"]
        else:
            spec.acts += [self.random.choice(("await:USR1", "stop", "signal-parent:USR1", "suspend", "parent")), "tasks:50", "return:4"]
            spec.send = ["USR1:ready.USR1"] if "await:USR1" in spec.acts else []
        return spec

    def full(self) -> ProgramCase:
        spec = self.base()
        spec.mode = self.random.choice(("record", "progress", "counters"))
        spec.place = self.random.choice(("full:16k", "full:64k", "full:100k", "full:400k", "full:1m", "sealed"))
        spec.acts = [*self.acts(spec, few=True)]
        spec.acts.insert(0, "tasks:60000")
        return spec

    def traced(self) -> ProgramCase:
        spec = self.base()
        spec.strace = f"{self.random.choice(TRACED)}:{self.random.choice(ERRORS)}:{self.random.choice(('1', '2', '1+', '3+'))}"
        spec.acts = [act for act in self.acts(spec, few=True) if act.split(":")[0] not in ("race", "stop", "chroot", "environment")]
        return spec

    def damage(self, words: tuple[str, ...], files: tuple[str, ...] = ("stream_0",)) -> str:
        pick = self.random.choice
        return pick(words).format(s=pick(("stream_0", "stream_0", "stream_1")), t=pick(files), at=self.random.randint(0, 999),
                                  bit=self.random.randint(0, 7), size=pick((1, 4, 16, 80, 1000, 70000)),
                                  word=pick((0, 1, 31, 2**31, 2**32 - 1, self.random.getrandbits(32))), other=pick((2, 3, 7, 65534, 99999)),
                                  thing=pick(("fifo", "folder", "zeros", "loop", "empty", "binary")),
                                  field=pick((0, 4, 12, 20, 24, 32, 40, 48, 56, 64, 68, 72)), depth=pick((100, 10000, 200000)),
                                  how=pick(("double", "drop", "deep", "long", "odd")))

    def streams(self) -> CorruptCase:
        reader = self.random.choice(("report", "report", "simulate", "whatif", "predict", "text", "perfetto", "export-graph", "merge"))
        return CorruptCase([self.damage(STREAM_DAMAGE) for _ in range(self.random.choice((1, 1, 1, 2, 3)))], reader)

    def run_file(self) -> CorruptCase:
        reader = self.random.choice(("report", "simulate", "predict", "text", "perfetto", "merge"))
        if self.random.random() < 0.6:
            return CorruptCase([f"set:run.json:{self.random.choice(FIELDS)}:{self.random.choice(VALUES)}"], reader)
        return CorruptCase([self.damage(TEXT_DAMAGE, ("run.json", "run.json", "metadata", ".kernels.jsonl"))], reader)

    def texts(self) -> CorruptCase:
        file, readers = self.random.choice((("graph.jsonl", ("graph", "graph-whatif")), ("store.json", ("store", "learn"))))
        return CorruptCase([self.damage(TEXT_DAMAGE, (file,)) for _ in range(self.random.choice((1, 1, 2)))],
                           self.random.choice(readers))
