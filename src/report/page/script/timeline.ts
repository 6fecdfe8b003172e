// SPDX-License-Identifier: Apache-2.0
// View 6: the workers over time, to zoom and pan by pointer, keys and buttons.
import { axisTop } from "d3-axis";
import { scaleLinear } from "d3-scale";
import type { Scale } from "d3-scale";
import { event, select } from "d3-selection";
import { zoom, zoomIdentity, zoomTransform } from "d3-zoom";
import { readBlock, whenSeen } from "./data_block";
import { make, makeButton, makeSvg, oncePerFrame } from "./elements";
import { slotOf, themeNow } from "./kernel_paint";
import { instantText, timeText } from "./time_text";
import type { PackedTimeline, Timeline } from "./timeline_data";
import { kNamed, kNothing, unfold } from "./timeline_data";
import type { Choice, Layout } from "./timeline_paint";
import { TimelinePainter } from "./timeline_paint";

const kMostRowHeight = 40;
const kLeastRowHeight = 4;
const kHeight = 480; // of all rows, if they are not too many
const kMostHeight = 2400;
const kLabelHeight = 14;
const kAxisHeight = 24;
const kLeastNs = 20; // that the whole width shows

function rowHeight(workers: number): number {
  const wanted = Math.min(Math.max(kHeight / workers, kLeastRowHeight), kMostRowHeight);
  return Math.min(wanted, kMostHeight / workers);
}

class TimelineView {
  private readonly canvas: HTMLCanvasElement;
  private readonly axis: SVGElement;
  private readonly legend = make("p", { class: "legend" });
  private readonly stretch = make("p", { class: "shown" });
  private readonly words = make("p", { class: "live", "aria-live": "polite" });
  private readonly painter: TimelinePainter;
  private readonly whole: Scale;
  private readonly layout: Layout;
  private readonly behavior = zoom();
  private readonly redraw = oncePerFrame(() => this.paint());
  private theme = themeNow();
  private choice: Choice | undefined;
  private chosenWorker = 0;

  constructor(
    place: HTMLElement,
    private readonly timeline: Timeline,
  ) {
    const workers = timeline.rows.length;
    const height = rowHeight(workers);
    this.layout = { width: 1, rowHeight: height, rowGap: height >= 10 ? 3 : height >= 4 ? 1 : 0 };
    this.whole = scaleLinear().domain([timeline.from, timeline.to]);
    this.canvas = make("canvas", {
      tabindex: "0",
      role: "application",
      "aria-label": `Timeline of ${workers} workers`,
      "aria-describedby": "timeline-keys",
    });
    this.canvas.style.height = `${workers * height}px`;
    this.axis = makeSvg("svg", { class: "time-axis", "aria-hidden": "true" });
    const group = makeSvg("g", { transform: `translate(0 ${kAxisHeight - 1})` });
    this.axis.append(group);
    const tools = make(
      "p",
      { class: "tools" },
      makeButton("Zoom in", () => this.scaleBy(2)),
      makeButton("Zoom out", () => this.scaleBy(0.5)),
      makeButton("Earlier", () => this.pan(0.3)),
      makeButton("Later", () => this.pan(-0.3)),
      makeButton("Show all", () => this.showAll()),
    );
    const keys = make(
      "p",
      { class: "what", id: "timeline-keys" },
      "Drag to move. After a click into it, or with Ctrl, the wheel zooms. Keys: left and right move, + and - zoom, " +
        "Home shows all, up and down choose a worker, n and p its next and previous strand.",
    );
    const drawing = make("div", { class: "timeline" }, make("span", { class: "corner" }, "worker"), this.axis);
    drawing.append(this.labels(workers), this.canvas);
    place.replaceChildren(this.legend, tools, drawing, this.stretch, this.words, keys);
    this.painter = new TimelinePainter(this.canvas.getContext("2d")!, timeline);
    this.listen();
    this.fillLegend();
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
  }

  private labels(workers: number): HTMLElement {
    const column = make("div", { class: "labels", "aria-hidden": "true" });
    const step = Math.ceil(kLabelHeight / this.layout.rowHeight);
    for (let worker = 0; worker < workers; worker += step) {
      const label = make("span", {}, String(worker));
      label.style.height = `${this.layout.rowHeight * Math.min(step, workers - worker)}px`;
      column.append(label);
    }
    return column;
  }

