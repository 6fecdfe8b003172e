# SPDX-License-Identifier: Apache-2.0
"""Figures and the timeline of fixed runs look as they did: coarse pictures beside those of tests/golden/pages.

A picture is text: a letter a square of 16 pixels, from 0 (black) to z (white). FORETASK_UPDATE_PICTURES=1 writes them
anew; look at the page before.
"""

import os

from page_parts import see_all, settle

GOLDEN = os.path.join(os.path.dirname(__file__), '..', '..', 'golden', 'pages')
SQUARE = 16
LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz'
# Other fonts change the squares under words by some levels. A line that is missing or elsewhere changes more squares.
MOST_LEVELS = 1
MOST_SQUARES = 0.02

FIGURES = '''
  return [...document.querySelectorAll("figure > svg, #timeline-drawing canvas[tabindex]")].map((one) => {
    const box = one.getBoundingClientRect();
    const name = one.closest("[id]").id;
    return [name, {x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height}];
  }).filter(([, box]) => box.width > 0);'''
COARSE = '''
  const [data, square, letters] = given;
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const whole = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
  const columns = Math.round(whole.width / square), rows = Math.round(whole.height / square);
  const context = new OffscreenCanvas(whole.width, whole.height).getContext("2d", {willReadFrequently: true});
  context.drawImage(whole, 0, 0);
  const lines = [];
  for (let row = 0; row < rows; ++row) {
    let line = "";
    for (let column = 0; column < columns; ++column) {
      const {data} = context.getImageData(column * square, row * square, square, square);
      let sum = 0;
      for (let i = 0; i < data.length; i += 4) sum += data[i] + data[i + 1] + data[i + 2];
      line += letters[Math.min(letters.length - 1, Math.floor((sum / (data.length / 4 * 3) / 256) * letters.length))];
    }
    lines.push(line);
  }
  return lines;'''


def drawn(browser):
    """By name, the lines of each figure."""
    pictures = {}
    for name, box in browser.run(FIGURES):
        data = browser.devtools('Page.captureScreenshot', format='png', captureBeyondViewport=True,
                                clip={**box, 'scale': 1})['data']
        pictures[name] = browser.wait_for(COARSE, data, SQUARE, LETTERS)
    return pictures


def written(path):
    pictures, name = {}, None
    with open(path, encoding='ascii') as file:
        for line in file.read().splitlines():
            if line.endswith(':'):
                name = line[:-1]
                pictures[name] = []
            elif line:
                pictures[name].append(line)
    return pictures


def write(path, pictures):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='ascii') as file:
        file.write('\n'.join('\n'.join([name + ':', *lines, '']) for name, lines in pictures.items()))


def difference(before, now):
    """In words, or None."""
    if [len(line) for line in before] != [len(line) for line in now]:
        return f'{len(now)} rows of {len(now[0])} squares instead of {len(before)} of {len(before[0])}'
    pairs = [pair for lines in zip(before, now) for pair in zip(*lines)]
    other = sum(abs(LETTERS.index(a) - LETTERS.index(b)) > MOST_LEVELS for a, b in pairs)
    if other > MOST_SQUARES * len(pairs):
        return f'{other} of {len(pairs)} squares differ\n' + '\n'.join(now)
    return None


def check(browser, page):
    browser.resize(1600)
    browser.set_theme('light')
    browser.open(page.path)
    see_all(browser)
    settle(browser)
    now = drawn(browser)
    path = os.path.join(GOLDEN, page.name + '.txt')
    if os.environ.get('FORETASK_UPDATE_PICTURES'):
        write(path, now)
        return
    before = written(path)
    for name in before.keys() | now.keys():
        if name not in now or name not in before:
            yield f'{name}: is in one of both alone'
        elif words := difference(before[name], now[name]):
            yield f'{name}: {words}'
    # Lines that are missing would be seen.
    browser.run('for (const line of document.querySelectorAll("#speed-up-figure .line")) line.remove();')
    if not difference(before['speed-up-figure'], drawn(browser)['speed-up-figure']):
        yield 'speed-up-figure: nobody sees that its lines are missing'
