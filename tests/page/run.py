# SPDX-License-Identifier: Apache-2.0
"""usage: run.py record|CHECK|wrong --bin FOLDER --work FOLDER

record: records the golden runs and writes their pages into --work. CHECK: a file of checks/, on each page. wrong: each
check on a page in which it must find something.
Ends with 0 where all is well, 4 where nothing can be tested here, and says why.
"""

import argparse
import dataclasses
import importlib
import os
import sys
import tempfile

import axe_core
import browser
import golden_runs
import wrong_page

SKIPPED = 4  # as tests/skip.hpp


@dataclasses.dataclass(frozen=True)
class Page:
    name: str
    path: str
    report: str  # its run's report as JSON, where there is one
    texts: tuple
    sections: tuple
    pictures: str  # the folder for what people look at
    axe: str  # axe-core's script, where the check needs it


def skip(reason):
    print(f'skipped: {reason}')
    sys.exit(SKIPPED)


def record_all(options):
    os.makedirs(options.work, exist_ok=True)
    recorded = 0
    for run in golden_runs.RUNS:
        if os.path.exists(golden_runs.page_of(run, options.work)):
            os.remove(golden_runs.page_of(run, options.work))
        if reason := golden_runs.missing(run, options.bin):
            print(f'skipped: {run.name}: {reason}')
            continue
        golden_runs.record(run, options.bin, options.work)
        recorded += 1
    if not golden_runs.missing(golden_runs.FIXED[0], options.bin):
        golden_runs.write_fixed(options.bin, options.work)
    if recorded == 0:
        sys.exit(SKIPPED)


def faults_of(window, check, page):
    """Whatever is wrong: what the check finds, and what the browser notes beside."""
    window.console(), window.requests()
    yield from check(window, page)
    for message in window.console():
        yield f'the console says: {message}'
    for address in set(window.requests()):
        # blob: and data: are what the page itself holds.
        if address.partition('#')[0] != 'file://' + page.path and not address.startswith(('blob:', 'data:')):
            yield f'a request of {address}'


def check_named(name):
    return importlib.import_module('checks.' + name).check


def axe_of(options):
    return axe_core.fetch(os.path.join(options.work, 'npm'))


def check_all(options, window):
    axe = ''
    if options.check == 'accessibility':
        axe, reason = axe_of(options)
        if reason:
            skip(reason)
    looked_at = faults = 0
    runs = golden_runs.FIXED if options.check == 'pictures' else (*golden_runs.RUNS, golden_runs.DIFFERENCE)
    for run in runs:
        path = os.path.abspath(golden_runs.page_of(run, options.work))
        if not os.path.exists(path):
            continue
        looked_at += 1
        page = Page(run.name, path, golden_runs.report_of(run, options.work), run.texts, run.sections,
                    options.pictures, axe)
        for fault in faults_of(window, check_named(options.check), page):
            print(f'{run.name}: {fault}')
            faults += 1
    if looked_at == 0:
        skip('no page: none was recorded')
    print(f'{looked_at} pages, {faults} faults')
    return faults == 0


def check_wrong(options, window):
    axe, reason = axe_of(options)
    page = Page('wrong', wrong_page.PATH, '', wrong_page.TEXTS, golden_runs.SECTIONS, options.pictures, axe)
    all_found = True
    for name in wrong_page.FAULTS:
        if name == 'accessibility' and reason:
            continue
        faults = list(faults_of(window, check_named(name), page))
        for missed in wrong_page.missed(name, faults):
            print(f'{name} does not find: {missed}\n  but ' + '\n  '.join(faults))
            all_found = False
    return all_found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('check')
    parser.add_argument('--bin', required=True, help="where the build's programs are")
    parser.add_argument('--work', required=True, help='for recordings, pages and pictures')
    options = parser.parse_args()
    if options.check == 'record':
        record_all(options)
        return
    if reason := browser.missing():
        skip(reason)
    options.pictures = os.path.join(options.work, 'pictures')
    os.makedirs(options.pictures, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browser.Browser(folder) as window:
        is_well = (check_wrong if options.check == 'wrong' else check_all)(options, window)
    sys.exit(0 if is_well else 1)


if __name__ == '__main__':
    main()
