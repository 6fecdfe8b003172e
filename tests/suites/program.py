# SPDX-License-Identifier: Apache-2.0
"""A program of a suite: how it is compiled and run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


class LeftOut(Exception):
    """A test that cannot be run here, with the reason."""


@dataclass
class Program:
    suite: str
    name: str  # its path in the suite, with the compiler and the number of the run where a test has several
    compilation: list[str] = field(default_factory=list)  # without "-o FILE"; empty: the program is built already
    executable: Path | None = None  # a program that is built already
    arguments: list[str] = field(default_factory=list)  # "{threads}" stands for the number of threads
    variables: dict[str, str] = field(default_factory=dict)
    threads_variable: str = "OMP_NUM_THREADS"  # empty: the program chooses its number of threads itself
    has_races: bool = False  # what it writes is a matter of chance
    left_out: str = ""  # why it cannot be run

    def numbers_of_threads(self, wanted: list[int]) -> list[int]:
        """Those that make a difference to the program."""
        is_asked = any("{threads}" in argument for argument in self.arguments)
        is_fixed = not self.threads_variable or self.threads_variable in self.variables
        return wanted if is_asked or not is_fixed else wanted[-1:]
