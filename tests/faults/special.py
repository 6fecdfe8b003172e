# SPDX-License-Identifier: Apache-2.0
"""Named cases that are no comparison of two runs: each is a function that returns what is wrong."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

from case import ProgramCase, Skip
from machine import Machine
from oracle import compare, report_of
from run import Observation, Place, run


def foretask(machine: Machine, place: Place, words: list[str], more: dict[str, str] = {}, options: list[str] = [],
             threads: int = 2) -> Observation:
    return run(machine, place, [str(machine.foretask), *words], place.environment(threads) | more, options)


def program(machine: Machine, *acts: str, cc: str = "clang") -> list[str]:
    if reason := machine.need(cc):
        raise Skip(reason)
    return [machine.path(f"program_{cc}"), *acts]


def run_path(machine: Machine, place: Place) -> list[str]:
    wrong = []
    libraries = sorted((machine.build / "lib").glob("libforetask*.so"))
    for file in [machine.foretask, *libraries]:
        text = subprocess.run(["readelf", "-d", str(file)], capture_output=True, text=True).stdout
        for line in text.splitlines():
            if "RUNPATH" in line or "RPATH" in line:
                entries = line[line.index("[") + 1:line.rindex("]")].split(":")
                if any(not entry.startswith(("/", "$ORIGIN")) for entry in entries):
                    count = entries.count("")
                    wrong.append(f"{file.name} looks for libraries in the working directory ({count} empty entries)")
    return wrong


def paths_that_others_can_make(environment: dict[str, str], place: Place) -> list[Path]:
    """Absolute paths in the variables, in the folder where anybody may make folders."""
    found = []
    for name, value in environment.items():
        if name == "TMPDIR" or not name.startswith(("LD_", "FORETASK", "OMP_")):
            continue
        for text in value.replace("\n", ":").replace(",", ":").split(":"):
            path = Path(text)
            if text.startswith(str(place.now / "tmp") + "/"):
                found.append(path)
    return found


def orphan_environment(machine: Machine, place: Place, cc: str) -> tuple[list[Path], Observation]:
    """A shell leaves a child behind, which writes down what it inherited when foretask is long gone."""
    place.make()
    child = f"(sleep 0.5; env -0 > left) & {machine.path('program_' + cc)} tasks:10"
    seen = run(machine, place, [str(machine.foretask), "record", "--", "sh", "-c", child], place.environment(2))
    texts = (place.work / "left").read_text().split("\0")
    environment = dict(text.split("=", 1) for text in texts if "=" in text)
    return paths_that_others_can_make(environment, place), seen


def left_child(machine: Machine, place: Place) -> list[str]:
    wrong = []
    for cc in ("clang", "gcc"):
        program(machine, cc=cc)
        paths, _ = orphan_environment(machine, place, cc)
        wrong += [f"a child that is left has {path}, which anybody could make" for path in paths]
    return wrong


def reader_gone(machine: Machine, place: Place) -> list[str]:
    """Nobody reads standard error any more when foretask says something, and the program says nothing there."""
    seen = []
    for words in ([], [str(machine.foretask), "record", "--out", "run", "--"], [str(machine.foretask), "learn", "--"]):
        place.make()
        reads, writes = os.pipe()
        os.close(reads)
        done = subprocess.run([*words, *program(machine, "tasks:10", "return:3")], cwd=place.work, stderr=writes,
                              env=place.environment(2), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=20)
        os.close(writes)
        seen.append((done.returncode, done.stdout))
    return [] if seen[0] == seen[1] == seen[2] else [f"alone, recorded and learning it ended as {seen}"]


def full_pipe(machine: Machine, place: Place) -> list[str]:
    """Nobody reads standard error before the program has ended, and the program has filled it."""
    wrong = []
    for words in (["record", "--out", "run", "--"], ["learn", "--"]):
        place.make()
        process = subprocess.Popen([str(machine.foretask), *words, *program(machine, "tasks:10", "fill-stderr", "return:4")],
                                   cwd=place.work, stderr=subprocess.PIPE, env=place.environment(2),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            if process.wait(10) != 4:
                wrong.append(f"{words[0]}: exit code {process.returncode}, not 4")
        except subprocess.TimeoutExpired:
            process.kill()
            wrong.append(f"{words[0]}: it never ends")
        process.communicate()
    return wrong


def first_calibration(machine: Machine, place: Place) -> list[str]:
    """A recording measures nothing. The first answer calibrates, says so, and is as every other."""
    place.make()
    wanted = {"FORETASK_CALIBRATE": "1"}
    seen = foretask(machine, place, ["record", "--out", "run", "--", *program(machine, "tasks:10", "return:5")], wanted)
    wrong = [] if seen.end == "exit 5" and len(seen.said) == 1 else [f"recording: {seen.end}, and {seen.said} is said"]
    for kind in ("first", "second"):
        seen = foretask(machine, place, ["report", "--json", "run"], wanted)
        measures = sum("measuring what the OpenMP runtime's own work takes" in line for line in seen.said)
        costs = json.loads(seen.out)["costs"]
        if seen.end != "exit 0" or measures != (kind == "first") or not costs["calibrated"]:
            wrong.append(f"{kind}: {seen.end}, measured {measures} times, calibrated {costs['calibrated']}")
    return wrong


def own_libomp(machine: Machine, place: Place) -> list[str]:
    """A program has a copy of libomp of its own, by RUNPATH: that one is measured, and only once."""
    for need in ("clang", "program_run_path"):
        if reason := machine.need(need):
            raise Skip(reason)
    libomp = machine.libomp
    code = libomp.read_bytes()
    note = code.find(b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0") + 16
    if note < 16:
        raise Skip("libomp has no build id of 20 bytes")
    place.make()
    (place.work / "own").mkdir()
    (place.work / "own" / libomp.name).write_bytes(code[:note] + bytes([code[note] ^ 255]) + code[note + 1:])
    shutil.copy(machine.path("program_run_path"), place.work / "app")
    wanted = {"FORETASK_CALIBRATE": "1"}
    foretask(machine, place, ["record", "--out", "run", "--", "./app", "tasks:10"], wanted)
    said = [foretask(machine, place, ["report", "--json", "run"], wanted) for _ in range(2)]
    measured = [sum("measuring what" in line for line in seen.said) for seen in said]
    calibrated = [json.loads(seen.out)["costs"]["calibrated"] for seen in said]
    return [] if measured == [1, 0] and all(calibrated) else [f"measured {measured} times, calibrated {calibrated}"]


def starts_soon(machine: Machine, place: Place) -> list[str]:
    """Of a program's 250 libraries none is read more than twice before it starts: four times took 0.1 s."""
    for need in ("gcc", "linked_with_many", "strace"):
        if reason := machine.need(need):
            raise Skip(reason)
    place.make()
    path = machine.path("linked_with_many")
    log = place.root / "calls"
    run(machine, place, ["strace", "-f", "-qq", "-o", str(log), "-e", "trace=openat,execve", str(machine.foretask),
                         "record", "--out", "run", "--", path], place.environment(1))
    lines = log.read_text().splitlines()
    starts = [number for number, line in enumerate(lines) if f'execve("{path}"' in line]
    opened = sum("openat(" in line for line in lines[:starts[0]]) if starts else None
    return [] if opened and opened <= 2 * 250 else [f"{opened} files are opened before the program starts"]


