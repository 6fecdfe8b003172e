# SPDX-License-Identifier: Apache-2.0
"""What there is to test with: the build, the programs, what this machine allows."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
from pathlib import Path

from case import Skip

SOURCES = Path(__file__).parent / "programs"
# The C library loads libgcc_s when a thread ends itself, which fails after a chroot, but for who has it already.
OPENMP = ["-fopenmp", "-O1", "-g", "-Wl,--no-as-needed", "-lgcc_s", "-Wl,--as-needed"]
COPIES = 250
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000
LIBC = ctypes.CDLL(None, use_errno=True)


class Machine:
    def __init__(self, build: Path):
        self.build = build.resolve()
        self.foretask = self.build / "bin" / "foretask"
        self.hook = self.build / "lib" / "libforetask_ompt.so"
        self.programs = self.build / "faults"
        self.missing: dict[str, str] = {}
        if not self.foretask.exists():
            raise SystemExit(f"faults: no foretask in {self.build}: build it first, or name the folder: --build DIR")
        if not self.hook.exists():
            raise SystemExit("faults: the build has no OpenMP hook (libomp's omp-tools.h was missing)")

    def path(self, name: str) -> str:
        return str(self.programs / name)

    def prepare(self) -> None:
        """Compiles what is older than its source, and finds out what cannot be had here."""
        self.programs.mkdir(exist_ok=True)
        acts = sorted(SOURCES.glob("acts_*.c"))
        headers = sorted(SOURCES.glob("*.h"))
        program = [SOURCES / "program.c", *acts]
        self._compile("parent", ["cc", "-O1"], [SOURCES / "parent.c"], headers, needed=True)
        self._compile("shim.so", ["cc", "-O1", "-fPIC", "-shared"], [SOURCES / "shim.c"], headers, ["-ldl"])
        self._compile("late.so", ["cc", "-fPIC", "-shared"], [SOURCES / "late.c"])
        self._compile("own_tool.so", ["cc", "-fPIC", "-shared"], [SOURCES / "own_tool.c"])
        for compiler in ("clang", "gcc"):
            self._compile(f"program_{compiler}", [compiler, *OPENMP], program, headers, ["-lm", "-pthread"], compiler)
        self._compile("target", ["gcc", *OPENMP], [SOURCES / "target.c"], label="gcc")
        run_path = ["clang", *OPENMP, "-Wl,-rpath,$ORIGIN/own"]
        self._compile("program_run_path", run_path, program, headers, ["-lm", "-pthread"])
        self._compile("linked_with_many", ["gcc", *OPENMP], [SOURCES / "target.c"], libraries=self._copies())
        self._compile("own_new", ["clang++", *OPENMP], [SOURCES / "own_new.cpp"])
        if os.geteuid() != 0:
            self.missing["root"] = "not root"
        if "root" in self.missing or not self._leave_mounts():
            self.missing["mount"] = "no file system can be mounted here"
        if "root" not in self.missing and not self._others_can_run():
            self.missing["other user"] = f"other users cannot get at {self.build}"
        if not shutil.which("strace"):
            self.missing["strace"] = "no strace"
        elif subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
            self.missing["strace"] = "strace may not trace here"

    def _copies(self) -> list[str]:
        """As many libraries as a program with a graphical interface has."""
        folder = self.programs / "many"
        folder.mkdir(exist_ok=True)
        library = self.programs / "late.so"
        files = [folder / f"lib{i}.so" for i in range(COPIES if library.exists() else 0)]
        for file in files:
            if not file.exists():
                shutil.copy(library, file)
        return ["-Wl,--no-as-needed", *map(str, files)]

    def _compile(self, name: str, command: list[str], sources: list[Path], headers: list[Path] = [],
                 libraries: list[str] = [], label: str = "", needed: bool = False) -> None:
        output = self.programs / name
        newest = max(file.stat().st_mtime for file in [*sources, *headers])
        if output.exists() and output.stat().st_mtime > newest:
            return
        words = [*command, "-D_GNU_SOURCE", *map(str, sources), "-o", str(output), *libraries]
        try:
            done = subprocess.run(words, capture_output=True, text=True)
            reason = "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]
        except FileNotFoundError:
            reason = f"no {command[0]}"
        if reason and needed:
            raise SystemExit(f"faults: cannot compile {name}: {reason}")
        if reason:
            self.missing[label or name] = f"{label or name} cannot be built: {reason}"

    @functools.cached_property
    def libomp(self) -> Path:
        """What Clang's programs load."""
        listed = subprocess.run(["ldd", self.path("program_clang")], capture_output=True, text=True).stdout
        return next(Path(line.split()[2]) for line in listed.splitlines() if "libomp.so" in line)

    def _leave_mounts(self) -> bool:
        """What is mounted from here on goes with this process, whatever becomes of it."""
        if LIBC.unshare(CLONE_NEWNS) != 0 or LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) != 0:
            return False
        # LLVM's runtime leaves a file there when it is killed.
        return subprocess.run(["mount", "-t", "tmpfs", "none", "/dev/shm"], capture_output=True).returncode == 0

    def _others_can_run(self) -> bool:
        words = [self.path("parent"), "/dev/null", "uid", "65534", "--", str(self.foretask), "--version"]
        return subprocess.run(words, capture_output=True).stdout != b""

    def built(self, name: str) -> str:
        """A program of tests/integration."""
        path = self.build / "tests" / "integration" / "programs" / name
        if not path.exists():
            raise Skip(f"the build has no {name} (target recorded_programs)")
        return str(path)

    def need(self, what: str) -> str:
        """Why it is not here, or nothing."""
        return self.missing.get(what, "")

    @functools.cached_property
    def version(self) -> str:
        return subprocess.run([str(self.foretask), "--version"], capture_output=True, text=True).stdout.strip()