  private listen(): void {
    const { canvas } = this;
    this.behavior
      .filter(() => {
        const now = event as MouseEvent;
        if (now.type === "wheel") return now.ctrlKey || document.activeElement === canvas;
        return !now.button && now.type !== "dblclick";
      })
      .on("zoom", () => this.redraw());
    select(canvas).call(this.behavior);
    canvas.style.touchAction = "pan-y";
    canvas.addEventListener("pointermove", (pointer) => {
      if (pointer.buttons === 0) this.point(pointer.offsetX, pointer.offsetY);
    });
    canvas.addEventListener("click", (click) => this.point(click.offsetX, click.offsetY));
    canvas.addEventListener("keydown", (key) => {
      if (key.ctrlKey || key.altKey || key.metaKey || !this.press(key.key)) return;
      key.preventDefault();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.theme = themeNow();
      this.fillLegend();
      this.redraw();
    });
  }

  private press(key: string): boolean {
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.pan(0.1),
      ArrowRight: () => this.pan(-0.1),
      ArrowUp: () => this.chooseWorker(-1),
      ArrowDown: () => this.chooseWorker(1),
      "+": () => this.scaleBy(1.5),
      "=": () => this.scaleBy(1.5),
      "-": () => this.scaleBy(1 / 1.5),
      Home: () => this.showAll(),
      n: () => this.chooseStrand(1),
      p: () => this.chooseStrand(-1),
    };
    actions[key]?.();
    return key in actions;
  }

  private scaleBy(factor: number): void {
    select(this.canvas).call(this.behavior.scaleBy, factor);
  }

  // By a part of the width.
  private pan(part: number): void {
    const { k } = zoomTransform(this.canvas);
    select(this.canvas).call(this.behavior.translateBy, (part * this.layout.width) / k, 0);
  }

  private showAll(): void {
    select(this.canvas).call(this.behavior.transform, zoomIdentity);
  }

  private scale(): Scale {
    return zoomTransform(this.canvas).rescaleX(this.whole);
  }

  private resize(): void {
    const { canvas, layout, timeline } = this;
    const width = canvas.clientWidth;
    if (width === 0) return;
    const transform = zoomTransform(canvas);
    const grown = width / layout.width;
    layout.width = width;
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(canvas.clientHeight * devicePixelRatio);
    const height = canvas.clientHeight;
    const most = Math.max((timeline.to - timeline.from) / kLeastNs, 1);
    this.whole.range([0, width]);
    this.behavior
      .extent([[0, 0], [width, height]])
      .translateExtent([[0, 0], [width, height]])
      .scaleExtent([1, most]);
    // What was shown stays.
    if (transform.k !== 1) {
      const kept = zoomIdentity.translate(transform.x * grown, 0).scale(transform.k);
      select(canvas).call(this.behavior.transform, kept);
    }
    this.paint();
  }

  private paint(): void {
    const { canvas, layout } = this;
    const scale = this.scale();
    const context = canvas.getContext("2d")!;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    this.painter.paint(scale, layout, this.theme, this.choice);
    const count = Math.max(2, Math.floor(layout.width / 110));
    const ticks = scale.ticks(count);
    const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
    select(this.axis.firstElementChild!).call(
      axisTop(scale)
        .ticks(count)
        .tickFormat((at) => instantText(at, step)),
    );
    this.keepLabelsWithin(layout.width);
    const [first, last] = scale.domain();
    const seconds = (at: number): string => (at / 1e9).toFixed(9).replace(/0+$/, "0");
    let words = `Shown: ${timeText(last - first)}, from ${instantText(first, step / 10)} on.`;
    if (this.timeline.binWidth > 0 && zoomTransform(canvas).k > 1)
      words += ` For each of its strands: --from ${seconds(first)} --to ${seconds(last)}.`;
    this.stretch.textContent = words;
  }

  // Those of ticks near the ends begin or end there.
  private keepLabelsWithin(width: number): void {
    const room = 30;
    for (const tick of this.axis.querySelectorAll(".tick")) {
      const x = Number(/translate\(([-\d.e]+)/.exec(tick.getAttribute("transform") ?? "")?.[1] ?? NaN);
      const anchor = x < room ? "start" : x > width - room ? "end" : "middle";
      tick.querySelector("text")?.setAttribute("text-anchor", anchor);
    }
  }

  private fillLegend(): void {
    const { kernels, rows } = this.timeline;
    const shown = new Set(rows.flatMap((row) => [...new Set([...row.strands.kernel, ...(row.kernel ?? [])])]));
    const entries = kernels.slice(0, kNamed).flatMap((name, rank) => (shown.has(rank) ? [this.key(name, rank)] : []));
    const others = kernels.filter((_, rank) => rank >= kNamed && (shown.has(rank) || shown.has(kNamed))).length;
    if (others > 0) entries.push(this.key(`${others} more kernels`, kNamed));
    this.legend.replaceChildren(...entries);
  }

  private key(name: string, rank: number): HTMLElement {
    const box = make("canvas", { class: "box", width: "24", height: "12", "aria-hidden": "true" });
    const context = box.getContext("2d")!;
    context.fillStyle = this.theme.kernels[slotOf(rank)];
    context.fillRect(0, 0, 24, 12);
    return make("span", { class: "key" }, box, name);
  }

  private point(x: number, y: number): void {
    const worker = Math.floor(y / this.layout.rowHeight);
    const row = this.timeline.rows[worker];
    if (!row) return;
    this.chosenWorker = worker;
    const at = this.scale().invert(x);
    const strand = row.strands.indexAt(at);
    if (strand >= 0) return this.chooseIndex(worker, strand);
    this.choice = undefined;
    this.words.textContent = this.gapWords(worker, at);
    this.redraw();
  }

  // Of an instant in which no strand is that is there exactly.
  private gapWords(worker: number, at: number): string {
    const { timeline } = this;
    const row = timeline.rows[worker];
    const idle = (begin: number, end: number): string =>
      `Worker ${worker}: no strand for ${timeText(end - begin)}, from ${this.instant(begin)} on.`;
    if (!row.busy) {
      const next = row.strands.firstAfter(at);
      const begin = next > 0 ? row.strands.end[next - 1] : timeline.from;
      const end = next < row.strands.count ? row.strands.begin[next] : timeline.to;
      return idle(begin, end);
    }
    const wait = row.waits!.indexAt(at);
    if (wait >= 0) return idle(row.waits!.begin[wait], row.waits!.end[wait]);
    const bin = Math.min(Math.floor((at - timeline.from) / timeline.binWidth), row.busy.length - 1);
    const share = Math.round((100 * row.busy[bin]) / timeline.binWidth);
    const kernel = row.kernel![bin];
    const most = kernel === kNothing ? "" : `, most of it in ${kernel < kNamed ? timeline.kernels[kernel] : "others"}`;
    const begin = this.instant(timeline.from + bin * timeline.binWidth);
    return `Worker ${worker}: ${share} % busy for ${timeText(timeline.binWidth)} from ${begin} on${most}.`;
  }

  private chooseIndex(worker: number, index: number): void {
    const { strands } = this.timeline.rows[worker];
    const begin = strands.begin[index];
    this.chosenWorker = worker;
    this.choice = { worker, begin, end: strands.end[index] };
    const name = this.timeline.kernels[strands.kernel[index]];
    this.words.textContent = `Worker ${worker}: ${name}, began at ${this.instant(begin)}, took ${timeText(strands.time(index))}.`;
    this.redraw();
  }

  // So precise as a pixel shows it.
  private instant(at: number): string {
    const [first, last] = this.scale().domain();
    return instantText(at, (last - first) / this.layout.width);
  }

  private moveToChoice(): void {
    if (!this.choice) return;
    const [first, last] = this.scale().domain();
    const at = (this.choice.begin + this.choice.end) / 2;
    if (at < first || at > last) this.pan(((first + last) / 2 - at) / (last - first));
  }

  private middle(): number {
    const [first, last] = this.scale().domain();
    if (this.choice && this.choice.end > first && this.choice.begin < last)
      return (Math.max(this.choice.begin, first) + Math.min(this.choice.end, last)) / 2;
    return (first + last) / 2;
  }

  private chooseWorker(step: number): void {
    const at = this.middle();
    const last = this.timeline.rows.length - 1;
    this.chosenWorker = Math.min(Math.max(this.chosenWorker + step, 0), last);
    const { strands } = this.timeline.rows[this.chosenWorker];
    if (strands.count === 0) this.words.textContent = `Worker ${this.chosenWorker}: no strand.`;
    else this.chooseIndex(this.chosenWorker, Math.min(strands.firstAfter(at), strands.count - 1));
    this.moveToChoice();
  }

  private chooseStrand(step: number): void {
    const { strands } = this.timeline.rows[this.chosenWorker];
    if (strands.count === 0) return;
    let index = strands.firstAfter(this.middle());
    if (this.choice?.worker === this.chosenWorker) index = strands.firstAfter(this.choice.begin) + step;
    index = Math.min(Math.max(index, 0), strands.count - 1);
    this.chooseIndex(this.chosenWorker, index);
    this.moveToChoice();
  }
}

export function showTimeline(): void {
  const place = document.getElementById("timeline-drawing");
  if (!place) return;
  place.replaceChildren(make("p", { class: "tools" }, "Unpacking the timeline ..."));
  whenSeen(place, async () => {
    try {
      const packed = await readBlock<PackedTimeline>("data-timeline");
      if (packed) new TimelineView(place, unfold(packed));
    } catch {
      place.replaceChildren(make("p", {}, "This browser cannot unpack the timeline."));
    }
  });
}
