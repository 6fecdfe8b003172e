# SPDX-License-Identifier: Apache-2.0
"""The page opens, asks for nothing, complains of nothing, and each of its views says something."""

from page_parts import WIDTHS, sections, see_all


def check(browser, page):
    for width in WIDTHS:
        browser.resize(width)
        browser.open(page.path)
        see_all(browser)
        found = sections(browser)
        ids = [section['id'] for section in found]
        for wanted in page.sections:
            if wanted not in ids:
                yield f'no section {wanted}'
        for section in found:
            if not section['title']:
                yield f"{section['id']}: no heading"
            if len(section['text']) <= len(section['title']):
                yield f"{section['id']}: no text below the heading"
    yield from texts(browser, page)


# Names are text: nothing of them became an element.
def texts(browser, page):
    body = browser.run('return document.body.textContent')
    for text in page.texts:
        if text not in body:
            yield f'the page does not say {text!r}'
    made = browser.run('''
      const all = [...document.querySelectorAll("img, b, script:not([type]):not(body > script)")];
      return all.filter((one) => one.localName !== "b" || one.textContent.startsWith("bold")).length;''')
    if made:
        yield f'{made} elements are made of names'
