# SPDX-License-Identifier: Apache-2.0
"""A corruption case: files that foretask wrote are damaged, and its readers are asked what is in them."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

from case import CorruptCase
from damage import do_damage
from machine import Machine
from run import Observation, Place, run

MEMORY_BYTES = 4 << 30
BOUND_S = 20
NUMBERS = ("workers", "elapsed_ns", "tasks", "work_ns", "span_ns", "burdened_span_ns", "delay_ns", "no_work_ns",
           "create_task", "wait_tasks", "edges", "makespan_ns", "count", "mean_ns", "n", "p", "time", "low", "high")

# What is asked, and of which folder: RUN is the damaged one, A and B are whole recordings, STORE and GRAPH are others.
READERS = {
    "report": ["report", "--json", "RUN"],
    "text": ["report", "RUN"],
    "simulate": ["simulate", "RUN", "--cores", "1,4", "--json"],
    "whatif": ["whatif", "RUN", "--cores", "2", "--json"],
    "predict": ["predict", "A", "B", "RUN", "--cores", "1,2,4", "--json"],
    "perfetto": ["export", "RUN", "--format", "perfetto"],
    "export-graph": ["export", "RUN", "--format", "graph"],
    "merge": ["merge", "RUN"],
    "graph": ["simulate", "RUN/graph.jsonl", "--cores", "1,4", "--json"],
    "graph-whatif": ["whatif", "RUN/graph.jsonl", "--cores", "2", "--json"],
    "store": ["model", "show", "--json"],
    "learn": ["learn", "--", "PROGRAM", "fib:10"],
}
# Of these the answer is held against the one from whole files.
COMPARED = ("report", "simulate", "whatif", "predict")


@dataclass
class Answer:
    seen: Observation
    numbers: list
    warnings: list[str]


class Originals:
    """Whole recordings, a store and a graph, made once; and what the readers say of them."""

    def __init__(self, machine: Machine, root: Path):
        self.machine = machine
        self.root = root
        self.lock = threading.Lock()
        self.answers: dict[str, Answer] = {}
        self.is_made = False

    def make(self) -> None:
        with self.lock:
            if self.is_made:
                return
            place = Place(self.root)
            place.make()
            program = self.machine.path("program_clang")
            for name, size in (("a", 8), ("b", 10), ("run", 12)):
                acts = [f"fib:{size}", f"tasks:{size * 50}"]
                self._foretask(place, ["record", "--out", name, "--param", f"n={size}", "--", program, *acts])
            self._foretask(place, ["export", "run", "--format", "graph", "-o", "run/graph.jsonl"])
            kernels = place.work / "run" / ".kernels.jsonl"
            kernels.write_text('{"kernel": 0, "name": "gemm", "parameters": ["m"]}\n' * 20)
            self._foretask(place, ["learn", "--", program, "fib:12", "tasks:500"])
            store = next((place.now / "store" / "models").glob("*/*.json"))
            (place.now / "store-file").write_text(store.relative_to(place.now / "store").as_posix())
            place.keep_as("whole")
            self.is_made = True

    def _foretask(self, place: Place, words: list[str]) -> None:
        done = subprocess.run([str(self.machine.foretask), *words], cwd=place.work, env=place.environment(2),
                              capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise SystemExit(f"faults: cannot make a recording to damage: {done.stderr}")

    def lay_out(self, place: Place) -> Path:
        """A copy at the case's place. The damaged folder holds the recording, the graph, and a link to the store."""
        shutil.rmtree(place.now, ignore_errors=True)
        shutil.copytree(self.root / "whole", place.now, symlinks=True)
        store = place.now / "store" / (place.now / "store-file").read_text()
        (place.work / "run" / "store.json").symlink_to(store)
        return store

    def answer(self, reader: str, place: Place) -> Answer:
        with self.lock:
            if reader not in self.answers:
                self.lay_out(place)
                self.answers[reader] = ask(self.machine, reader, place)
            return self.answers[reader]


def ask(machine: Machine, reader: str, place: Place) -> Answer:
    names = {"A": "a", "B": "b", "RUN": "run", "RUN/graph.jsonl": "run/graph.jsonl",
             "PROGRAM": machine.path("program_clang")}
    words = [str(machine.foretask), *(names.get(word, word) for word in READERS[reader])]
    (place.work / "run" / "store.json").unlink(missing_ok=True)
    seen = run(machine, place, words, place.environment(2), ["limit", "as", str(MEMORY_BYTES)], BOUND_S)
    warnings = [line for line in seen.said if "warning" in line]
    try:
        parsed = json.loads(seen.out)
    except (ValueError, RecursionError):
        return Answer(seen, [], warnings)
    if isinstance(parsed, dict):
        warnings += parsed.get("warnings", [])
    return Answer(seen, numbers_in(parsed), warnings)


def numbers_in(value: object, key: str = "") -> list:
    if isinstance(value, dict):
        return [number for name, inner in sorted(value.items()) for number in numbers_in(inner, name)]
    if isinstance(value, list):
        return [number for inner in value for number in numbers_in(inner, key)]
    return [(key, value)] if key in NUMBERS else []


def judge(originals: Originals, spec: CorruptCase, place: Place) -> list[str]:
    originals.make()
    place.root.mkdir(parents=True, exist_ok=True)
    whole = originals.answer(spec.reader, place)
    store = originals.lay_out(place)
    folder = place.work / "run"
    for text in spec.damage:
        do_damage(folder, text)
    link = folder / "store.json"
    if link.exists() and not link.is_symlink():  # the damage took the link away
        store.unlink(missing_ok=True)
        link.rename(store)
    answer = ask(originals.machine, spec.reader, place)
    return wrong_with(spec, whole, answer)


def wrong_with(spec: CorruptCase, whole: Answer, answer: Answer) -> list[str]:
    end = answer.seen.end
    if end == "late":
        return [f"{spec.reader} hangs"]
    if end not in ("exit 0", "exit 1"):
        return [f"{spec.reader} ended by '{end}': {answer.seen.err.decode(errors='replace').strip()[-150:]}"]
    if end == "exit 1":
        is_said = any(line.startswith("foretask: error: ") for line in answer.seen.said)
        return [] if is_said else [f"{spec.reader} fails without a word"]
    if spec.reader not in COMPARED or spec.answer == "any" or answer.numbers == whole.numbers:
        return []
    if spec.answer == "same":
        return ["other numbers: " + first_difference(whole.numbers, answer.numbers)]
    if set(answer.warnings) - set(whole.warnings):
        return []
    return ["other numbers without a warning: " + first_difference(whole.numbers, answer.numbers)]


def first_difference(whole: list, now: list) -> str:
    for left, right in zip(whole, now):
        if left != right:
            return f"{right[0]} is {right[1]}, not {left[1]}"
    return f"{len(now)} numbers, not {len(whole)}"
