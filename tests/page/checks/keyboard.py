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
    passed = []
    for _ in wanted:
        browser.press('Tab')
        element, outline = browser.run('''
          return [document.activeElement, getComputedStyle(document.activeElement).outlineStyle];''')
        passed.append(element)
        if outline == 'none':
            yield f'{name_of(browser, element)} does not show that it has the focus'
    for element in wanted:
        if element not in passed:
            yield f'{name_of(browser, element)} is not reached by the tab key'


# What a table has, and how it says to be sorted by a column.
ROWS = '''
  const [table, column] = arguments;
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map(
      (cell) => cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v)));
  return [rows, table.tHead.rows[0].cells[column].ariaSort];'''


def tables(browser):
    for table in browser.find_all('table:has(thead):has(tbody)'):
        if not browser.run('return arguments[0].checkVisibility()', table):
            continue
        before, _ = browser.run(ROWS, table, 0)
        buttons = browser.run('return [...arguments[0].tHead.rows[0].cells].map((one) => one.querySelector("button"))',
                              table)
        if len(before) < 2:
            continue
        for column, button in enumerate(buttons):
            if button is None:
                yield f'{name_of(browser, table)}: column {column} has no button'
                continue
            orders = []
            for _ in range(2):
                if not focus(browser, button):
                    yield f'{name_of(browser, button)} cannot have the focus'
                browser.press('Enter')
                after, said = browser.run(ROWS, table, column)
                if sorted(map(repr, after)) != sorted(map(repr, before)):
                    yield f'{name_of(browser, button)}: sorting changed the rows'
                if not is_sorted(browser, [row[column] for row in after], said):
                    yield f'{name_of(browser, button)}: the rows are not {said}'
                orders.append(said)
            if set(orders) != {'ascending', 'descending'}:
                yield f'{name_of(browser, button)} does not sort both ways'


def is_sorted(browser, values, order):
    if order == 'descending':
        values = values[::-1]
    elif order != 'ascending':
        return False
    if all(isinstance(value, (int, float)) for value in values):
        return values == sorted(values)
    # Words as the reader's language has them.
    return browser.run('''
      return arguments[0].every((one, i, all) => i === 0 || String(all[i - 1]).localeCompare(String(one)) <= 0);''',
                       values)


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
