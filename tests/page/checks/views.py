# SPDX-License-Identifier: Apache-2.0
"""What single views can do beyond what the other checks ask of all of them.

CHECKS has, by a section's id, generators of faults in words. Each is called where the page has the section, with the
page open at 1600 pixels and the section in sight, and is given the browser and the page.
"""

import csv
import json
import os
import tempfile
import time

from golden_runs import SECTIONS
from page_parts import settle

CHECKS = {}


def of_section(section):
    def add(function):
        CHECKS.setdefault(section, []).append(function)
        return function
    return add


@of_section('kernels')
def most_work_comes_first(browser, _):
    """The table is as its caption says before anything is sorted."""
    works = browser.run('''
      const table = document.querySelector("#kernels table");
      const column = [...table.tHead.rows[0].cells].findIndex((head) => head.textContent === "total");
      return [...table.tBodies[0].rows].map((row) => Number(row.cells[column].dataset.v));''')
    if works != sorted(works, reverse=True):
        yield f'the totals are {works}'


def saved(browser, words, name, folder):
    """The text of the file that the button makes, by the keyboard: without the reader's act a browser refuses a second."""
    browser.run('[...document.querySelectorAll("#origin button")].find((one) => one.textContent === arguments[0]).focus();',
                words)
    browser.press('Enter')
    path = os.path.join(folder, name)
    for _ in range(100):
        if os.path.exists(path):  # it has another name until it is whole
            with open(path, encoding='utf-8', newline='') as file:
                return file.read()
        time.sleep(0.05)
    return None


@of_section('origin')
def data_is_saved(browser, page):
    """The report as the command line has it, and a table as the page shows it."""
    with tempfile.TemporaryDirectory() as folder:
        browser.devtools('Page.setDownloadBehavior', behavior='allow', downloadPath=folder)
        text = saved(browser, 'The report (JSON)', 'report.json', folder)
        with open(page.report, encoding='utf-8') as file:
            if text is None or json.loads(text) != json.load(file):
                yield 'report.json is not what report --json says'
        text = saved(browser, 'Kernels, most work first (CSV)', 'kernels-most-work-first.csv', folder)
        rows = browser.run('''
          return [...document.querySelector("#kernels table").rows].map((row) => [...row.cells].map(
              (cell) => cell.dataset.v ?? cell.textContent));''')
        if text is None or list(csv.reader(text.splitlines())) != rows:
            yield f'kernels-most-work-first.csv has {text!r}'


def check(browser, page):
    if page.sections != SECTIONS:  # no page of a recorded run
        return
    browser.resize(1600)
    for section, functions in CHECKS.items():
        for function in functions:
            browser.open(page.path)
            if not browser.run('''
              const section = document.getElementById(arguments[0]);
              section?.scrollIntoView();
              return section !== null;''', section):
                continue
            settle(browser)
            for fault in function(browser, page):
                yield f'{section}: {function.__name__}: {fault}'
