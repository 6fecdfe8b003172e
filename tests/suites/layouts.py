# SPDX-License-Identifier: Apache-2.0
"""Finds the suites in a folder by their layout, and lists their programs."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from headers import read_dejagnu, read_lit
from program import LeftOut, Program

DEEPEST = 6
C, CXX, FORTRAN = ("gcc", "clang"), ("g++", "clang++"), ("gfortran",)
OF_ENDING = {".c": C, ".cpp": CXX, ".cc": CXX, ".C": CXX, ".f": FORTRAN, ".f90": FORTRAN, ".F90": FORTRAN,
             ".f95": FORTRAN, ".F": FORTRAN, ".f03": FORTRAN, ".F95": FORTRAN, ".f08": FORTRAN}
# Arguments that let the Parallel Research Kernels run for a moment.
KERNEL_ARGUMENTS = {"branch": "100 1000 vector_go", "dgemm": "5 256 32", "nstream": "10 100000 0", "random": "16 16 4",
                    "reduce": "10 100000 binary-p2p", "refcount": "100000 100", "sparse": "10 10 4",
                    "stencil": "10 400", "global": "10 10000", "p2p": "10 400 100", "transpose": "10 400 32",
                    "pic": "10 100 10000 1 2 GEOMETRIC 0.99"}
CXX_KERNEL_ARGUMENTS = {"dgemm": "5 256 32", "nstream": "10 100000", "p2p": "10 400 400 100 100", "sparse": "10 10 4",
                        "stencil": "10 400 32", "transpose": "10 400 32", "pic": "10 100 10000 1 2 GEOMETRIC 0.99"}


def has(*names: str) -> Callable[[Path], bool]:
    return lambda folder: all((folder / name).exists() for name in names)


def is_executable(path: Path) -> bool:
    if path.is_symlink() or not path.is_file() or not os.access(path, os.X_OK) or ".so" in path.name:
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def executables(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if is_executable(path))


def compiled(suite: str, root: Path, source: Path, flags: list[str],
             compilers: tuple[str, ...] = ()) -> Iterator[Program]:
    """One program for each compiler of its language."""
    for compiler in compilers or OF_ENDING[source.suffix]:
        name = f"{source.relative_to(root)}:{compiler}"
        if not shutil.which(compiler):
            yield Program(suite, name, left_out=f"no {compiler} here")
        else:
            yield Program(suite, name, [compiler, "-w", "-fopenmp", *flags, str(source), "-lm"])


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in OF_ENDING and path.is_file())


def libgomp(root: Path) -> Iterator[Program]:
    languages = {"libgomp.c": [("gcc", "c")], "libgomp.c++": [("g++", "c++")],
                 "libgomp.c-c++-common": [("gcc", "c"), ("g++", "c++")], "libgomp.fortran": [("gfortran", "fortran")]}
    for folder, pairs in languages.items():
        for source in sources(root / folder):
            text = source.read_text(errors="replace")
            if "dg-do" not in text and source.suffix not in (".c", ".C"):
                text += "\n! { dg-do run }\n"
            for compiler, language in pairs:
                for program in compiled("libgomp", root, source, [], (compiler,)):
                    try:
                        asked = read_dejagnu(text, language)
                    except LeftOut as reason:
                        program.left_out = str(reason)
                        yield program
                        continue
                    flags = ([] if asked.has_own_options else ["-O2"]) + asked.flags
                    more = [str(source.parent / name) for name in asked.sources]
                    program.compilation[3:3] = [f"-I{root / folder}", *flags, *more]
                    program.variables = asked.variables
                    yield program


def llvm(root: Path) -> Iterator[Program]:
    for source in sources(root):
        where = str(source.relative_to(root))
        try:
            runs = read_lit(source.read_text(errors="replace"))
        except (LeftOut, ValueError) as reason:
            yield Program("llvm", where, left_out=str(reason))
            continue
        for number, wanted in enumerate(runs, 1):
            compiler = "clang++" if wanted.is_cxx else "clang"
            flags = [f"-I{root}", f"-I{root / 'ompt'}", *wanted.flags, "-pthread"]
            for program in compiled("llvm", root, source, flags, (compiler,)):
                program.name += f":{number}" if len(runs) > 1 else ""
                program.arguments = wanted.arguments
                program.variables = wanted.variables
                yield program


def openmp_vv(root: Path) -> Iterator[Program]:
    for source in sources(root / "tests"):
        long_lines = ["-ffree-line-length-none"] if OF_ENDING[source.suffix] == FORTRAN else []
        yield from compiled("openmp_vv", root, source, ["-O1", *long_lines, f"-I{root / 'ompvv'}"])


def dataracebench(root: Path) -> Iterator[Program]:
    helper = root / "micro-benchmarks" / "utilities"
    for source in sources(root / "micro-benchmarks") + sources(root / "micro-benchmarks-fortran"):
        if source.parent == helper:
            continue
        more = [str(helper / "polybench.c")] if "polybench" in source.name else []
        for program in compiled("dataracebench", root, source, ["-O1", f"-I{helper}", f"-I{helper.parent}", *more]):
            program.has_races = "-yes" in source.name
            yield program


def kernels(root: Path) -> Iterator[Program]:
    built = {"OPENMP": (KERNEL_ARGUMENTS, "{threads} "), "Cxx11": (CXX_KERNEL_ARGUMENTS, "")}
    for folder, (arguments, first) in built.items():
        for path in executables(root / folder):
            program = Program("kernels", str(path.relative_to(root)), executable=path)
            kind = path.name.split("-")[0]
            if kind in arguments:
                program.arguments = (first + arguments[kind]).split()
            else:
                program.left_out = "its arguments are not known"
            yield program


def onetbb(root: Path) -> Iterator[Program]:
    for path in executables(root):
        if re.match("test_|conformance_", path.name):
            yield Program("onetbb", str(path.relative_to(root)), executable=path, threads_variable="")


def starpu(root: Path) -> Iterator[Program]:
    libraries = sorted({str(path.parent) for path in root.rglob("libstarpu*.so")})
    for path in executables(root):
        if "examples" in str(path.relative_to(root.parent)) or "tests" in path.parts:
            program = Program("starpu", str(path.relative_to(root)), executable=path, threads_variable="STARPU_NCPU")
            if libraries:
                program.variables = {"LD_LIBRARY_PATH": ":".join(libraries)}
            yield program


# The suites: their names, how a folder is recognised, and what lists the programs.
SUITES: dict[str, tuple[list[Callable[[Path], bool]], Callable[[Path], Iterator[Program]]]] = {
    "libgomp": ([has("libgomp.c")], libgomp),
    "llvm": ([has("omp_testsuite.h", "lit.cfg")], llvm),
    "openmp_vv": ([has("ompvv/ompvv.h", "tests")], openmp_vv),
    "dataracebench": ([has("micro-benchmarks")], dataracebench),
    "kernels": ([has("OPENMP", "MPI1", "SERIAL")], kernels),
    "onetbb": ([has("test/tbb", "include/oneapi")], onetbb),
    "starpu": ([has("include/starpu.h", "examples"), has("starpu/examples")], starpu),
}


def find_suites(folder: Path, depth: int = 0) -> list[tuple[str, Path]]:
    """The suites' names and folders. A suite is not looked for inside another one."""
    for name, (layouts, _) in SUITES.items():
        if any(fits(folder) for fits in layouts):
            return [(name, folder)]
    if depth == DEEPEST:
        return []
    below = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink() and path.name != ".git")
    return [found for path in below for found in find_suites(path, depth + 1)]
