# SPDX-License-Identifier: Apache-2.0
"""A program case: the program alone, and the same under foretask."""

from __future__ import annotations

import subprocess
from pathlib import Path

from case import ProgramCase, Skip
from machine import Machine
from run import NOBODY, Observation, Place, run

NEEDS = {"nobody": ("root", "other user"), "nice-fifo": ("root",)}
ACT_NEEDS = {"chroot": "root", "setuid": "root"}


def check_needs(machine: Machine, spec: ProgramCase) -> None:
    needs = [spec.cc]
    for option in spec.option:
        needs += NEEDS.get(option, ())
    needs += [ACT_NEEDS[act.split(":")[0]] for act in spec.acts if act.split(":")[0] in ACT_NEEDS]
    if spec.place:
        needs.append("mount")
    if spec.strace:
        needs.append("strace")
    if spec.shim:
        needs.append("shim.so")
    for need in needs:
        if reason := machine.need(need):
            raise Skip(reason)


def parent_options(spec: ProgramCase) -> list[str]:
    words: list[str] = []
    for name, number in (text.split(":") for text in spec.send):
        words += ["send", name, number]
    words += ["nice-fifo"] if "nice-fifo" in spec.option else []
    words += ["orphan"] if "orphan" in spec.option else []
    words += ["uid", str(NOBODY)] if "nobody" in spec.option else []
    for descriptor in spec.close:
        words += ["close", descriptor]
    for text in spec.filter:
        words += ["filter", *text.split(":")]
    for text in spec.limit:
        words += ["limit", *text.split(":")]
    return words


def program_words(machine: Machine, spec: ProgramCase) -> list[str]:
    return [machine.path(f"program_{spec.cc}"), *spec.acts]


def recorded_words(machine: Machine, spec: ProgramCase) -> list[str]:
    out = "small/run" if spec.place else "run"
    command = {"learn": ["learn"], "watch": ["learn"],
               "counters": ["record", "--out", out, "--counters", "PAPI_TOT_INS"]}
    if spec.mode == "hand":
        return program_words(machine, spec)
    words = command.get(spec.mode, ["record", "--out", out])
    return [str(machine.foretask), *words, "--", *program_words(machine, spec)]


def more_environment(machine: Machine, spec: ProgramCase, place: Place, is_recorded: bool) -> dict[str, str]:
    values = {}
    if spec.shim:
        values |= {"LD_PRELOAD": machine.path("shim.so"), "FAULTS_SHIM": spec.shim,
                   "FAULTS_SHIM_HITS": str(place.root / "hits")}
    if spec.mode in ("progress", "watch"):
        values["FORETASK_PROGRESS"] = "1"
    if spec.mode == "small":
        values["FORETASK_MAX_BYTES"] = "200k"
    if spec.mode == "hand":
        values["OMP_TOOL_LIBRARIES"] = str(machine.hook)
        values["FORETASK"] = "record" if is_recorded else "off"
        values["FORETASK_OUT"] = "run"
    return values


def traced(spec: ProgramCase, is_recorded: bool) -> list[str]:
    if not spec.strace:
        return []
    call, error, when = spec.strace.split(":", 2)
    words = ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={call}"]
    return [*words, "-e", f"inject={call}:error={error}:when={when}"] if is_recorded else words


class Mount:
    """A file system of the case's own at work/small."""

    def __init__(self, spec: ProgramCase, place: Place):
        self.folder = str(place.work / "small")
        self.options = ""
        if spec.place.startswith("full:"):
            self.options = f"size={spec.place[5:]},mode=777"
        elif spec.place == "sealed":
            self.options = "ro"

    def __enter__(self) -> None:
        if self.options:
            subprocess.run(["mount", "-t", "tmpfs", "-o", self.options, "none", self.folder], check=True)

    def __exit__(self, *error: object) -> None:
        if self.options:
            subprocess.run(["umount", "-l", self.folder], check=False)


def observe(machine: Machine, spec: ProgramCase, place: Place, is_recorded: bool, inspect=None) -> Observation:
    """Runs it once. `inspect` is called with what was seen while the files still are where they were."""
    # By hand, what the program starts is recorded too. It has a file of the program's as its own standard error.
    place.strips = spec.mode == "hand" and any(act.startswith("start-self") for act in spec.acts)
    place.make(NOBODY if "nobody" in spec.option else 0)
    words = traced(spec, is_recorded)
    words += recorded_words(machine, spec) if is_recorded else program_words(machine, spec)
    environment = place.environment(spec.threads) | more_environment(machine, spec, place, is_recorded)
    with Mount(spec, place):
        seen = run(machine, place, words, environment, parent_options(spec), 20 if is_recorded else 10)
        if inspect:
            inspect(seen, place)
    return seen


def struck(place: Place) -> bool:
    return (place.root / "hits").exists()


def recordings(place: Place) -> list[Path]:
    """Folders that hold, or should hold, a recording."""
    found = [place.work / "run", place.work / "moved-run", place.work / "small" / "run"]
    return [folder for folder in found if folder.is_dir()]