def cancellation(machine: Machine, place: Place) -> list[str]:
    """Where regions may be cancelled all tasks run as without, and all are recorded."""
    wrong = []
    for value in ("true", "false"):
        place.make()
        words = ["record", "--out", "run", "--", *program(machine, "tasks:300000", cc="gcc")]
        seen = foretask(machine, place, words, {"OMP_CANCELLATION": value})
        report = foretask(machine, place, ["report", "--json", "run"])
        if seen.end != "exit 0" or b'"tasks": 300000,' not in report.out:
            wrong.append(f"OMP_CANCELLATION={value}: {seen.end}, not 300000 tasks")
    return wrong


def ranks(machine: Machine, place: Place) -> list[str]:
    """Each process of a Slurm step, and each that PMIx numbers, has a recording of its own."""
    wrong = []
    for variables in ({"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": ""}, {"PMIX_RANK": ""}):
        place.make()
        for rank in ("0", "1"):
            own = {name: value or rank for name, value in variables.items()}
            seen = foretask(machine, place, ["record", "--out", "x", "--", *program(machine, "tasks:10")], own)
            if seen.end != "exit 0" or not (place.work / f"x.rank{rank}" / "run.json").exists():
                wrong.append(f"{list(variables)[-1]}: {seen.end}, no x.rank{rank}")
    return wrong


