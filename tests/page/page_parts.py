# SPDX-License-Identifier: Apache-2.0
"""What checks do with any page: they go over what is in it, so that a new view is looked at as well."""

WIDTHS = (1600, 400)
THEMES = ('light', 'dark')


def settle(browser):
    """Until what the page does on its own, or was asked for, is drawn."""
    browser.wait_for('''
      for (let i = 0; i < 2; ++i) await new Promise((done) => requestAnimationFrame(done));
      await new Promise((done) => setTimeout(done, 0));''')


def see_all(browser):
    """Scrolls over the page: views may wait until they are seen."""
    browser.wait_for('''
      for (const section of document.querySelectorAll("section")) {
        section.scrollIntoView();
        for (let i = 0; i < 2; ++i) await new Promise((done) => requestAnimationFrame(done));
      }
      scrollTo(0, 0);''')
    settle(browser)


def open_details(browser):
    browser.run('for (const one of document.querySelectorAll("details")) one.open = true;')
    settle(browser)


def sections(browser):
    """Of each: id, title, text, and x, y, width and height within the page."""
    return browser.run('''
      return [...document.querySelectorAll("section")].map((section) => {
        const box = section.getBoundingClientRect();
        return {id: section.id, title: section.querySelector("h2")?.textContent.trim() ?? "",
                text: section.innerText.trim(),
                clip: {x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height}};
      });''')
