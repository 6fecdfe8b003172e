# SPDX-License-Identifier: Apache-2.0
"""Random cases: the same ones for the same seed."""

from __future__ import annotations

import random

from case import Case, CorruptCase, ProgramCase
from words import (CHANGES, ENDS, ERRORS, FIELDS, FILTERED, LIMITS, LOOKS, PROCESSES, SHIMMED, SPOILS, STREAM_DAMAGE,
                   TASKS, TEXT_DAMAGE, THREADS, TRACED, VALUES)


class Generator:
    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def case(self, index: int) -> Case:
        kind, make = self.random.choice(self.kinds())
        return Case(f"random-{index}", kind, make())

    def kinds(self):
        damage = [("damaged streams", self.streams), ("damaged run.json", self.run_file), ("damaged texts", self.texts)]
        programs = [("programs", self.program), ("injected errors", self.injected), ("filters", self.filtered),
                    ("limits", self.limited), ("signals", self.signalled), ("full disks", self.full),
                    ("traced errors", self.traced)]
        return damage * 2 + programs + [("programs", self.program), ("injected errors", self.injected)] * 2

    def pick(self, words: list[str]) -> str:
        n = self.random.choice((1, 10, 100, 1000, 5000))
        return self.random.choice(words).format(n=n, f=self.random.choice((3, 10, 14)))

    def base(self) -> ProgramCase:
        modes = {"record": 8, "learn": 5, "progress": 2, "watch": 2, "counters": 1, "small": 2, "hand": 2}
        mode = self.random.choices(list(modes), list(modes.values()))[0]
        cc = "gcc" if mode != "hand" and self.random.random() < 0.4 else "clang"
        return ProgramCase(mode=mode, cc=cc, threads=self.random.choice((1, 2, 2, 2, 4, 9)))

    def acts(self, spec: ProgramCase, few: bool = False) -> list[str]:
        # Before OpenMP starts, foretask's variables are there: docs/command_line.md.
        early = [look for look in LOOKS if look != "environment"]
        acts = [self.pick(early)] if self.random.random() < 0.3 else []
        if not few and self.random.random() < 0.25:
            acts.append(self.pick(CHANGES))
        acts.append(self.pick(TASKS))
        for _ in range(self.random.randint(0, 1 if few else 4)):
            kinds = (TASKS, LOOKS, CHANGES, PROCESSES, SPOILS, THREADS)
            acts.append(self.pick(self.random.choices(kinds, (6, 5, 3, 3, 0 if few else 1, 1))[0]))
        if self.random.random() < 0.5:
            acts.append(self.pick(LOOKS))
        if "take" in acts:
            acts.append("still-taken")
        is_plain = self.random.random() < 0.4
        acts.append(f"return:{self.random.randint(0, 255)}" if is_plain else self.random.choice(ENDS))
        acts = [act for act in acts if self.is_sound(spec, act, acts)]
        # The act that starts OpenMP may be none of the sound ones.
        starts = {word.split(":")[0] for word in TASKS}
        begun = next((i for i, act in enumerate(acts) if act.split(":")[0] in starts), len(acts))
        return [act for i, act in enumerate(acts) if i > begun or act != "environment"]

    def is_sound(self, spec: ProgramCase, act: str, acts: list[str]) -> bool:
        """Not what fails, or differs, by itself."""
        name = act.split(":")[0]
        # What a process may not do any more is no matter of foretask's.
        if name == "nested" and spec.threads > 4:
            return False
        if name in ("environment", "shell") and (spec.mode == "hand" or spec.shim):
            return False
        # GCC's runtime hangs in a forked child.
        if spec.cc == "gcc" and name == "fork-tasks":
            return False
        # LLVM's runtime: threads of the program's own that each open a region meet its error.
        if spec.cc == "clang" and name in ("beside", "small-stack") and spec.threads > 1 and sum(a.split(":")[0] in THREADS for a in acts) > 1:
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
        # Who waits by spinning, with a real-time priority and on the one processor of all threads, waits for ever once
        # another has blocked: runtimes, and race.
        if "nice-fifo" in spec.option:
            spec.cc, spec.threads = "clang", 1
            spec.acts = [act for act in spec.acts if not act.startswith("race")]
        return spec

    def injected(self) -> ProgramCase:
        spec = self.base()
        first, count = self.random.choice((1, 1, 2, 3, 5, 8)), self.random.choice((1, 1, 2, 1000000))
        error = self.random.choice(ERRORS)
        # A call that is interrupted each time may be tried for ever.
        spec.shim = f"{self.random.choice(SHIMMED)}:{error}:{first}:{1 if error == 'EINTR' else count}"
        spec.acts = self.acts(spec, few=True)
        if self.random.random() < 0.5:
            spec.acts.insert(0, "tasks:30000")
        return spec

    def filtered(self) -> ProgramCase:
        spec = self.base()
        spec.acts = self.acts(spec, few=True)
        text = f"{self.random.choice(FILTERED)}:{self.random.choice([error for error in ERRORS if error != 'EINTR'])}"
        if self.random.random() < 0.5:
            spec.filter = [text]
        else:
            spec.acts.insert(self.random.randint(0, len(spec.acts) - 1), "filter:" + text)
        return spec

    def limited(self) -> ProgramCase:
        spec = self.base()
        spec.limit = [self.random.choice(LIMITS)]
        unfit = ("environment", "race", "take", "still-taken")
        spec.acts = [act for act in self.acts(spec, few=True) if not act.startswith(unfit)]
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
            between = self.random.choice(("await:USR1", "stop", "signal-parent:USR1", "suspend", "parent"))
            spec.acts += [between, "tasks:50", "return:4"]
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
        error = self.random.choice(ERRORS)
        when = self.random.choice(("1", "2") if error == "EINTR" else ("1", "2", "1+", "3+"))
        spec.strace = f"{self.random.choice(TRACED)}:{error}:{when}"
        unfit = ("race", "stop", "chroot", "environment")
        spec.acts = [act for act in self.acts(spec, few=True) if act.split(":")[0] not in unfit]
        return spec

    def damage(self, words: list[str], files: tuple[str, ...] = ("stream_0",)) -> str:
        pick = self.random.choice
        values = {
            "s": pick(("stream_0", "stream_0", "stream_1")), "t": pick(files), "thing": self.thing(files),
            "at": self.random.randint(0, 999), "bit": self.random.randint(0, 7),
            "size": pick((1, 4, 16, 80, 1000, 70000)),
            "word": pick((0, 1, 31, 2**31, 2**32 - 1, self.random.getrandbits(32))),
            "other": pick((2, 3, 7, 65534, 99999)),
            "field": pick((0, 4, 12, 20, 24, 32, 40, 48, 56, 64, 68, 72, 80)), "depth": pick((100, 10000, 200000)),
            "how": pick(("double", "drop", "deep", "long", "odd"))}
        return pick(words).format(**values)

    def thing(self, files: tuple[str, ...]) -> str:
        # A task-graph file may be a pipe: the reader waits for what comes.
        endless = () if "graph.jsonl" in files else ("fifo", "zeros")
        return self.random.choice(("folder", "loop", "empty", "binary", *endless))

    def streams(self) -> CorruptCase:
        readers = ("report", "report", "simulate", "whatif", "predict", "text", "perfetto", "export-graph", "merge")
        damages = [self.damage(STREAM_DAMAGE) for _ in range(self.random.choice((1, 1, 1, 2, 3)))]
        reader = self.random.choice(readers)
        if self.random.random() < 0.3:  # of a process that was killed: no checksum, so that readers go on to the events
            return CorruptCase(damages + ["head:stream_0:80:0", "head:stream_1:80:0"], reader, "any")
        return CorruptCase(damages, reader)

    def run_file(self) -> CorruptCase:
        reader = self.random.choice(("report", "simulate", "predict", "text", "perfetto", "merge"))
        if self.random.random() < 0.6:
            return CorruptCase([f"set:run.json:{self.random.choice(FIELDS)}:{self.random.choice(VALUES)}"], reader)
        return CorruptCase([self.damage(TEXT_DAMAGE, ("run.json", "run.json", "metadata", ".kernels.jsonl"))], reader)

    def texts(self) -> CorruptCase:
        readers_of = {"graph.jsonl": ("graph", "graph-whatif"), "store.json": ("store", "learn")}
        file, readers = self.random.choice(list(readers_of.items()))
        return CorruptCase([self.damage(TEXT_DAMAGE, (file,)) for _ in range(self.random.choice((1, 1, 2)))],
                           self.random.choice(readers))