def processes(script: str, recorded: int, left_out: int, *options: str):
    """A shell script that runs PROGRAM several times: so many recordings beside run, and one report that counts all."""
    def check(machine: Machine, place: Place) -> list[str]:
        place.make()
        words = ["record", "--out", "run", *options, "--", "bash", "-c", script, *program(machine, "tasks:10")]
        seen = foretask(machine, place, words)
        folders = len(list(place.work.glob("run*")))
        done = subprocess.run([str(machine.foretask), "report", "--json", str(place.work / "run")], capture_output=True,
                              env=os.environ | {"FORETASK_CALIBRATE": "0"})
        shares = json.loads(done.stdout or "{}").get("processes") or {"list": [], "left_out": None}
        found = (seen.end, folders, len(shares["list"]), shares["left_out"])
        return [] if found == ("exit 3", recorded, recorded, left_out) else [
            f"end, folders, processes reported and left out are {found}"]
    return check


def little_room(machine: Machine, place: Place) -> list[str]:
    """The limit is too small for two threads: the message counts threads, not how often they asked."""
    wrong = []
    for cc in ("clang", "gcc"):
        place.make()
        words = ["record", "--out", "run", "--", *program(machine, "regions:400", "return:3", cc=cc)]
        seen = foretask(machine, place, words, {"FORETASK_MAX_BYTES": "20k"})
        counts = [int(number) for line in seen.said for number in re.findall(r"(\d+) threads?\b", line)]
        if seen.end != "exit 3" or not counts or max(counts) > 2:
            wrong.append(f"{cc}: {seen.end}, and {seen.said} is said of 2 threads")
    return wrong


def starpu(how: str, *mode: str, silent_about: str = ""):
    """A StarPU program ends as alone, and foretask does not say `silent_about`."""
    def check(machine: Machine, place: Place) -> list[str]:
        settings = {"STARPU_NCPU": "2", "STARPU_NCUDA": "0", "STARPU_NOPENCL": "0", "STARPU_SILENT": "1",
                    "STARPU_WORKERS_NOBIND": "1", "STARPU_HOME": str(place.now / "home")}
        place.make()
        seen = foretask(machine, place, [*mode, "--", machine.built("starpu_tasks"), how], settings)
        wrong = [line for line in seen.said if silent_about and silent_about in line]
        return wrong if seen.end == "exit 0" else [f"{seen.end}, {seen.said} is said"]
    return check


def told(part: str, words, mode: tuple[str, ...] = ("record", "--out", "run"), more: dict[str, str] = {},
         end: str = "exit 0"):
    """One line of foretask's has the text `part`. `words`: the command, of the machine."""
    def check(machine: Machine, place: Place) -> list[str]:
        place.make()
        seen = foretask(machine, place, [*mode, "--", *words(machine)], more)
        lines = [line for line in seen.said if part in line]
        return [] if seen.end == end and len(lines) == 1 else [f"{seen.end}, and {seen.said} is said"]
    return check


def closed_build(machine: Machine, place: Place) -> list[str]:
    """The program becomes another user, who may not read foretask's libraries, before it uses OpenMP."""
    if reason := machine.need("root"):
        raise Skip(reason)
    place.make()
    closed = place.root / "closed"
    for folder in ("bin", "lib"):
        (closed / folder).mkdir(parents=True, exist_ok=True)
    shutil.copy(machine.foretask, closed / "bin")
    for library in (machine.build / "lib").glob("libforetask*.so*"):
        shutil.copy(library, closed / "lib", follow_symlinks=False)
    closed.chmod(0o700)
    (place.now / "work").chmod(0o777)
    wrong = []
    for cc in ("clang", "gcc"):
        acts = program(machine, "setuid:65534", "tasks:10", "environment", cc=cc)
        seen = run(machine, place, [str(closed / "bin" / "foretask"), "record", "--out", cc, "--", *acts],
                   place.environment(2))
        if seen.end != "exit 0" or b"FORETASK=" in seen.out or not (place.work / cc / "run.json").exists():
            wrong.append(f"{cc}: {seen.end}, {seen.said or 'nothing'} is said, and it has foretask's environment: "
                         f"{b'FORETASK=' in seen.out}")
    shutil.rmtree(closed)
    return wrong


