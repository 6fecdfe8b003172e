# SPDX-License-Identifier: Apache-2.0
"""scripts/faults: runs the named cases, then random ones, two at a time."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import corruption
import oracle
from case import Case, CorruptCase, Skip, from_text, to_text
from generator import Generator
from machine import Machine
from named_cases import named_cases
from program_run import check_needs
from run import Place

AT_ONCE = 2
DEFAULT_COUNT = 1000
MOST_SKIPPED = 0.25


@dataclass
class Result:
    case: Case
    wrong: list[str] = field(default_factory=list)
    skipped: str = ""
    seconds: float = 0


class Campaign:
    def __init__(self, machine: Machine, root: Path, keep: Path | None):
        self.machine = machine
        self.root = root
        self.keep = keep
        (root / "originals").mkdir()
        self.originals = corruption.Originals(machine, root / "originals")

    def run(self, case: Case) -> Result:
        began = time.monotonic()
        place = Place(self.root / case.name)
        place.root.mkdir(exist_ok=True)
        result = Result(case)
        try:
            result.wrong, result.skipped = self.judge(case, place)
        except Skip as reason:
            result.skipped = str(reason)
        except Exception as error:  # a case that breaks the campaign's own code has failed, and the others go on
            result.wrong = [f"the campaign failed: {type(error).__name__}: {error}"]
        result.seconds = time.monotonic() - began
        if result.wrong and self.keep:
            shutil.copytree(place.root, self.keep / case.name, symlinks=True, dirs_exist_ok=True,
                            ignore=lambda folder, names: [n for n in names if (Path(folder) / n).is_fifo()])
        shutil.rmtree(place.root, ignore_errors=True)
        return result

    def judge(self, case: Case, place: Place) -> tuple[list[str], str]:
        if case.spec is None:
            return case.check(self.machine, place), ""
        if isinstance(case.spec, CorruptCase):
            if reason := self.machine.need("clang"):
                raise Skip(reason)
            return corruption.judge(self.originals, case.spec, place), ""
        check_needs(self.machine, case.spec)
        return oracle.judge(self.machine, case.spec, place, case.check)


def spec_of(case: Case) -> str:
    is_named = not case.name.startswith("random-") or case.spec is None
    return case.name if is_named else to_text(case.spec)


def print_failure(result: Result) -> None:
    about = f" ({result.case.about})" if result.case.about else ""
    print(f"FAILED {result.case.name}{about}: {'; '.join(result.wrong)[:400]}")
    print(f"  again: scripts/faults --case {shlex.quote(spec_of(result.case))}", flush=True)


def print_table(results: list[Result], seconds: float) -> None:
    kinds: dict[str, list[Result]] = {}
    for result in results:
        kinds.setdefault(result.case.kind, []).append(result)
    print(f"{'kind':<20}{'run':>6}{'failed':>8}{'skipped':>9}")
    for kind, ones in kinds.items():
        skipped = sum(bool(one.skipped) for one in ones)
        print(f"{kind:<20}{len(ones) - skipped:>6}{sum(bool(one.wrong) for one in ones):>8}{skipped:>9}")
    for reason, count in Counter(result.skipped for result in results if result.skipped).items():
        print(f"skipped {count}: {reason}")
    failed = sum(bool(result.wrong) for result in results)
    slowest = max(results, key=lambda result: result.seconds)
    print(f"{len(results)} cases in {seconds:.0f} s, {failed} failed; the longest took {slowest.seconds:.1f} s "
          f"({spec_of(slowest.case)})")


def wanted_cases(options: argparse.Namespace) -> list[Case]:
    named = named_cases()
    if options.case:
        found = []
        for text in options.case:
            same = [case for case in named if case.name == text]
            found += same or [Case(f"random-{len(found)}", "by hand", from_text(text))]
        return found
    generator = Generator(options.seed)
    drawn = [generator.case(i) for i in range(options.count)]
    return (named if not options.random_only else []) + drawn


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/faults", description="Tries faults on foretask: the named cases (every past failure), then COUNT "
        "random ones. Prints the command that repeats a failure. docs/reliability.md says what is promised.")
    parser.add_argument("seed", nargs="?", type=int, default=int(time.time()), help="random seed (default: the time)")
    parser.add_argument("count", nargs="?", type=int, default=DEFAULT_COUNT, help=f"how many (default {DEFAULT_COUNT})")
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build (default build/release)")
    parser.add_argument("--case", action="append", help="only this case, by its name or as a failure's line gives it")
    parser.add_argument("--list", action="store_true", help="list the named cases, and end")
    parser.add_argument("--random-only", action="store_true", help="leave the named cases out")
    parser.add_argument("--keep", type=Path, help="keep the files of cases that fail in this folder")
    return parser.parse_args(arguments)


def end_in_order(*_: object) -> None:
    raise SystemExit(1)


def main() -> int:
    options = parse(sys.argv[1:])
    if options.list:
        for case in named_cases():
            print(f"{case.name:<28}{case.kind:<20}{case.about}")
        return 0
    try:
        cases = wanted_cases(options)
    except ValueError as error:
        print(f"faults: {error}", file=sys.stderr)
        return 2
    keep = options.keep.resolve() if options.keep else None
    machine = Machine(options.build)
    signal.signal(signal.SIGTERM, end_in_order)
    machine.prepare()
    os.umask(0o022)
    root = Path(tempfile.mkdtemp(prefix="foretask-faults-"))
    root.chmod(0o755)
    results = []
    began = time.monotonic()
    if not options.case:
        print(f"faults: {machine.version}, seed {options.seed}, {len(cases)} cases", flush=True)
    campaign = Campaign(machine, root, keep)
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        for result in pool.map(campaign.run, cases):
            results.append(result)
            if result.wrong:
                print_failure(result)
    finally:
        pool.shutdown(cancel_futures=True)  # what runs ends by its own bound
        shutil.rmtree(root, ignore_errors=True)
    print_table(results, time.monotonic() - began)
    skipped = sum(bool(result.skipped) for result in results)
    if skipped > MOST_SKIPPED * len(results):
        print(f"faults: {skipped} of {len(results)} cases could not be run here: this is no pass", file=sys.stderr)
        return 1
    return 1 if any(result.wrong for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
