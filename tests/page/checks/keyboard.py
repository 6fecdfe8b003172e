# SPDX-License-Identifier: Apache-2.0
"""What the page can do is done by the keyboard: opening, sorting, sliders, lists and buttons."""

from page_parts import open_details, see_all, settle

FOCUSABLE = 'a[href], button, input, select, summary, textarea, [tabindex="0"]'


def check(browser, page):
    browser.resize(1600)
    browser.open(page.path)
    see_all(browser)
    yield from details(browser)
    browser.open(page.path)  # where the tab key begins
    see_all(browser)
    open_details(browser)
    yield from reached(browser)
    yield from tables(browser)
    yield from controls(browser)


def focus(browser, element):
    """Whether it has it."""
    return browser.run('arguments[0].focus(); return document.activeElement === arguments[0];', element)


def name_of(browser, element):
    return browser.run('''
      const one = arguments[0];
      return `${one.closest("section")?.id}: ${one.localName} "${one.ariaLabel ?? one.textContent.trim().slice(0, 60)}"`;
      ''', element)


def details(browser):
    for summary in browser.find_all('summary'):
        was_open = browser.run('return arguments[0].parentElement.open', summary)
        if not focus(browser, summary):
            yield f'{name_of(browser, summary)} cannot have the focus'
            continue
        browser.press('Enter')
        settle(browser)
        if browser.run('return arguments[0].parentElement.open', summary) == was_open:
            yield f'{name_of(browser, summary)} does not open by Enter'
        if was_open:
            browser.press('Enter')


# The tab key comes by all that can be used, in the page's order, and shows where it is.
def reached(browser):
    wanted = browser.run('''
      return [...document.querySelectorAll(arguments[0])].filter(
          (one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0);''', FOCUSABLE)
    browser.run('''
      window.passed = [];
      document.addEventListener("keyup", () => {
        const one = document.activeElement;
        window.passed.push([one, getComputedStyle(one).outlineStyle]);
      });''')
    browser.press(*['Tab'] * len(wanted))
    passed = browser.run('return window.passed')
    for element, outline in passed:
        if outline == 'none':
            yield f'{name_of(browser, element)} does not show that it has the focus'
    elements = [element for element, _ in passed]
    for element in wanted:
        if element not in elements:
            yield f'{name_of(browser, element)} is not reached by the tab key'


# A table's number of rows, whether they are those of the first call, how it says to be sorted by a column, and whether
# it is. Words are sorted as the reader's language has them, before numbers.
ROWS = '''
  const [table, column] = arguments;
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map(
      (cell) => cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v)));
  const content = JSON.stringify(rows.map((row) => JSON.stringify(row)).sort());
  table.atFirst ??= content;
  const said = table.tHead.rows[0].cells[column].ariaSort;
  const values = rows.map((row) => row[column]);
  if (said === "descending") values.reverse();
  const words = values.filter((one) => typeof one === "string").sort((a, b) => a.localeCompare(b));
  const wanted = [...words, ...values.filter(Number.isFinite).sort((a, b) => a - b)];
  const isSorted = values.every((one, i) => one === wanted[i] || String(one).localeCompare(String(wanted[i])) === 0);
  return [rows.length, content === table.atFirst, said,
          isSorted && (said === "ascending" || said === "descending")];'''


def tables(browser):
    for table in browser.find_all('table:has(thead):has(tbody)'):
        if not browser.run('return arguments[0].checkVisibility()', table):
            continue
        count, *_ = browser.run(ROWS, table, 0)
        buttons = browser.run('return [...arguments[0].tHead.rows[0].cells].map((one) => one.querySelector("button"))',
                              table)
        if count < 2:
            continue
        for column, button in enumerate(buttons):
            if button is None:
                yield f'{name_of(browser, table)}: column {column} has no button'
                continue
            if not focus(browser, button):
                yield f'{name_of(browser, button)} cannot have the focus'
            orders = set()
            for _ in range(2):  # the focus stays where it is
                browser.press('Enter')
                _, has_its_rows, said, is_sorted = browser.run(ROWS, table, column)
                if not has_its_rows:
                    yield f'{name_of(browser, button)}: sorting changed the rows'
                if not is_sorted:
                    yield f'{name_of(browser, button)}: the rows are not {said}'
                orders.add(said)
            if orders != {'ascending', 'descending'}:
                yield f'{name_of(browser, button)} does not sort both ways'


# Whatever it does, the page goes on without a message (run.py), and a slider or a list moves.
def controls(browser):
    for slider in browser.find_all('input[type=range]'):
        focus(browser, slider)
        yield from moves(browser, slider, ('End', 'Home', 'End'))
    for choice in browser.find_all('select'):
        focus(browser, choice)
        if browser.run('return arguments[0].options.length > 1', choice):
            yield from moves(browser, choice, ('End', 'Home', 'End'))
    for region in browser.find_all('[tabindex="0"]'):
        if focus(browser, region):
            browser.press('Right', 'Left', 'Down', 'Up', '+', '-', 'Home', 'End')
            settle(browser)
    buttons = browser.run('''
      return [...document.querySelectorAll("button")].filter((one) => !one.closest("th") && one.checkVisibility());''')
    for button in buttons:
        if focus(browser, button):
            browser.press('Enter')
            settle(browser)


def moves(browser, element, keys):
    values = set()
    for key in keys:
        browser.press(key)
        settle(browser)
        values.add(browser.run('return arguments[0].value', element))
    if len(values) < 2:
        yield f'{name_of(browser, element)} does not move'