def no_child_signal(machine: Machine, place: Place) -> list[str]:
    """The program is started with SIGCHLD held back, and hears of no child that foretask had before."""
    wrong = []
    for cc in ("clang", "gcc"):
        place.make()
        done = subprocess.run([str(machine.foretask), "record", "--out", "run", "--", *program(machine, "pending", cc=cc)],
                              cwd=place.work, env=place.environment(2), stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=20, preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD]))
        if b"pending 0" not in done.stdout:
            wrong.append(f"{cc}: {done.stdout.decode().strip()}")
    return wrong


def exit_codes(machine: Machine, place: Place) -> list[str]:
    """What is recorded is what the parent sees."""
    wrong = []
    for given, kept in (("-1", 255), ("256", 0), ("255", 255)):
        place.make()
        seen = foretask(machine, place, ["record", "--out", "run", "--",
                                         *program(machine, "tasks:10", f"return:{given}")])
        code = json.loads((place.work / "run" / "run.json").read_text())["exit"]["code"]
        if seen.end != f"exit {kept}" or code != kept:
            wrong.append(f"after return {given}: {seen.end}, and {code} is recorded")
    return wrong


def started_by_env(machine: Machine, place: Place) -> list[str]:
    """The program that foretask becomes becomes another one."""
    place.make()
    words = program(machine, "tasks:10")
    foretask(machine, place, ["record", "--out", "run", "--", "env", "X=1", *words])
    command = json.loads((place.work / "run" / "run.json").read_text()).get("command")
    return [] if command == words else [f"the recorded command is {command}"]


def own_tool(machine: Machine, place: Place) -> list[str]:
    """The user's own OpenMP tool is asked, and the program recorded."""
    place.make()
    words = ["record", "--out", "run", "--", *program(machine, "tasks:10")]
    seen = foretask(machine, place, words, {"OMP_TOOL_LIBRARIES": machine.path("own_tool.so")})
    was_asked = (place.work / "own-tool-was-asked").exists()
    is_recorded = (place.work / "run" / "run.json").exists()
    return [] if seen.end == "exit 0" and was_asked and is_recorded else [
        f"{seen.end}, the user's own OMP_TOOL_LIBRARIES asked: {was_asked}, recorded: {is_recorded}"]


def own_new(machine: Machine, place: Place) -> list[str]:
    if reason := machine.need("own_new"):
        raise Skip(reason)
    wrong = []
    for mode in (["record", "--out", "run"], ["learn"]):
        place.make()
        plain = run(machine, place, [machine.path("own_new"), "5000"], place.environment(2))
        place.make()
        seen = foretask(machine, place, [*mode, "--", machine.path("own_new"), "5000"])
        wrong += [f"{mode[0]}: {text}" for text in compare(plain, seen)]
    return wrong


def newline(machine: Machine, place: Place) -> list[str]:
    place.make()
    name = "two\nlines"
    seen = foretask(machine, place, ["record", "--out", name, "--", *program(machine, "tasks:10")])
    if seen.end == "exit 1" and not seen.out:
        return [] if seen.said else ["refused without a word"]
    wrong = [] if (place.work / name / "run.json").exists() else ["there is no recording"]
    if seen.program_err:
        wrong.append("a line of standard error does not begin with foretask: " + repr(seen.program_err[:80]))
    return wrong


def error_text(machine: Machine, place: Place) -> list[str]:
    """What is in the way of a folder is said as it is."""
    wrong = []
    place.make()
    for out in ("n" * 300, "file/run", "loop/run"):
        (place.work / "file").write_text("")
        if not (place.work / "loop").is_symlink():
            (place.work / "loop").symlink_to("loop")
        seen = foretask(machine, place, ["record", "--out", out, "--", *program(machine, "tasks:10")])
        if seen.end != "exit 1" or seen.out or not seen.said:
            wrong.append(f"--out {out[:20]} is not refused")
        if b"is there already" in seen.err:
            wrong.append(f"--out {out[:20]}: says 'is there already', and it is not")
    return wrong


