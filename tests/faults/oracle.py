# SPDX-License-Identifier: Apache-2.0
"""What is asked of a run under foretask: it is the program's own, and the recording says what happened or that it
does not know."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
from pathlib import Path

from case import RECORDING_MODES, ProgramCase
from machine import Machine
from program_run import observe, recordings
from run import Observation, Place

# Acts after which there may be no recording, or one that is not whole.
HARSH_ACTS = {"clearenv", "chroot", "setuid", "nest", "garble", "lock-up", "remove-run", "rename-run", "filter",
              "limit", "truncate-streams", "redirect-stderr", "close-from", "race", "daemon", "exec-self",
              "tasks-at-exit", "suspend"}
TASK_ACTS = {"tasks", "alone", "fib", "chain", "group", "nested", "race", "alarm-fork", "beside", "small-stack",
             "in-task", "from-thread", "errno", "short-threads", "teams"}
ENDS_AT_ONCE = {"quick_exit", "_exit", "raise", "abort", "exec", "exec-self", "in-task", "from-thread",
                "exit-all", "main-thread-first", "pause", "daemon", "bus"}
REPORT_BOUND_S = 30


def acts_of(spec: ProgramCase) -> set[str]:
    return {act.split(":")[0] for act in spec.acts}


def is_calm(spec: ProgramCase) -> bool:
    """Nothing stands in the way of a whole recording."""
    harsh = spec.limit or spec.close or spec.filter or spec.shim or spec.strace or spec.place or spec.send
    return not harsh and not acts_of(spec) & (HARSH_ACTS | ENDS_AT_ONCE) and spec.mode not in ("small", "hand")


def was_refused(spec: ProgramCase, seen: Observation) -> bool:
    """foretask said that it cannot, and did not start the program: its right where something is in its way."""
    harsh = spec.limit or spec.close or spec.filter or spec.strace or spec.place
    is_said = any(line.startswith("foretask: error: ") for line in seen.said) or "2" in spec.close
    return bool(harsh) and seen.end in ("exit 1", "exit 126", "exit 127") and not seen.out and is_said


RACE = re.compile(rb"race \d+, (\d+) calls failed")


def lost_race(out: bytes) -> bool:
    return any(int(count) > 0 for count in RACE.findall(out))


def compare(plain: Observation, seen: Observation, ignored: str = "\0") -> list[str]:
    wrong = []
    if seen.end != plain.end:
        wrong.append(f"ended by '{seen.end}', not '{plain.end}'")
    if lost_race(plain.out):  # where calls fail alone, how many is chance
        plain.out, seen.out = RACE.sub(b"race", plain.out), RACE.sub(b"race", seen.out)
    if seen.out != plain.out:
        wrong.append("standard output differs: " + first_difference(plain.out, seen.out))
    if seen.program_err != plain.program_err:
        wrong.append("standard error differs: " + first_difference(plain.program_err, seen.program_err))
    if seen.events != plain.events:
        wrong.append(f"its parent saw {seen.events}, not {plain.events}")
    if seen.left != plain.left:
        wrong.append(f"{seen.left} processes were left, not {plain.left}")
    for name in sorted(plain.files.keys() | seen.files.keys()):
        if plain.files.get(name) != seen.files.get(name) and not name.startswith(ignored):
            how = "is missing" if name not in seen.files else "is new" if name not in plain.files else "is another"
            wrong.append(f"the file {name} {how}")
    return wrong


def first_difference(plain: bytes, seen: bytes) -> str:
    expected, got = plain.decode(errors="replace").splitlines(), seen.decode(errors="replace").splitlines()
    for i in range(max(len(expected), len(got))):
        left = expected[i] if i < len(expected) else "(its end)"
        right = got[i] if i < len(got) else "(its end)"
        if left != right:
            return f"'{right[:150]}' in the place of '{left[:150]}'"
    return "line ends"


def report_of(machine: Machine, folder: Path) -> tuple[dict | None, str, str]:
    """The report, or what is wrong with the reader, and what it said."""
    words = [str(machine.foretask), "report", "--json", "--process", "1", str(folder)]
    try:
        done = subprocess.run(words, capture_output=True, timeout=REPORT_BOUND_S, text=True, errors="replace",
                              env=os.environ | {"FORETASK_CALIBRATE": "0"})
    except subprocess.TimeoutExpired:
        return None, "report hangs", ""
    if done.returncode not in (0, 1):
        return None, f"report ends with {done.returncode}: {done.stderr.strip()[-200:]}", done.stderr
    if done.returncode == 1:
        return None, "" if "foretask: error: " in done.stderr else "report fails without a word", done.stderr
    try:
        return json.loads(done.stdout), "", done.stderr
    except ValueError:
        return None, "report writes no JSON", done.stderr


def tasks_counted(place: Place, folder: Path) -> int | None:
    """What the program counted, of the process that was recorded."""
    files = list(place.work.glob("counted.*"))
    try:
        pid = json.loads((folder / "run.json").read_text())["pid"]
        files = [place.work / f"counted.{pid}"] if files else []
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    if len(files) != 1 or not files[0].exists() or files[0].stat().st_size != 8:
        return None
    return struct.unpack("<q", files[0].read_bytes())[0]


def check_recording(machine: Machine, spec: ProgramCase, place: Place, seen: Observation, plain_end: str) -> list[str]:
    if was_refused(spec, seen):
        return []
    calm = is_calm(spec) and plain_end.startswith("exit")
    makes_tasks = bool(acts_of(spec) & TASK_ACTS)
    found = recordings(place)
    wrong = []
    if calm and makes_tasks and not found:
        wrong.append("there is no recording")
    if calm and makes_tasks and not any(line.startswith("foretask: recorded into ") for line in seen.said):
        wrong.append("it does not say where the recording is")
    for line in seen.said:
        folder = Path(line.removeprefix("foretask: recorded into ").split(" (on ")[0])
        if line.startswith("foretask: recorded into ") and not (place.work / folder).is_dir():
            wrong.append(f"it says 'recorded into {folder}', and there is no such folder")
    for folder in found:
        report, problem, text = report_of(machine, folder)
        if problem:
            wrong.append(problem)
        if report is None:
            if calm:
                wrong.append(f"the recording cannot be read: {text.strip()[-200:]}")
            continue
        counted = tasks_counted(place, folder)
        created = report["create_task"]
        if counted is not None and created != counted and (calm or not report["warnings"]):
            warned = f"; it warns: {report['warnings'][0][:100]}" if report["warnings"] else " without a warning"
            wrong.append(f"{created} tasks are recorded of {counted}{warned}")
    return wrong


def check_store(machine: Machine, spec: ProgramCase, place: Place, seen: Observation, plain_end: str) -> list[str]:
    """What was learned can be read."""
    words = [str(machine.foretask), "model", "show", "--json"]
    done = subprocess.run(words, capture_output=True, timeout=REPORT_BOUND_S, env=place.environment(2))
    if done.returncode != 0:
        return [f"model show ends with {done.returncode}"]
    store = json.loads(done.stdout)
    if store["refused"]:
        return [f"the store has a file that is refused: {store['refused'][0]}"]
    calm = is_calm(spec) and plain_end.startswith("exit") and acts_of(spec) & TASK_ACTS
    return ["nothing was learned, and nothing is said"] if calm and not store["models"] and not seen.said else []


def judge(machine: Machine, spec: ProgramCase, place: Place, more=None) -> tuple[list[str], str]:
    """What is wrong, and why the case says nothing (where it does)."""
    plain = observe(machine, spec, place, is_recorded=False)
    place.keep_as("plain")
    if plain.end == "late":
        return [], "the program hangs by itself"
    wrong: list[str] = []

    def inspect(seen: Observation, at: Place) -> None:
        if spec.mode in RECORDING_MODES:
            wrong.extend(check_recording(machine, spec, at, seen, plain.end))
        else:
            wrong.extend(check_store(machine, spec, at, seen, plain.end))
        if more:
            wrong.extend(more(machine, spec, at, seen))

    seen = observe(machine, spec, place, is_recorded=True, inspect=inspect)
    place.keep_as("recorded")
    if was_refused(spec, seen):
        return wrong, ""
    # Where the launcher's own calls fail it may not be able to remove what it made.
    ignored = "tmp/foretask-" if spec.filter or spec.strace else "\0"
    differences = compare(plain, seen, ignored)
    # A program may end in several ways by itself.
    for _ in range(3):
        if not differences:
            break
        if not compare(observe(machine, spec, place, is_recorded=False), seen, ignored):
            differences = []
    return differences + wrong, ""
