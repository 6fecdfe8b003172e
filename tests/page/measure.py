# SPDX-License-Identifier: Apache-2.0
"""How quickly pages open, and how smoothly they are used. usage: measure.py PAGE... [--repeats N]

Times of a headless Chromium on this machine, in ms. first paint, usable: since the page was asked for; usable is when
the script has run and something is drawn. slowest view: from scrolling to it to its frame. For each way
to use the page: 95 % of frames took at most p95; the longest task that kept the page from answering (0: none of 50 ms).
"""

import argparse
import statistics
import tempfile

import browser
from page_parts import open_details, settle

# Notes each frame and each long task until told to stop.
WATCH = '''
  const watch = {frames: [], tasks: [0], last: performance.now(), isOn: true};
  watch.observer = new PerformanceObserver((list) => watch.tasks.push(...list.getEntries().map((one) => one.duration)));
  watch.observer.observe({type: "longtask"});
  const note = (now) => {
    watch.frames.push(now - watch.last);
    watch.last = now;
    if (watch.isOn) requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
  window.watch = watch;'''
STOP = '''
  await new Promise((done) => setTimeout(done, 100));
  watch.isOn = false;
  watch.tasks.push(...watch.observer.takeRecords().map((one) => one.duration));
  watch.observer.disconnect();
  return [watch.frames.slice(1), Math.max(...watch.tasks)];'''


def opening(window, path):
    """First paint, usable, slowest view."""
    window.open(path)
    return window.wait_for('''
      const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0)));
      const painted = () => performance.getEntriesByName("first-paint")[0];
      do await frame(); while (!painted());
      const paint = painted().startTime;
      const end = performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd;
      let slowest = 0;
      for (const section of document.querySelectorAll("section")) {
        const begin = performance.now();
        section.scrollIntoView();
        slowest = Math.max(slowest, await frame() - begin);
      }
      return [paint, Math.max(paint, end), slowest];''')


def sort(window):
    window.wait_for('''
      for (const button of document.querySelectorAll("th button")) {
        button.click();
        await new Promise((done) => requestAnimationFrame(done));
      }''')


def slide(window):
    sliders = window.find_all('input[type=range]')
    for slider in sliders:
        window.run('arguments[0].focus()', slider)
        window.press(*(['Home'] + ['Right'] * 20))
    return len(sliders) > 0


def zoom(window):
    for x, y in figures(window):
        for step in range(20):
            window.devtools('Input.dispatchMouseEvent', type='mouseWheel', x=x, y=y, deltaX=0,
                            deltaY=-120 if step < 12 else 120)


def pan(window):
    for x, y in figures(window):
        window.devtools('Input.dispatchMouseEvent', type='mousePressed', x=x, y=y, button='left', clickCount=1)
        for step in range(20):
            window.devtools('Input.dispatchMouseEvent', type='mouseMoved', x=x + 5 * step, y=y, button='left')
        window.devtools('Input.dispatchMouseEvent', type='mouseReleased', x=x + 100, y=y, button='left', clickCount=1)


def figures(window):
    """The middle of each, when it has been scrolled to."""
    for figure in window.find_all('figure svg, canvas'):
        box = window.run('''
          arguments[0].scrollIntoView({block: "center"});
          const box = arguments[0].getBoundingClientRect();
          return arguments[0].checkVisibility() ? [box.x + box.width / 2, box.y + box.height / 2] : null;''', figure)
        if box:
            yield box


def use(window, path, way):
    """The frames' number and 0.95 quantile, and the longest task; None where there is nothing to use."""
    window.open(path)
    open_details(window)
    settle(window)
    window.run(WATCH)
    if way(window) is False:
        return None
    frames, longest = window.wait_for(STOP)
    return len(frames), statistics.quantiles(frames, n=20)[-1], longest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('pages', nargs='+', metavar='PAGE')
    parser.add_argument('--repeats', type=int, default=5)
    options = parser.parse_args()
    if reason := browser.missing():
        raise SystemExit(reason)
    with tempfile.TemporaryDirectory() as folder, browser.Browser(folder) as window:
        window.resize(1600)
        print(f"{'page':40} {'first paint':>12} {'usable':>12} {'slowest view':>12}   medians of {options.repeats}")
        for path in options.pages:
            runs = [opening(window, path) for _ in range(options.repeats)]
            print(f'{path[-40:]:40} ' + ' '.join(f'{statistics.median(times):12.0f}' for times in zip(*runs)))
        print(f"\n{'page':40} {'use':>8} {'frames':>8} {'p95':>8} {'longest task':>13}")
        for path in options.pages:
            for way in (sort, slide, zoom, pan):
                if times := use(window, path, way):
                    frames, p95, longest = times
                    print(f'{path[-40:]:40} {way.__name__:>8} {frames:8} {p95:8.1f} {longest:13.0f}')


if __name__ == '__main__':
    main()
