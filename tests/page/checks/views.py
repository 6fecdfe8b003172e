# SPDX-License-Identifier: Apache-2.0
"""What single views can do beyond what the other checks ask of all of them.

CHECKS has, by a section's id, generators of faults in words. Each is called where the page has the section, with the
page open at 1600 pixels and the section in sight.
"""

from page_parts import settle

CHECKS = {}


def of_section(section):
    def add(function):
        CHECKS.setdefault(section, []).append(function)
        return function
    return add


@of_section('kernels')
def most_work_comes_first(browser):
    """The table is as its caption says before anything is sorted."""
    works = browser.run('''
      const table = document.querySelector("#kernels table");
      const column = [...table.tHead.rows[0].cells].findIndex((head) => head.textContent === "total");
      return [...table.tBodies[0].rows].map((row) => Number(row.cells[column].dataset.v));''')
    if works != sorted(works, reverse=True):
        yield f'the totals are {works}'


def check(browser, page):
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
            for fault in function(browser):
                yield f'{section}: {function.__name__}: {fault}'
