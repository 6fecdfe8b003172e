# SPDX-License-Identifier: Apache-2.0
"""Nothing lies on something else, is cut off or is too small to read. Leaves pictures of each section to look at."""

import os

from page_parts import THEMES, WIDTHS, open_details, sections, see_all

SMALLEST_LETTERS = 9  # pixels
# In words: what is wrong in the page as it is drawn.
FAULTS = '''
  const [smallest] = arguments;
  const faults = [];
  const say = (one, what) => {
    const words = one.textContent.trim().slice(0, 60);
    faults.push(`${one.closest("section")?.id ?? "page"}: ${one.localName} "${words}" ${what}`);
  };
  const isShown = (one) => one.checkVisibility() && one.getClientRects().length > 0;
  const areOver = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;

  if (document.scrollingElement.scrollWidth > innerWidth)
    faults.push(`the page is ${document.scrollingElement.scrollWidth} pixels wide, the window ${innerWidth}`);

  const blocks = [...document.querySelectorAll("header, section")];
  for (const [i, one] of blocks.entries())
    for (const other of blocks.slice(i + 1))
      if (areOver(one.getBoundingClientRect(), other.getBoundingClientRect())) say(one, `lies on ${other.id}`);

  const texts = "h1, h2, h3, h4, p, li, figcaption, summary, caption, th, td, button, label, output, dt, dd";
  for (const one of document.querySelectorAll(texts)) {
    if (!isShown(one)) continue;
    if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline") say(one, "is cut off");
    if (parseFloat(getComputedStyle(one).fontSize) < smallest) say(one, "has small letters");
  }
  // Outside of what scrolls, nothing goes past the window.
  for (const one of document.querySelectorAll("body *")) {
    const box = one.getBoundingClientRect();
    if (isShown(one) && box.right > innerWidth + 1 && !one.closest(".scroll, pre, [data-scrolls]"))
      say(one, "goes past the window");
  }

  for (const figure of document.querySelectorAll("svg")) {
    if (!isShown(figure)) continue;
    const frame = figure.getBoundingClientRect();
    const labels = [...figure.querySelectorAll("text")].filter((one) => isShown(one) && one.textContent.trim());
    // Without the room above and below letters, which may overlap.
    const boxes = labels.map((one) => {
      const box = one.getBoundingClientRect();
      return {left: box.left, right: box.right, top: box.top + box.height / 5, bottom: box.bottom - box.height / 5};
    });
    for (const [i, label] of labels.entries()) {
      const box = boxes[i];
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
          box.bottom > frame.bottom + 1)
        say(label, `goes past its figure ${figure.ariaLabel ?? ""}`);
      const scale = Math.hypot(label.getScreenCTM().a, label.getScreenCTM().b);
      const letters = parseFloat(getComputedStyle(label).fontSize) * scale;
      if (letters < smallest) say(label, `has letters of ${letters.toFixed(1)} pixels`);
      for (let j = i + 1; j < labels.length; ++j)
        if (areOver(box, boxes[j])) say(label, `lies on "${labels[j].textContent}"`);
    }
  }
  return faults;'''


def check(browser, page):
    for width in WIDTHS:
        browser.resize(width)
        browser.open(page.path)
        see_all(browser)
        for theme in THEMES:
            browser.set_theme(theme)
            for section in sections(browser):
                name = f"{page.name}-{section['id']}-{width}-{theme}.png"
                browser.screenshot(os.path.join(page.pictures, name), section['clip'])
        browser.set_theme('light')
        for fault in browser.run(FAULTS, SMALLEST_LETTERS):
            yield f'{width} pixels: {fault}'
        open_details(browser)
        for fault in browser.run(FAULTS, SMALLEST_LETTERS):
            yield f'{width} pixels, all open: {fault}'
