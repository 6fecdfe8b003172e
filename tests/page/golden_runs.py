# SPDX-License-Identifier: Apache-2.0
"""The runs whose pages are looked at: recorded anew, as the machine makes them, or with fixed times."""

import dataclasses
import os
import shutil
import subprocess

# Kernels may be called anything.
NAMES = ('<script>alert(1)</script>', '"><img src=x onerror=alert(2)>', '</style></svg></title><b>bold', "it's &lt; & \"so\"",
         'a' * 150, 'größe_λ_名前')


# With and without JavaScript.
SECTIONS = ('answer', 'workers', 'speed-up', 'what-if', 'strands', 'kernels', 'critical-path', 'origin')


@dataclasses.dataclass(frozen=True)
class Run:
    name: str
    program: str
    arguments: tuple = ()
    texts: tuple = ()  # what its page says, word for word
    sections: tuple = SECTIONS  # that its page has at least
    processes: int = 1  # the program runs so many times, one after the other


RUNS = (
    Run('tasks', 'sort_gcc', ('-n', '1000000', '-q', '8192', '-y', '8192')),
    Run('loops', 'stencil_gcc', ('-n', '600')),
    Run('dataflow', 'dataflow_cholesky'),
    Run('names', 'page_names', NAMES, NAMES[:4]),
    Run('processes', 'sort_gcc', ('-n', '100000'), ('3 processes were recorded.',), ('processes', *SECTIONS), 3),
)

# Written by fixed_runs.
FIXED = (Run('wide', 'fixed_runs'), Run('chain', 'fixed_runs'), Run('uneven', 'fixed_runs'))
# Of the first of them and the last one.
DIFFERENCE = Run('difference', 'fixed_runs', sections=('answer', 'totals', 'kernels', 'reading', 'origin'))


def page_of(run, folder):
    return os.path.join(folder, run.name + '.html')


def report_of(run, folder):
    return os.path.join(folder, run.name + '.json')


def missing(run, bin_folder):
    """Why it cannot be recorded, or None."""
    for program in ('foretask', run.program):
        if not os.access(os.path.join(bin_folder, program), os.X_OK):
            return f'bin/{program} was not built'
    return None


def record(run, bin_folder, folder):
    """Its recording, its page and its report as JSON, in `folder`."""
    recording = os.path.join(folder, run.name)
    for process in range(run.processes):
        shutil.rmtree(recording + (f'.{process + 1}' if process else ''), ignore_errors=True)
    foretask = os.path.join(bin_folder, 'foretask')
    environment = {**os.environ, 'OMP_NUM_THREADS': '2', 'FORETASK_CALIBRATE': '0'}
    shell = ['sh', '-c', '"$@"; ' * run.processes, 'sh'] if run.processes > 1 else []
    _call([foretask, 'record', '--out', recording, '--', *shell, os.path.join(bin_folder, run.program),
           *run.arguments], environment)
    _call([foretask, 'report', recording, '--html', page_of(run, folder)], environment)
    with open(report_of(run, folder), 'w', encoding='utf-8') as file:
        file.write(_call([foretask, 'report', recording, '--json'], environment))


def write_fixed(bin_folder, folder):
    """The fixed runs, their pages and the difference's, in `folder`."""
    for run in FIXED:
        shutil.rmtree(os.path.join(folder, run.name), ignore_errors=True)
    _call([os.path.join(bin_folder, 'fixed_runs'), folder], None)
    for run in FIXED:
        _call([os.path.join(bin_folder, 'foretask'), 'report', os.path.join(folder, run.name), '--html',
               page_of(run, folder)], None)
    _call([os.path.join(bin_folder, 'foretask'), 'diff', os.path.join(folder, FIXED[0].name),
           os.path.join(folder, FIXED[-1].name), '--html', page_of(DIFFERENCE, folder)], None)


def _call(command, environment):
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
