# SPDX-License-Identifier: Apache-2.0
"""Runs a program alone and recorded, and says what differs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from program import LeftOut, Program
from run import FIELDS, Seen, run

COMPILE_BOUND_S = 120
REPORT_BOUND_S = 120
IDENTITY = 1e-6
SLOWEST_RATIO, SLOWEST_MORE_S = 3, 1
FIRST_RECORDING_S = 10  # the first one on a machine measures the runtime's costs
MORE_RUNS = 3  # of a program that looks otherwise, alone
# Warnings of the report that say nothing against the recording.
EXPECTED = ("% of their time they waited for one", "no explicit task was recorded",
            "the environment asks for several threads, and the runtime gave one")
# Warnings that are true of a program that a signal ended.
UNFINISHED = ("did not end in order", "had not ended when the recording ended")


@dataclass
class Verdict:
    wrong: list[str] = field(default_factory=list)
    is_recorded: bool = False
    is_varied: bool = False  # its output differs from run to run
    said: Counter[str] = field(default_factory=Counter)


class Bench:
    """What the programs of one thread of the campaign are run with, and where."""

    def __init__(self, foretask: Path, root: Path, bound_s: float, tunes: bool = False):
        self.foretask = str(foretask)
        self.tunes = tunes
        self.root = root
        self.bound_s = bound_s
        self.program = root / "program"
        self.recording = root / "recording"

    def compile(self, program: Program) -> None:
        """Raises LeftOut."""
        self.root.mkdir(parents=True, exist_ok=True)
        self.program.unlink(missing_ok=True)
        if program.executable:
            self.program.symlink_to(program.executable)
            return
        # In a folder of its own: compilers of Fortran write modules where they are started.
        done = run([*program.compilation, "-o", str(self.program)], {}, self.root / "compilation", COMPILE_BOUND_S)
        if done.end == "late":
            raise LeftOut(f"{program.compilation[0]} needs longer than {COMPILE_BOUND_S} s for it")
        if done.end != "exit 0" or not self.program.exists():
            raise LeftOut(f"{program.compilation[0]} does not compile it")

    def variables(self, program: Program, threads: int) -> dict[str, str]:
        homes = {"HOME": str(self.root / "home"), "FORETASK_HOME": str(self.root / "store"), "LC_ALL": "C"}
        Path(homes["HOME"]).mkdir(exist_ok=True)
        named = {program.threads_variable: str(threads)} if program.threads_variable else {}
        return homes | named | program.variables

    def observe(self, program: Program, threads: int, recorded_after_s: float | None = None) -> Seen:
        """Alone, or recorded (or tuned) where `recorded_after_s`, the time that the program needs alone, is given."""
        name = program.executable or self.program
        command = [str(name), *(word.replace("{threads}", str(threads)) for word in program.arguments)]
        bound_s = self.bound_s
        if recorded_after_s is not None:
            shutil.rmtree(self.recording, ignore_errors=True)
            how = ["tune"] if self.tunes else ["record", "--out", str(self.recording)]
            command = [self.foretask, *how, "--", *command]
            bound_s += SLOWEST_RATIO * recorded_after_s + FIRST_RECORDING_S
        return run(command, self.variables(program, threads), self.root, bound_s)

    def judge(self, program: Program, threads: int) -> Verdict:
        """Raises LeftOut."""
        verdict = Verdict()
        alone = [self.observe(program, threads) for _ in range(2)]
        if all(seen.end == "late" for seen in alone):
            raise LeftOut(f"it does not end within {self.bound_s:g} s alone")
        slowest_s = max(seen.elapsed_s for seen in alone)
        seen = self.observe(program, threads, slowest_s)
        verdict.said.update(message_form(line) for line in seen.said)
        if not self.tunes:
            verdict.wrong += self.judge_recording(seen, verdict)
        verdict.wrong += self.differences(program, threads, alone, seen, verdict)
        if is_slow(alone, seen):
            alone.append(self.observe(program, threads))
            again = self.observe(program, threads, slowest_s)
            if is_slow(alone, again):
                verdict.wrong.append(
                    f"slower: {again.elapsed_s:.2f} s (processors {again.processor_s:.2f} s), alone at most "
                    f"{max(one.elapsed_s for one in alone):.2f} s ({max(one.processor_s for one in alone):.2f} s)")
        return verdict

    def differences(self, program: Program, threads: int, alone: list[Seen], seen: Seen, verdict: Verdict) -> list[str]:
        """What no run of the program alone looks like. Of an output that varies by itself, only its loss counts."""
        wrong = []
        for name, words in FIELDS.items():
            found = getattr(seen, name)
            while True:
                known = {getattr(one, name) for one in alone}
                if found in known or len(alone) == 2 + MORE_RUNS or len(known) > 1 and name != "end":
                    break
                alone.append(self.observe(program, threads))
            # Threads write their lines in any order.
            is_reordered = threads > 1 and sorted(found.split()) in [sorted(one.split()) for one in known - {found}]
            if name != "end" and (len(known) > 1 or is_reordered or program.has_races and found not in known):
                verdict.is_varied = True
                if found or not all(known):
                    continue
            if found not in known:
                wrong.append(f"{words} differs: {difference(getattr(alone[0], name), found)}")
        return wrong

    def judge_recording(self, seen: Seen, verdict: Verdict) -> list[str]:
        if not self.recording.is_dir():
            return [] if seen.said else ["there is no recording, and foretask says nothing"]
        words = [self.foretask, "report", "--json", str(self.recording)]
        try:
            done = subprocess.run(words, capture_output=True, timeout=REPORT_BOUND_S)
        except subprocess.TimeoutExpired:
            return ["report hangs"]
        if done.returncode != 0:
            return [f"report ends with {done.returncode}: {done.stderr.decode(errors='replace').strip()[-200:]}"]
        report = json.loads(done.stdout)
        verdict.is_recorded = True
        accepted = EXPECTED + (UNFINISHED if seen.end.startswith("signal") else ())
        wrong = ["report warns: " + text for text in report["warnings"] if not any(part in text for part in accepted)]
        if report["identity_error"] > IDENTITY:
            wrong.append(f"identity error {report['identity_error']}")
        return wrong


def is_slow(alone: list[Seen], seen: Seen) -> bool:
    return seen.elapsed_s > SLOWEST_RATIO * max(one.elapsed_s for one in alone) + SLOWEST_MORE_S


def message_form(line: str) -> str:
    """A message without what differs from run to run."""
    line = re.sub(r"(recorded into) .*", r"\1 ...", line)
    return re.sub(r"/\S+", "/...", re.sub(r"\d+(\.\d+)?", "N", line))


def difference(plain: bytes | str, found: bytes | str) -> str:
    if isinstance(plain, str) or isinstance(found, str):
        return f"'{found}', not '{plain}'"
    expected, got = plain.decode(errors="replace").splitlines(), found.decode(errors="replace").splitlines()
    for i in range(max(len(expected), len(got))):
        left = expected[i] if i < len(expected) else "(its end)"
        right = got[i] if i < len(got) else "(its end)"
        if left != right:
            return f"'{right[:120]}' in the place of '{left[:120]}'"
    return "line ends"
