# SPDX-License-Identifier: Apache-2.0
"""Runs scripts/suites on the suite in made_up, and reads requests of test comments. usage: self_test.py BUILD_FOLDER"""

from __future__ import annotations

import re
import subprocess
import sys
import unittest
from pathlib import Path

from headers import read_dejagnu, read_lit
from layouts import find_suites
from program import LeftOut

HERE = Path(__file__).parent
BUILD = sys.argv.pop() if len(sys.argv) > 1 else "build/release"


class MadeUpSuite(unittest.TestCase):
    def setUp(self) -> None:
        words = [sys.executable, str(HERE / "campaign.py"), str(HERE / "made_up"), "--build", BUILD, "--threads", "2",
                 "--timeout", "10"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=240)
        self.code, self.text = done.returncode, done.stdout + done.stderr

    def test_finds_what_differs_and_nothing_else(self) -> None:
        failed = re.findall(r"FAILED libgomp, libgomp.c/(\w+).c:gcc, threads 2: (.*)", self.text)
        self.assertEqual(self.code, 1, self.text)
        self.assertEqual([name for name, _ in failed], ["differs", "slower"], self.text)
        self.assertIn("its end differs: 'exit 3', not 'exit 0'", failed[0][1])
        self.assertIn("'recorded' in the place of 'alone'", failed[0][1])
        self.assertIn("slower: ", failed[1][1])
        self.assertRegex(self.text, r"--only libgomp --filter libgomp.c/differs.c:gcc --threads 2\n")
        self.assertRegex(self.text, r"libgomp: 1 left out: the test needs offload_device\n")
        self.assertRegex(self.text, r"libgomp: 1 left out: it does not end within 10 s alone\n")
        # Six programs: five can be run, and four end.
        self.assertRegex(self.text, r"\nlibgomp +6 +5 +4 +1 +0 +2\n")


class Requests(unittest.TestCase):
    def test_dejagnu(self) -> None:
        text = ('/* { dg-do run { target { tls_runtime } } } */\n/* { dg-options "-O1 -DX=1" { target c } } */\n'
                '/* { dg-additional-options "-mavx" { target avx_runtime } } */\n'
                '/* { dg-set-target-env-var OMP_PLACES "{0,1},{2}" } */\n/* { dg-additional-sources "other.c" } */\n')
        asked = read_dejagnu(text, "c")
        self.assertEqual((asked.flags, asked.has_own_options), (["-O1", "-DX=1"], True))
        self.assertEqual((asked.variables, asked.sources), ({"OMP_PLACES": "{0,1},{2}"}, ["other.c"]))
        self.assertEqual(read_dejagnu(text, "c++").flags, [])
        for action in ("compile", "run { target offload_device }", "run { target { ! lp64 } }"):
            self.assertRaises(LeftOut, read_dejagnu, f"! {{ dg-do {action} }}\n", "fortran")

    def test_lit(self) -> None:
        runs = read_lit("// RUN: %libomp-compile -DX && env OMP_SCHEDULE=guided,2 \\\n"
                        "// RUN:   %libomp-run 2 | FileCheck %s\n// RUN: %libomp-run 3\n")
        self.assertEqual([(run.flags, run.variables, run.arguments) for run in runs],
                         [(["-DX"], {"OMP_SCHEDULE": "guided,2"}, ["2"]), (["-DX"], {}, ["3"])])
        for text in ("RUN: %libomp-compile", "RUN: %clang %s -o %t", "REQUIRES: windows\nRUN: %libomp-compile-and-run"):
            self.assertRaises(LeftOut, read_lit, f"// {text}\n")

    def test_layout(self) -> None:
        self.assertEqual(find_suites(HERE), [("libgomp", HERE / "made_up")])


if __name__ == "__main__":
    unittest.main()
