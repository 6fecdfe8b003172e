#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The binary interface of include/foretask/*.h, as text: each exported function with its parameters, the offset of each
member, the value of each enumerator and macro. A program that was built against the headers relies on each line.

Compares it with the lines that are kept in FILE, and fails where one of them is gone or reads otherwise. New lines
pass. --update keeps the interface as it is now: for a deliberate change, and before a release. CONTRIBUTING.md says
more."""

from __future__ import annotations

import argparse
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

# Not relied on: the version, which changes with each release; how many kinds of events there are.
FREE_MACROS = re.compile(r"FORETASK_(API|VERSION_\w+)")
FREE_ENUMERATORS = {"FORETASK_EVENT_KINDS"}
ENTRY = re.compile(r"^ *<(\d+)><([0-9a-f]+)>: Abbrev Number: \d+(?: \(DW_TAG_(\w+)\))?")
ATTRIBUTE = re.compile(r"^ *<[0-9a-f]+> +DW_AT_(\w+) *: (.*)$")


@dataclass
class Entry:
    """An entry of the debug information."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Entry] = field(default_factory=list)

    def number(self, name: str) -> int:
        return int(re.sub(r"^\(\w+\) ", "", self.attributes[name]).split()[0], 0)

    @property
    def name(self) -> str:
        # "(strp) (offset: 0x1a): text", "(indirect string, offset: 0x1a): text", "(string) text" or "text"
        text = self.attributes.get("name", "")
        return re.sub(r"^(\(\w+\) )?(\(.*offset: 0x[0-9a-f]+\): )?", "", text).strip()


def output_of(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}, check=False)
    if done.returncode != 0:
        sys.exit(f"c_interface: {' '.join(command)}: {done.stderr}")
    return done.stdout


def headers_of(include: Path) -> str:
    return "".join(f'#include "foretask/{path.name}"\n' for path in sorted((include / "foretask").glob("*.h")))


def declared_functions(compiler: str, include: Path) -> list[str]:
    """The names that the headers declare for the library to define: those with FORETASK_API."""
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write("#include <stddef.h>\n" + headers_of(include))
        source.flush()
        text = output_of(compiler, "-std=c11", "-E", "-P", f"-I{include}", source.name)
    text = " ".join(text.split())
    declaration = re.compile(r'__attribute__\(\(visibility\("default"\)\)\)[^;{]*?\b(foretask_\w+) ?\(')
    return sorted(set(declaration.findall(text)))


def macros(compiler: str, include: Path) -> list[str]:
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write(headers_of(include))
        source.flush()
        text = output_of(compiler, "-std=c11", "-E", "-dM", f"-I{include}", source.name)
    found = re.findall(r"^#define (FORETASK_\w+) (.+)$", text, re.MULTILINE)
    return [f"macro {name} {' '.join(value.split())}" for name, value in found if not FREE_MACROS.fullmatch(name)]


def debug_entries(compiler: str, include: Path, functions: list[str]) -> tuple[list[Entry], dict[int, Entry]]:
    """What a compiler makes of the headers. A variable for each function shows the types of its parameters."""
    with tempfile.TemporaryDirectory() as folder:
        source, compiled = Path(folder) / "interface.c", Path(folder) / "interface.o"
        pointers = (f"__typeof__({name})* const pointer_to_{name} = {name};\n" for name in functions)
        source.write_text(headers_of(include) + "".join(pointers))
        output_of(compiler, "-std=c11", "-g", "-fno-eliminate-unused-debug-types", f"-I{include}", "-c", str(source),
                  "-o", str(compiled))
        listing = output_of("readelf", "--wide", "--debug-dump=info", str(compiled))
    top: list[Entry] = []
    by_offset: dict[int, Entry] = {}
    open_entries: list[Entry] = []
    for line in listing.splitlines():
        if match := ENTRY.match(line):
            depth, offset, tag = int(match[1]), int(match[2], 16), match[3]
            if tag is None:  # the end of a list of children
                continue
            entry = Entry(tag)
            by_offset[offset] = entry
            del open_entries[depth:]
            (open_entries[-1].children if depth > 1 else top).append(entry)
            open_entries.append(entry)
        elif (match := ATTRIBUTE.match(line)) and open_entries:
            open_entries[-1].attributes[match[1]] = match[2]
    return top, by_offset


def lengths(array: Entry) -> list[int]:
    """Of each dimension; none of what is no array."""
    dimensions = array.children if array.tag == "array_type" else []
    return [child.number("count") if "count" in child.attributes else child.number("upper_bound") + 1
            for child in dimensions]


