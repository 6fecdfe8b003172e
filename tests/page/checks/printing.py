# SPDX-License-Identifier: Apache-2.0
"""On A4 nothing goes past the paper's edge, and the pages are few. Leaves the PDF to look at."""

import base64
import os
import re

from page_parts import see_all, settle

A4_INCHES = (8.27, 11.69)
TEXT_PIXELS = round((210 - 2 * 15) / 25.4 * 96)  # between the style sheet's margins
MOST_PAGES = 30
PAST_EDGE = '''
  return [...document.querySelectorAll("body *")].filter(
      (one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1).map(
      (one) => `${one.closest("section")?.id}: ${one.localName} "${one.textContent.trim().slice(0, 60)}"`);'''


def check(browser, page):
    browser.open(page.path)
    see_all(browser)
    browser.resize(TEXT_PIXELS)
    browser.devtools('Emulation.setEmulatedMedia', media='print')
    settle(browser)
    try:
        for one in browser.run(PAST_EDGE):
            yield f"{one} goes past the paper's edge"
        width, height = A4_INCHES
        pdf = base64.b64decode(browser.devtools('Page.printToPDF', paperWidth=width, paperHeight=height,
                                                preferCSSPageSize=True, printBackground=True)['data'])
    finally:
        browser.devtools('Emulation.setEmulatedMedia', media='')
    with open(os.path.join(page.pictures, page.name + '.pdf'), 'wb') as file:
        file.write(pdf)
    pages = len(re.findall(rb'/Type\s*/Page\b(?!s)', pdf))
    if not 1 <= pages <= MOST_PAGES:
        yield f'{pages} pages'
