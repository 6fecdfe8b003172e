# SPDX-License-Identifier: Apache-2.0
"""A case, and the line of text that says all of it: key=value, parted by commas; lists are joined with +."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields

RECORDING_MODES = ("record", "progress", "counters", "small", "hand")


@dataclass
class ProgramCase:
    """A program that is run twice, without foretask and with it."""

    mode: str = "record"  # record, learn, progress, watch, counters, small, hand: program_run.py
    cc: str = "clang"
    threads: int = 2
    acts: list[str] = field(default_factory=list)  # tests/faults/programs/acts_*.c
    limit: list[str] = field(default_factory=list)  # nofile:16
    close: list[str] = field(default_factory=list)  # descriptors that are closed at the start
    send: list[str] = field(default_factory=list)  # TERM:ready
    filter: list[str] = field(default_factory=list)  # fallocate:EIO, of the whole run
    shim: str = ""  # open:EIO:FIRST:COUNT, in foretask's libraries alone
    strace: str = ""  # fallocate:EIO:WHEN
    place: str = ""  # full:SIZE, sealed: where the recording goes
    option: list[str] = field(default_factory=list)  # orphan, nice-fifo, nobody: of parent.c


@dataclass
class CorruptCase:
    """A recording, a store or a task-graph file that is damaged and then read."""

    damage: list[str] = field(default_factory=list)  # flip:stream_0:500:3, damage.py
    reader: str = "report"  # corruption.py
    # same: the numbers must be those of the whole files, and a warning does not do. any: it need not be found
    answer: str = ""


@dataclass
class Case:
    name: str
    kind: str
    spec: ProgramCase | CorruptCase | None = None
    about: str = ""
    # What is asked beyond the comparison; or, without a spec, all of it. Returns what is wrong.
    check: Callable | None = None
    needs: tuple[str, ...] = ()


def to_text(spec: ProgramCase | CorruptCase) -> str:
    words = []
    for item in fields(spec):
        value = getattr(spec, item.name)
        if value == item.default or value == []:
            continue
        words.append(f"{item.name}={'+'.join(value) if isinstance(value, list) else value}")
    return ",".join(words)


def from_text(text: str) -> ProgramCase | CorruptCase:
    values = dict(word.split("=", 1) for word in text.split(","))
    spec: ProgramCase | CorruptCase = CorruptCase() if "damage" in values else ProgramCase()
    for key, value in values.items():
        if not hasattr(spec, key):
            raise ValueError(f"a case has no {key}")
        kind = type(getattr(spec, key))
        setattr(spec, key, value.split("+") if kind is list else kind(value))
    return spec


class Skip(Exception):
    """The case cannot be run here; the text says why."""
