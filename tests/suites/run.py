# SPDX-License-Identifier: Apache-2.0
"""One run of one command in an empty folder."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

SAID = b"foretask: "
FIELDS = {"end": "its end", "out": "standard output", "err": "standard error"}


@dataclass
class Seen:
    end: str  # exit 3, signal 11, late
    out: bytes
    err: bytes  # without foretask's own lines
    said: list[str]  # foretask's own lines
    elapsed_s: float
    processor_s: float


def own_environment() -> dict[str, str]:
    """The caller's, without what changes OpenMP or foretask."""
    changing = ("OMP_", "KMP_", "GOMP_", "STARPU_", "FORETASK")
    return {name: value for name, value in os.environ.items() if not name.startswith(changing)}


def run(command: list[str], variables: dict[str, str], folder: Path, bound_s: float) -> Seen:
    work, out, err = folder / "work", folder / "out", folder / "err"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    with open(out, "wb") as out_file, open(err, "wb") as err_file:
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=work, env=own_environment() | variables, stdin=subprocess.DEVNULL,
                                   stdout=out_file, stderr=err_file, start_new_session=True)
        descriptor = os.pidfd_open(process.pid)
        try:
            is_late = not select.select([descriptor], [], [], bound_s)[0]
            elapsed_s = time.monotonic() - began
        finally:
            os.close(descriptor)
            try:
                os.killpg(process.pid, signal.SIGKILL)  # with what the program has left behind
            except ProcessLookupError:
                pass
            _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    process.returncode = code
    end = "late" if is_late else f"exit {code}" if code >= 0 else f"signal {-code}"
    lines = err.read_bytes().splitlines(True)
    said = [line.decode(errors="replace").strip() for line in lines if line.startswith(SAID)]
    return Seen(end, out.read_bytes(), b"".join(line for line in lines if not line.startswith(SAID)), said, elapsed_s,
                usage.ru_utime + usage.ru_stime)
