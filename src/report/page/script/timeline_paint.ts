// SPDX-License-Identifier: Apache-2.0
// Draws the visible part of a timeline: pieces of at least a pixel as they are, the others together, in columns a pixel
// wide and as high as their busy share.
import type { Scale } from "d3-scale";
import type { Theme } from "./kernel_paint";
import { slotOf } from "./kernel_paint";
import type { Pieces, Timeline, WorkerRow } from "./timeline_data";
import { kNamed, kNothing } from "./timeline_data";

export interface Layout {
  width: number;
  rowHeight: number;
  rowGap: number;
}

export interface Choice {
  worker: number;
  begin: number;
  end: number;
}

// A piece: left end and width in pixels, busy share, and the slot of its colour.
type Draw = (x: number, width: number, share: number, slot: number) => void;

// Sums up what is narrower than a pixel, from left to right.
class Column {
  private readonly sums = new Float64Array(kNamed + 1);
  private at = -1;
  private total = 0;

  constructor(private readonly draw: Draw) {}

  add(x: number, width: number, slot: number): void {
    const at = Math.floor(x);
    if (at !== this.at) {
      this.flush();
      this.at = at;
    }
    this.sums[slot] += width;
    this.total += width;
  }

  flush(): void {
    if (this.total > 0) {
      let most = 0;
      for (let slot = 1; slot < this.sums.length; ++slot) if (this.sums[slot] > this.sums[most]) most = slot;
      this.draw(this.at, 1, Math.min(this.total, 1), most);
    }
    this.sums.fill(0);
    this.total = 0;
  }
}

export class TimelinePainter {
  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly timeline: Timeline,
  ) {}

  paint(scale: Scale, layout: Layout, theme: Theme, choice: Choice | undefined): void {
    const { context, timeline } = this;
    context.clearRect(0, 0, layout.width, timeline.rows.length * layout.rowHeight);
    timeline.rows.forEach((row, worker) => {
      const top = worker * layout.rowHeight;
      const height = layout.rowHeight - layout.rowGap;
      const draw: Draw = (x, width, share, slot) => {
        context.fillStyle = theme.kernels[slot];
        context.fillRect(x, top + height * (1 - share), width, height * share);
      };
      context.fillStyle = theme.line;
      context.fillRect(0, top + height, layout.width, Math.min(layout.rowGap, 1));
      if (row.busy) this.paintBins(row, scale, layout.width, draw);
      const least = row.busy ? 2 : 1; // of bins only what stands out
      if (row.waits) this.paintWaits(row.waits, scale, layout.width, top, height);
      this.paintStrands(row.strands, scale, layout.width, least, row.busy === undefined, draw);
    });
    if (choice) this.paintChoice(choice, scale, layout, theme);
  }

  private paintBins(row: WorkerRow, scale: Scale, width: number, draw: Draw): void {
    const { from, binWidth } = this.timeline;
    const [first, last] = scale.domain();
    const begin = Math.max(0, Math.floor((first - from) / binWidth));
    const end = Math.min(row.busy!.length, Math.ceil((last - from) / binWidth));
    const pixels = (width * binWidth) / (last - first);
    const column = new Column(draw);
    for (let bin = begin; bin < end; ++bin) {
      const kernel = row.kernel![bin];
      if (kernel === kNothing) continue;
      const share = row.busy![bin] / binWidth;
      const x = scale(from + bin * binWidth);
      if (pixels < 1) column.add(Math.max(x, 0), share * pixels, slotOf(kernel));
      else draw(x, pixels, Math.min(share, 1), slotOf(kernel));
    }
    column.flush();
  }

  private paintWaits(waits: Pieces, scale: Scale, width: number, top: number, height: number): void {
    const [first, last] = scale.domain();
    for (let i = waits.firstAfter(first); i < waits.count && waits.begin[i] < last; ++i) {
      const left = Math.max(scale(waits.begin[i]), 0);
      const right = Math.min(scale(waits.end[i]), width);
      if (right - left >= 2) this.context.clearRect(left, top, right - left, height);
    }
  }

  private paintStrands(
    strands: Pieces,
    scale: Scale,
    width: number,
    least: number,
    isWhole: boolean,
    draw: Draw,
  ): void {
    const [first, last] = scale.domain();
    const column = new Column(draw);
    for (let i = strands.firstAfter(first); i < strands.count && strands.begin[i] < last; ++i) {
      const left = Math.max(scale(strands.begin[i]), 0);
      const right = Math.min(scale(strands.end[i]), width);
      const slot = slotOf(strands.kernel[i]);
      // A line apart, so that strands that follow each other are seen as several.
      if (right - left >= least) draw(left, right - left >= 4 ? right - left - 0.5 : right - left, 1, slot);
      else if (isWhole) column.add(left, right - left, slot);
    }
    column.flush();
  }

  private paintChoice(choice: Choice, scale: Scale, layout: Layout, theme: Theme): void {
    const left = Math.max(scale(choice.begin), -2);
    const right = Math.min(scale(choice.end), layout.width + 2);
    if (right < 0 || left > layout.width) return;
    const { context } = this;
    context.lineWidth = 2;
    context.strokeStyle = theme.text;
    const top = choice.worker * layout.rowHeight + 1;
    context.strokeRect(left, top, Math.max(right - left, 2), layout.rowHeight - layout.rowGap - 2);
  }
}
