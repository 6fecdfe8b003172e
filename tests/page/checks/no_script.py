# SPDX-License-Identifier: Apache-2.0
"""Without JavaScript the page has its views, with their tables and figures."""

from page_parts import sections

FIGURES = ('workers', 'speed-up', 'strands', 'kernels')
TABLES = ('workers', 'speed-up', 'what-if', 'strands', 'totals', 'kernels')


def check(browser, page):
    browser.resize(1600)
    browser.devtools('Emulation.setScriptExecutionDisabled', value=True)
    try:
        browser.open(page.path)
        found = sections(browser)
        if browser.run('return document.querySelectorAll("th button").length'):
            yield 'the script has run'
        ids = [section['id'] for section in found]
        for wanted in page.sections:
            if wanted not in ids:
                yield f'no section {wanted}'
        for section in found:
            if len(section['text']) <= len(section['title']):
                yield f"{section['id']}: no text below the heading"
        for wanted, elements in ((FIGURES, 'svg'), (TABLES, 'tbody tr')):
            for view in set(wanted) & set(page.sections):
                if not browser.find_all(f'#{view} {elements}'):
                    yield f'{view}: no {elements}'
    finally:
        browser.devtools('Emulation.setScriptExecutionDisabled', value=False)
