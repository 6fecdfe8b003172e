# SPDX-License-Identifier: Apache-2.0
"""What the comments of a test ask for: the lines of DejaGnu (GCC) and of lit (LLVM). Only simple requests are followed:
flags, variables, arguments and further sources. A test with any other request is left out."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field

from program import LeftOut

DIRECTIVE = re.compile(r"\{\s*(dg-[a-z-]+)\s+(.*?)\s*\}\s*(?:\*/|!.*)?\s*$", re.MULTILINE)
# Selectors of DejaGnu that hold on x86-64 Linux.
HOLDS = {"c99_runtime", "tls", "tls_runtime", "size32plus", "sync_int_long", "sync_char_short", "lto", "shared", "fpic",
         "vect_simd_clones", "sse2_runtime", "large_long_double", "__float128", "fd_truncate", "lp64", "alarm",
         "*-*-*", "*-*-linux*", "i?86-*-*", "x86_64-*-*"}
SELECTOR = re.compile(r"[^\s{}]+")
QUOTED = re.compile(r'^"([^"]*)"\s*(.*)$', re.DOTALL)


@dataclass
class Request:
    flags: list[str] = field(default_factory=list)
    has_own_options: bool = False  # the test's options take the place of the suite's
    sources: list[str] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)


@dataclass
class LitRun:
    flags: list[str]
    variables: dict[str, str]
    arguments: list[str]
    is_cxx: bool


def selector_holds(text: str, language: str) -> bool:
    """Of "{ target A B }": whether one of the targets holds. Selectors with operators do not."""
    words = SELECTOR.findall(text)
    if not words:
        return True
    if words[0] == "target":
        words = words[1:]
    has_operator = any(word in ("!", "&&", "||") for word in words)
    return not has_operator and any(word in HOLDS or word == language for word in words)


def read_dejagnu(text: str, language: str) -> Request:
    """`language` is c, c++ or fortran. Raises LeftOut."""
    request = Request()
    for name, rest in DIRECTIVE.findall(text):
        quoted = QUOTED.match(rest)
        if name == "dg-do":
            action, _, selector = rest.strip('"').partition(" ")
            if action.strip('"') != "run":
                raise LeftOut("the test is compiled only")
            if not selector_holds(selector, language):
                raise LeftOut("the test is for other machines or for devices")
        elif name == "dg-require-effective-target" and rest.split()[0] not in HOLDS:
            raise LeftOut(f"the test needs {rest.split()[0]}")
        elif name in ("dg-options", "dg-additional-options") and quoted and selector_holds(quoted[2], language):
            request.has_own_options |= name == "dg-options"
            request.flags += shlex.split(quoted[1])
        elif name == "dg-set-target-env-var":
            variable, value = shlex.split(rest)[:2]
            request.variables[variable] = value
        elif name == "dg-additional-sources":
            request.sources += shlex.split(rest.strip('"'))
        elif name == "dg-skip-if" and not any(word in rest for word in ("aarch64", "run_expensive_tests", "! offload")):
            raise LeftOut("the test is for other machines or for devices")
        elif name == "dg-error":
            raise LeftOut("the test is compiled only")
    return request


def lit_lines(text: str) -> list[str]:
    joined = ""
    for line in re.findall(r"RUN:[ \t]*(.*?)[ \t]*(?:\*/)?$", text, re.MULTILINE):
        joined += line[:-1] + " " if line.endswith("\\") else line + "\n"
    return joined.splitlines()


def read_lit(text: str) -> list[LitRun]:
    """The runs that the test's lines ask for. What reads their output is left out. Raises LeftOut."""
    for line in re.findall(r"REQUIRES:\s*(.*)", text):
        if any(word.strip() not in ("ompt", "linux", "affinity", "multicpu") for word in line.split(",")):
            raise LeftOut(f"the test requires {line.strip()}")
    if re.search(r"UNSUPPORTED:.*\blinux\b", text):
        raise LeftOut("the test is for other systems")
    runs: list[LitRun] = []
    flags: list[str] = []
    is_cxx = False
    for line in lit_lines(text):
        for part in re.split(r"&&|;", line):
            words = shlex.split(part.split("|")[0])
            variables: dict[str, str] = {}
            while words and (words[0] == "env" or re.match(r"[A-Z_]+=", words[0])):
                word = words.pop(0)
                if word != "env":
                    variables |= [word.split("=", 1)]
            if not words:
                continue
            command, rest = words[0], words[1:]
            if any("%" in word or ">" in word for word in rest) or any("%" in value for value in variables.values()):
                raise LeftOut("its RUN lines are not simple")
            if re.fullmatch(r"%libomp-(c99-|cxx-|cxx20-)?compile(-and-run)?", command):
                flags, is_cxx = rest, "cxx" in command
                flags = (["-std=c99"] if "c99" in command else []) + flags
            if command.endswith("-and-run") or command == "%libomp-run":
                arguments = rest if command == "%libomp-run" else []
                runs.append(LitRun(flags, variables, arguments, is_cxx))
            elif not command.startswith("%libomp-"):
                raise LeftOut("its RUN lines are not simple")
    if not runs:
        raise LeftOut("the test is compiled only")
    return runs