class Types:
    def __init__(self, by_offset: dict[int, Entry]):
        self.by_offset = by_offset

    def of(self, entry: Entry) -> Entry | None:
        match = re.search(r"<0x([0-9a-f]+)>", entry.attributes.get("type", ""))
        return self.by_offset[int(match[1], 16)] if match else None

    def text(self, entry: Entry | None) -> str:
        """As one would write it in C, but that what qualifies a type comes after it: char const*."""
        if entry is None:
            return "void"
        tag, inner = entry.tag, self.of(entry)
        if tag in ("base_type", "typedef"):
            return entry.name
        if tag in ("structure_type", "union_type", "enumeration_type"):
            return entry.name or f"unnamed {tag}"
        if tag == "pointer_type":
            return self.text(inner) + ("" if inner is not None and inner.tag == "subroutine_type" else "*")
        if tag in ("const_type", "volatile_type"):
            return f"{self.text(inner)} {tag.removesuffix('_type')}"
        if tag == "array_type":
            return self.text(inner) + "".join(f"[{length}]" for length in lengths(entry))
        if tag == "subroutine_type":
            parameters = [self.text(self.of(child)) for child in entry.children if child.tag == "formal_parameter"]
            return f"{self.text(inner)}({', '.join(parameters)})"
        raise ValueError(f"cannot say what a {tag} is")

    def size(self, entry: Entry) -> int:
        if "byte_size" in entry.attributes:
            return entry.number("byte_size")
        if entry.tag == "pointer_type":
            return struct.calcsize("P")
        return self.size(self.of(entry)) * math.prod(lengths(entry))


def layouts(compiler: str, include: Path, functions: list[str]) -> list[str]:
    top, by_offset = debug_entries(compiler, include, functions)
    types = Types(by_offset)
    lines = []
    for entry in top:
        name = entry.name
        if entry.tag == "enumeration_type":
            values = [child for child in entry.children if child.name.startswith("FORETASK_")]
            if values and name:
                lines.append(f"enum {name}: {entry.number('byte_size')} bytes")
            lines += [f"enumerator {child.name} = {child.number('const_value')}" for child in values
                      if child.name not in FREE_ENUMERATORS]
        elif entry.tag in ("structure_type", "union_type") and name.startswith("foretask_") and entry.children:
            lines.append(f"struct {name}: {entry.number('byte_size')} bytes")
            for child in entry.children:
                kind = types.of(child)
                where = child.number("data_member_location") if "data_member_location" in child.attributes else 0
                lines.append(f"struct {name}: at {where}: {child.name}, {types.size(kind)} bytes, {types.text(kind)}")
        elif entry.tag == "typedef" and name.startswith("foretask_"):
            lines.append(f"typedef {name} = {types.text(types.of(entry))}")
        elif entry.tag == "variable" and name.startswith("pointer_to_"):
            kind = types.of(entry)
            while kind.tag in ("const_type", "pointer_type"):
                kind = types.of(kind)
            lines.append(f"function {name.removeprefix('pointer_to_')}: {types.text(kind)}")
    return lines


def interface(compiler: str, include: Path) -> list[str]:
    functions = declared_functions(compiler, include)
    lines = set(layouts(compiler, include, functions) + macros(compiler, include))
    return sorted(lines, key=lambda line: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", line)])


def exported(library: Path) -> list[str]:
    listing = output_of("nm", "-D", "--defined-only", str(library))
    return sorted(f"exported {line.split()[-1].split('@')[0]}" for line in listing.splitlines())


def differences(kept: list[str], now: list[str]) -> tuple[list[str], list[str]]:
    """What is gone, and what is new."""
    return [line for line in kept if line not in set(now)], [line for line in now if line not in set(kept)]


def unexported(compiler: str, include: Path, symbols: list[str]) -> list[str]:
    return [name for name in declared_functions(compiler, include) if f"exported {name}" not in symbols]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=Path, required=True, help="the folder that holds foretask/")
    parser.add_argument("--library", type=Path, required=True, help="libforetask.so")
    parser.add_argument("--kept", type=Path, required=True, metavar="FILE", help="the lines to compare with")
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--update", action="store_true", help="write FILE")
    options = parser.parse_args()

    symbols = exported(options.library)
    now = interface(options.compiler, options.include) + symbols
    status = 0
    for name in unexported(options.compiler, options.include, symbols):
        print(f"c_interface: declared, but not exported: {name}", file=sys.stderr)
        status = 1
    if options.update:
        options.kept.write_text("".join(f"{line}\n" for line in now))
        print(f"c_interface: {len(now)} lines in {options.kept}")
        return status
    gone, new = differences(options.kept.read_text().splitlines(), now)
    for line in new:
        print(f"c_interface: new, kept from the next --update on: {line}")
    for line in gone:
        print(f"c_interface: gone, or no longer so: {line}", file=sys.stderr)
    if gone:
        print("c_interface: programs that were built before may break; where that is meant, see CONTRIBUTING.md",
              file=sys.stderr)
        status = 1
    print(f"c_interface: {len(now)} lines compared")
    return status


if __name__ == "__main__":
    sys.exit(main())
