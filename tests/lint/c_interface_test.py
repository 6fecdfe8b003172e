#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""c_interface.py finds each kind of change. usage: c_interface_test.py INCLUDE COMPILER"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from c_interface import declared_functions, differences, interface, unexported

# A header, what is written otherwise in it, and how the lines begin that the check is to miss for it.
CHANGES = [
    ("foretask.h", "uint64_t begin_ticks;\n  uint64_t inner_ticks;", "uint64_t inner_ticks;\n  uint64_t begin_ticks;",
     ["struct foretask_scope: at 16: begin_ticks", "struct foretask_scope: at 24: inner_ticks"]),
    ("foretask.h", "uint32_t kernels;", "int64_t kernels;",
     ["struct foretask_learning_stats: at 4: kernels", "struct foretask_learning_stats: at 8: learned"]),
    ("foretask.h", "#define FORETASK_MAX_PARAMETERS 8", "#define FORETASK_MAX_PARAMETERS 9",
     ["macro FORETASK_MAX_PARAMETERS 8", "struct foretask_scope: 104 bytes"]),
    ("foretask.h", "FORETASK_TIMED_OUT = 11", "FORETASK_TIMED_OUT = 12", ["enumerator FORETASK_TIMED_OUT = 11"]),
    ("foretask.h", "foretask_flush(uint32_t timeout_ms)", "foretask_flush(uint64_t timeout_ms)",
     ["function foretask_flush: foretask_status(uint32_t)"]),
    ("foretask.h", "FORETASK_API foretask_status foretask_load(void);", "",
     ["function foretask_load: foretask_status()"]),
    ("dataflow.h", "FORETASK_OUT = 2,  /*", "/*", ["enumerator FORETASK_OUT = 2"]),
    ("dataflow.h", "} foretask_access;", "uint64_t more; } foretask_access;", ["struct foretask_access: 24 bytes"]),
]
# What a program that was built before does not notice, and how the new lines begin.
ADDITIONS = [
    ("foretask.h", "FORETASK_TIMED_OUT = 11", "FORETASK_TIMED_OUT = 11, FORETASK_LATE = 12",
     ["enumerator FORETASK_LATE = 12"]),
    ("hook.h", "FORETASK_EVENT_KINDS", "FORETASK_EVENT_NEW = 99, FORETASK_EVENT_KINDS",
     ["enumerator FORETASK_EVENT_NEW = 99"]),
    ("openmp.h", "double value);", "double value);\nFORETASK_API void foretask_openmp_new(void);",
     ["function foretask_openmp_new: void()"]),
]


def main() -> int:
    include, compiler = Path(sys.argv[1]), sys.argv[2]
    kept = interface(compiler, include)
    symbols = [f"exported {name}" for name in declared_functions(compiler, include)]
    failures = []

    def check(changes: list[tuple[str, str, str, list[str]]], breaks: bool) -> list[str]:
        """What the library would lack once all of them are made."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(include / "foretask", Path(folder) / "foretask")
            for header, before, after, _ in changes:
                path = Path(folder) / "foretask" / header
                text = path.read_text()
                if text.count(before) != 1:
                    failures.append(f"{header} has not one {before!r}: the test is to be changed")
                path.write_text(text.replace(before, after))
            gone, new = differences(kept, interface(compiler, Path(folder)))
            if not breaks:
                failures.extend(f"gone, where something was added alone: {line}" for line in gone)
            for header, _, after, wanted in changes:
                for begin in wanted:
                    if not any(line.startswith(begin) for line in (gone if breaks else new)):
                        failures.append(f"not found: {header}: {after!r}: {begin}")
            return unexported(compiler, Path(folder), symbols)

    check(CHANGES, breaks=True)
    if (lacking := check(ADDITIONS, breaks=False)) != ["foretask_openmp_new"]:
        failures.append(f"a function that is not exported was not found: {lacking}")
    print("\n".join([*failures, f"{len(CHANGES) + len(ADDITIONS)} changes, {len(failures)} failures"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