def cannot_search(machine: Machine, place: Place) -> list[str]:
    """As another user, below a folder that he may not search."""
    for need in ("root", "other user"):
        if reason := machine.need(need):
            raise Skip(reason)
    place.make(65534)
    (place.work / "closed").mkdir(mode=0o700)
    words = ["record", "--out", "closed/run", "--", *program(machine, "tasks:10")]
    seen = foretask(machine, place, words, options=["uid", "65534"])
    if b"is there already" in seen.err:
        return ["says 'is there already' of a path that cannot be searched"]
    return [] if seen.end == "exit 1" and seen.said else ["is not refused with a reason"]


def store_lock(machine: Machine, place: Place) -> list[str]:
    """Another process holds the store's lock."""
    place.make()
    words = ["learn", "--", *program(machine, "tasks:500", "return:3")]
    foretask(machine, place, words)
    locks = list((place.now / "store" / "models").rglob(".lock"))
    if not locks:
        return ["the store has no lock"]
    with open(locks[0]) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        seen = foretask(machine, place, words)
    wrong = []
    if seen.end != "exit 3":
        wrong.append(f"ended by '{seen.end}', not 'exit 3'")
    if seen.ms > 4000:
        wrong.append(f"the program's end took {seen.ms} ms longer")
    if any(line.startswith("foretask: learned") for line in seen.said):
        wrong.append("says 'learned', and nothing could be kept")
    return wrong


def command_line(machine: Machine, place: Place) -> list[str]:
    """The program overwrites its arguments before OpenMP starts, as getopt programs do that hide them."""
    place.make()
    words = program(machine, "overwrite", "tasks:10", "return:0")
    foretask(machine, place, ["record", "--out", "run", "--", *words])
    command = json.loads((place.work / "run" / "run.json").read_text()).get("command")
    return [] if command == words else [f"the recorded command is {command}"]


def wrong_field(machine: Machine, place: Place) -> list[str]:
    """One wrong field of run.json does not take the others away."""
    place.make()
    foretask(machine, place, ["record", "--out", "run", "--", *program(machine, "tasks:10")])
    path = place.work / "run" / "run.json"
    text = json.loads(path.read_text())
    size = path.stat().st_size
    text["job"] = 7
    path.write_text(json.dumps(text, indent=1).ljust(size))
    report, problem, said = report_of(machine, place.work / "run")
    if report is None:
        return [problem or said]
    return [] if report.get("program") else ["a wrong 'job' takes the program's name, the clock and the modules away"]


def without_doubt(name: str, *acts: str):
    """A program of GCC's ends with 3, and no event of its recording contradicts another one."""
    def check(machine: Machine, place: Place) -> list[str]:
        if reason := machine.need("gcc"):
            raise Skip(reason)
        words = [machine.path(name), *acts]
        place.make()
        seen = foretask(machine, place, ["record", "--out", "run", "--", *words],
                        {"OMP_CANCELLATION": "true"})
        report, problem, _ = report_of(machine, place.work / "run")
        if seen.end != "exit 3" or report is None:
            return [f"{seen.end}; {problem}"]
        return [text for text in report["warnings"] if "contradict" in text or "had not ended" in text]
    return check


def few_streams(machine: Machine, spec: ProgramCase, place: Place, seen: Observation) -> list[str]:
    """Threads that come one after the other have one stream."""
    count = len(list((place.work / "run").glob("stream_*")))
    return [] if count <= 20 else [f"{count} streams"]


def exit_is_known(machine: Machine, spec: ProgramCase, place: Place, seen: Observation) -> list[str]:
    """The recording may have no end, but exit() was called."""
    report, problem, _ = report_of(machine, place.work / "run")
    warnings = report["warnings"] if report else [problem or "there is no report"]
    return [text for text in warnings if "did not end in order (the program called exit()" not in text
            and "had not ended" not in text]


def not_a_full_disk(error: str, call: str):
    """What is no full disk is not called one, and is said."""

    def check(machine: Machine, spec: ProgramCase, place: Place, seen: Observation) -> list[str]:
        if any("disk is full" in line for line in seen.said):
            return [f"{error} of {call} is called a full disk"]
        folder = place.work / "run"
        report = report_of(machine, folder)[0] if folder.is_dir() else None
        if report and any("disk is full" in text for text in report["warnings"]):
            return [f"{error} of {call} is called a full disk in the report"]
        return []

    return check


def must_run(machine: Machine, spec: ProgramCase, place: Place, seen: Observation) -> list[str]:
    return [] if seen.out else [f"the program was not run: {' '.join(seen.said)}"]
