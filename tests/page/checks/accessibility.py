# SPDX-License-Identifier: Apache-2.0
"""axe-core finds no violation: https://github.com/dequelabs/axe-core"""

from page_parts import THEMES, WIDTHS, open_details, see_all, settle


def check(browser, page):
    for width in WIDTHS:
        browser.resize(width)
        browser.open(page.path)
        see_all(browser)
        open_details(browser)
        browser.run(page.axe)
        for theme in THEMES:
            browser.set_theme(theme)
            settle(browser)
            found = browser.wait_for('''
              const {violations} = await axe.run(document, {resultTypes: ["violations"]});
              return violations.flatMap(({id, help, nodes}) => nodes.map(
                  ({target, failureSummary}) => `${id}: ${help}: ${target.join(" ")}: ${failureSummary}`));''')
            for violation in found:
                yield f'{theme}, {width} pixels: {violation}'
