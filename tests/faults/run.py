# SPDX-License-Identifier: Apache-2.0
"""One run of one command under parent.c, in a folder of its own."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import stat
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from machine import Machine

OURS = ("counted.", "run", "moved-run", "small", "foretask-")  # not held against the run without foretask
NOBODY = 65534


@dataclass
class Observation:
    end: str = ""  # exit 3, signal TERM, late
    events: list[str] = field(default_factory=list)  # stops, signals to the parent, in their order
    left: int = 0
    ms: int = 0
    out: bytes = b""
    err: bytes = b""
    files: dict[str, str] = field(default_factory=dict)

    @property
    def said(self) -> list[str]:
        """foretask's own lines."""
        return [line for line in self.err.decode(errors="replace").splitlines() if line.startswith("foretask: ")]

    @property
    def program_err(self) -> bytes:
        return b"".join(line for line in self.err.splitlines(True) if not line.startswith(b"foretask: "))


class Place:
    """A folder with a home, a temporary folder and a working folder, at one path for both runs of a case."""

    def __init__(self, root: Path):
        self.root = root
        self.now = root / "now"
        self.strips = False  # foretask's lines are left out of the program's files

    @property
    def work(self) -> Path:
        return self.now / "work"

    def make(self, owner: int = 0) -> None:
        shutil.rmtree(self.now, ignore_errors=True)
        for name in ("work", "work/small", "home", "tmp", "store", "data", "cache", "runtime"):
            (self.now / name).mkdir(parents=True, mode=0o700 if name == "runtime" else 0o755)
        if owner:
            for path in [self.now, *self.now.rglob("*")]:
                os.chown(path, owner, owner)

    def keep_as(self, name: str) -> Path:
        kept = self.root / name
        shutil.rmtree(kept, ignore_errors=True)
        self.now.rename(kept)
        return kept

    def environment(self, threads: int) -> dict[str, str]:
        folders = {"HOME": "home", "TMPDIR": "tmp", "FORETASK_HOME": "store", "XDG_DATA_HOME": "data",
                   "XDG_CACHE_HOME": "cache", "XDG_RUNTIME_DIR": "runtime"}
        values = {name: str(self.now / folder) for name, folder in folders.items()}
        return values | {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C",
                         "OMP_NUM_THREADS": str(threads), "FORETASK_CALIBRATE": "0"}


def run(machine: Machine, place: Place, command: list[str], environment: dict[str, str], options: list[str] = [],
        bound_s: float = 20) -> Observation:
    log = place.root / "log"
    out, err = place.root / "out", place.root / "err"
    for path in (log, out, err):
        path.unlink(missing_ok=True)
    words = [machine.path("parent"), str(log), "bound", str(int(bound_s * 1000)), *options, "--", *command]
    with open(out, "ab") as out_file, open(err, "ab") as err_file:
        process = subprocess.Popen(words, cwd=place.work, env=environment, stdin=subprocess.DEVNULL, stdout=out_file,
                                   stderr=err_file, start_new_session=True)
        try:
            process.wait(bound_s + 15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    seen = Observation(out=out.read_bytes(), err=err.read_bytes(), files=files_in(place.now, place.strips))
    read_log(log, seen)
    return seen


def read_log(log: Path, seen: Observation) -> None:
    for line in log.read_text().splitlines() if log.exists() else []:
        key, _, value = line.partition(" ")
        if key in ("exit", "signal", "late"):
            seen.end = line
        elif key == "ms":
            seen.ms = int(value)
        elif key == "left":
            seen.left = int(value)
        else:
            seen.events.append(line)
    seen.end = seen.end or "late"


def files_in(folder: Path, strips: bool) -> dict[str, str]:
    """Names and contents of all that the program could have written, but for what is foretask's by its promise."""
    found = {}
    for top in ("work", "home", "tmp"):
        for path in sorted((folder / top).rglob("*")):
            name = path.relative_to(folder / top).as_posix()
            if top == "work" and name.startswith(OURS):
                continue
            found[f"{top}/{name}"] = describe(path, strips)
    return found


def describe(path: Path, strips: bool) -> str:
    status = path.lstat()
    if stat.S_ISREG(status.st_mode):
        lines = [line for line in path.read_bytes().splitlines(True) if not strips or not line.startswith(b"foretask: ")]
        return f"{status.st_mode:o} {hashlib.sha256(b''.join(lines)).hexdigest()}"
    return f"{status.st_mode:o}"
