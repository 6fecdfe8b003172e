# SPDX-License-Identifier: Apache-2.0
"""scripts/suites: runs the programs of the test suites that lie in a folder, alone and recorded, and compares."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from comparison import Bench
from layouts import SUITES, find_suites
from program import LeftOut, Program

COLUMNS = ("programs", "run", "runs recorded", "output varies", "not recorded", "failed")


class Campaign:
    def __init__(self, options: argparse.Namespace, root: Path):
        self.options = options
        self.root = root
        self.local = threading.local()
        self.lock = threading.Lock()
        self.counts: dict[str, Counter[str]] = {}
        self.left_out: dict[str, Counter[str]] = {}
        self.said: Counter[str] = Counter()
        self.failures: list[str] = []

    def bench(self) -> Bench:
        """One for each thread of the campaign."""
        if not hasattr(self.local, "bench"):
            folder = Path(tempfile.mkdtemp(dir=self.root))
            foretask = self.options.build.resolve() / "bin" / "foretask"
            self.local.bench = Bench(foretask, folder, self.options.timeout, self.options.tune)
        return self.local.bench

    def judge(self, program: Program) -> None:
        bench = self.bench()
        try:
            if program.left_out:
                raise LeftOut(program.left_out)
            bench.compile(program)
        except LeftOut as reason:
            return self.leave_out(program, str(reason))
        with self.lock:
            self.counts[program.suite]["run"] += 1
        for threads in program.numbers_of_threads(self.options.threads):
            try:
                self.judge_on(bench, program, threads)
            except LeftOut as reason:
                self.leave_out(program, str(reason))
            except Exception as error:  # the others go on
                self.fail(program, threads, [f"the campaign failed: {type(error).__name__}: {error}"])

    def judge_on(self, bench: Bench, program: Program, threads: int) -> None:
        verdict = bench.judge(program, threads)
        with self.lock:
            counts = self.counts[program.suite]
            counts["runs recorded"] += verdict.is_recorded
            counts["not recorded"] += not verdict.is_recorded
            counts["output varies"] += verdict.is_varied
            self.said += verdict.said
        if verdict.wrong:
            self.fail(program, threads, verdict.wrong)
            if self.options.keep:
                self.keep(bench, program, threads)

    def leave_out(self, program: Program, reason: str) -> None:
        with self.lock:
            self.left_out[program.suite][reason] += 1

    def fail(self, program: Program, threads: int, wrong: list[str]) -> None:
        words = ["scripts/suites", str(self.options.folder), "--only", program.suite, "--filter", program.name,
                 "--threads", str(threads)]
        what = f"{program.suite}, {program.name}, threads {threads}"
        text = f"FAILED {what}: {'; '.join(wrong)[:600]}\n    {shlex.join(words)}"
        with self.lock:
            self.counts[program.suite]["failed"] += 1
            self.failures.append(text)
            print(text, flush=True)

    def keep(self, bench: Bench, program: Program, threads: int) -> None:
        folder = self.options.keep.resolve() / re.sub(r"[^\w.+-]", "_", f"{program.suite}-{program.name}-{threads}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(bench.program, folder / "program")
        for path in (bench.recording, bench.root / "work"):
            if path.is_dir():
                shutil.copytree(path, folder / path.name, symlinks=True)

    def run(self, suite: str, root: Path) -> None:
        self.counts.setdefault(suite, Counter())
        self.left_out.setdefault(suite, Counter())
        programs = [program for program in SUITES[suite][1](root) if self.options.filter in program.name]
        self.counts[suite]["programs"] += len(programs)
        print(f"{suite}: {len(programs)} programs in {root}", flush=True)
        with ThreadPoolExecutor(self.options.jobs) as pool:
            try:
                for _ in pool.map(self.judge, programs):
                    pass
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def print_tables(self, seconds: float) -> None:
        print("\n" + f"{'suite':<16}" + "".join(f"{name:>15}" for name in COLUMNS))
        for suite, counts in self.counts.items():
            print(f"{suite:<16}" + "".join(f"{counts[name]:15}" for name in COLUMNS))
        for suite, reasons in self.left_out.items():
            for reason, count in reasons.most_common():
                print(f"{suite}: {count} left out: {reason}")
        if self.said:
            print("what foretask said, and how often:")
        for line, count in self.said.most_common():
            print(f"{count:8} {line}")
        print(f"{len(self.failures)} failed, {seconds:.0f} s")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/suites", description="Looks for test suites in FOLDER (libgomp's, LLVM's, OpenMP_VV, "
        "DataRaceBench, the Parallel Research Kernels, oneTBB, StarPU), and runs their programs alone and recorded. "
        "Exit, output and time must be the same, and the report must have no warning. docs/reliability.md says more.")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder that holds the suites")
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build (default build/release)")
    parser.add_argument("--only", choices=SUITES, action="append", help="this suite alone; may be given again")
    parser.add_argument("--filter", default="", metavar="TEXT", help="only programs whose name contains TEXT")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4], help="numbers of threads (default 1 2 4)")
    parser.add_argument("--tune", action="store_true", help="tuned instead of recorded")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time (default 1; times need 1)")
    parser.add_argument("--timeout", type=float, default=20, metavar="S", help="bound of a run alone (default 20)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the files of programs that fail in this folder")
    return parser.parse_args(arguments)


def end_in_order(*_: object) -> None:
    raise SystemExit(1)


def refuse(reason: str) -> int:
    print(f"suites: {reason}", file=sys.stderr)
    return 2


def main() -> int:
    options = parse(sys.argv[1:])
    if not (options.build / "bin" / "foretask").exists():
        return refuse(f"no foretask in {options.build}: build it first, or name the folder: --build DIR")
    if not options.folder.is_dir():
        return refuse(f"{options.folder} is not a folder")
    found = [pair for pair in find_suites(options.folder.resolve()) if not options.only or pair[0] in options.only]
    if not found:
        return refuse(f"no suite lies in {options.folder}")
    signal.signal(signal.SIGTERM, end_in_order)
    root = Path(tempfile.mkdtemp(prefix="foretask-suites-"))
    campaign = Campaign(options, root)
    began = time.monotonic()
    try:
        for suite, folder in found:
            campaign.run(suite, folder)
    finally:
        shutil.rmtree(root, ignore_errors=True)
        campaign.print_tables(time.monotonic() - began)
    return 1 if campaign.failures else 0


if __name__ == "__main__":
    sys.exit(main())
