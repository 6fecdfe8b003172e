# SPDX-License-Identifier: Apache-2.0
"""scripts/random_programs: runs random task programs with and without foretask. Both runs must look the same, and the
recording must hold the program's own count of its tasks."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = {"tbb": "random_tbb", "openmp": "random_openmp", "llvm": "random_llvm"}
BOUND_S = 60
AGAIN = 40  # runs, before a difference is one of the tuned program alone
IDENTITY = 1e-6
LONGEST_BEFORE_KILL_S = 0.1
# Said of runs with more threads than processors.
EXPECTED_WARNING = " of their time they waited for one"
UNFINISHED = ("did not end in order", "had not ended when the recording ended", "no explicit task was recorded")


@dataclass
class Seen:
    end: int
    out: bytes
    err: list[str]  # what foretask does not say


class Campaign:
    def __init__(self, build: Path, root: Path):
        self.programs = build / "tests" / "random"
        self.foretask = str(build / "bin" / "foretask")
        self.root = root
        self.failures = 0
        self.done: Counter[str] = Counter()

    def run(self, command: list[str], threads: int, **variables: str) -> Seen:
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_CANCELLATION": "true",
                       "FORETASK_HOME": str(self.root / "store"), **variables}
        done = subprocess.run(command, capture_output=True, env=environment, timeout=BOUND_S)
        said = done.stderr.decode(errors="replace").splitlines()
        # oneTBB says so of arenas with more threads than are allowed, or not, by chance.
        said = [line for line in said if line and not line.startswith(("foretask: ", "TBB Warning: "))]
        return Seen(done.returncode, done.stdout, said)

    def record(self, folder: Path) -> list[str]:
        return [self.foretask, "record", "--out", str(folder), "--"]

    def report(self, folder: Path) -> dict:
        done = subprocess.run([self.foretask, "report", "--json", str(folder)], capture_output=True, timeout=BOUND_S)
        if done.returncode != 0:
            raise ValueError("report fails: " + done.stderr.decode(errors="replace").strip()[-200:])
        return json.loads(done.stdout)

    def try_one(self, kind: str, seed: int, threads: int, way: str) -> list[str]:
        """What is wrong with it."""
        folder = self.root / "run"
        counts = self.root / "counts"
        shutil.rmtree(folder, ignore_errors=True)
        counts.unlink(missing_ok=True)
        program = [str(self.programs / PROGRAMS[kind]), str(seed), str(threads)]
        record = self.record(folder)
        if way == "kill":
            return self.kill(record + program, threads, folder)
        if way.startswith("tune"):
            # Where a program may cancel, its tasks are left alone.
            cancels = {"OMP_CANCELLATION": "true" if way == "tune, cancelling" else "false"}
            plain = self.run(program, threads, **cancels)
            # The second run begins with what the first one found.
            tuned = [self.run([self.foretask, "tune", "--", *program], threads, FORETASK_HOME=str(folder), **cancels)
                     for _ in range(2)]
            if tuned == [plain, plain]:
                return []
            # LLVM's runtime fails by itself now and then in some of the programs.
            if any(self.run(program, threads, **cancels) != plain for _ in range(AGAIN)):
                self.done[f"{kind}: fails alone"] += 1
                return []
            return [f"looks otherwise: {tuned}, not {plain}"]
        plain = self.run(program, threads)
        # A program of oneTBB's behind another one is not recorded.
        bound = ["timeout", str(BOUND_S)]
        commands = {"record": record, "timeout": [*bound, *record] if kind == "tbb" else [*record, *bound],
                    "learn": [self.foretask, "learn", "--"]}
        seen = self.run(commands[way] + program, threads, RANDOM_COUNTS=str(counts))
        wrong = [] if seen == plain else [f"looks otherwise: {seen}, not {plain}"]
        return wrong if way == "learn" else wrong + self.check(folder, int(counts.read_text()))

    def check(self, folder: Path, created: int) -> list[str]:
        report = self.report(folder)
        wrong = [text for text in report["warnings"] if EXPECTED_WARNING not in text]
        if report["identity_error"] > IDENTITY:
            wrong.append(f"identity error {report['identity_error']}")
        recorded = report["tasks"] + report["cancelled_tasks"]
        if created >= 0 and recorded != created:
            wrong.append(f"{recorded} tasks, and the program made {created}")
        self.done["tasks counted"] += max(created, 0)
        self.done["cancelled tasks"] += report["cancelled_tasks"]
        return wrong

    def kill(self, command: list[str], threads: int, folder: Path) -> list[str]:
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_CANCELLATION": "true"}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        while process.poll() is None and not (folder / "stream_0").exists():
            time.sleep(0.001)
        time.sleep(random.uniform(0, LONGEST_BEFORE_KILL_S))
        process.send_signal(signal.SIGKILL)
        if process.wait(BOUND_S) != -signal.SIGKILL:
            return []  # it was faster
        self.done["killed"] += 1
        try:
            warnings = self.report(folder)["warnings"]
        except ValueError as error:
            return [] if "holds no event" in str(error) else [str(error)]  # it had only just begun
        expected = (EXPECTED_WARNING, *UNFINISHED)
        return [text for text in warnings if not any(part in text for part in expected)]

    def read_by_babeltrace(self, folder: Path) -> list[str]:
        """Another reader of the trace format takes it."""
        done = subprocess.run(["babeltrace2", str(folder)], capture_output=True, timeout=BOUND_S, text=True)
        if done.returncode != 0:
            return ["babeltrace2 fails: " + done.stderr.strip()[-200:]]
        self.done["read by babeltrace2"] += 1
        return []

    def judge(self, kind: str, seed: int, threads: int, way: str) -> None:
        self.done[f"{kind}: {way}"] += 1
        try:
            wrong = self.try_one(kind, seed, threads, way)
            if way == "record" and seed % 10 == 1 and shutil.which("babeltrace2"):
                wrong += self.read_by_babeltrace(self.root / "run")
        except subprocess.TimeoutExpired:
            wrong = [f"does not end within {BOUND_S} s"]
        except (OSError, ValueError, KeyError) as error:
            wrong = [str(error)]
        if wrong:
            self.failures += 1
            print(f"FAILED {kind}, seed {seed}, {threads} threads, {way}: {'; '.join(wrong)[:500]}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/random_programs", description="Runs random task programs of the seeds FIRST to LAST on 1, 2 and 4 "
        "threads, alone, recorded and tuned, and compares output, exit code and counts. Every fifth seed is also run "
        "behind timeout, learned from, and killed at a random moment.")
    parser.add_argument("first", nargs="?", type=int, default=1, help="first seed (default 1)")
    parser.add_argument("last", nargs="?", type=int, default=200, help="last seed (default 200)")
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build (default build/release)")
    parser.add_argument("--only", choices=PROGRAMS, help="programs of this runtime alone")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4], help="numbers of threads (default 1 2 4)")
    options = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="foretask-random-"))
    campaign = Campaign(options.build.resolve(), root)
    began = time.monotonic()
    try:
        for kind in [options.only] if options.only else PROGRAMS:
            for seed in range(options.first, options.last + 1):
                for threads in options.threads:
                    if kind != "llvm":
                        campaign.judge(kind, seed, threads, "record")
                    if kind != "tbb":
                        campaign.judge(kind, seed, threads, "tune")
                if kind == "openmp" and seed % 5 == 0:
                    campaign.judge(kind, seed, 2, "tune, cancelling")
                if kind != "llvm" and seed % 5 == 0:
                    for way in ("timeout", "learn", "kill"):
                        campaign.judge(kind, seed, 2, way)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    for name, count in campaign.done.items():
        print(f"{count:8} {name}")
    print(f"{campaign.failures} failed, {time.monotonic() - began:.0f} s")
    return 1 if campaign.failures else 0


if __name__ == "__main__":
    sys.exit(main())
