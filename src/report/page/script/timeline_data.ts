// SPDX-License-Identifier: Apache-2.0
// The timeline's data as the page brings it (timeline_data.cpp), unfolded.

interface PackedRow {
  gap: number[];
  length: number[];
  kernel?: number[];
  recording?: number[];
}

export interface PackedTimeline {
  from: number;
  to: number;
  kernels: string[];
  strands: PackedRow[];
  bins?: { width: number; workers: { busy: number[]; kernel: number[] }[] };
  waits?: PackedRow[];
}

// Pieces of a worker's time, in order.
export class Pieces {
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly kernel: number[];
  private readonly recording: number[];

  constructor(row: PackedRow, from: number) {
    const count = row.gap.length;
    this.begin = new Float64Array(count);
    this.end = new Float64Array(count);
    this.kernel = row.kernel ?? [];
    this.recording = row.recording ?? [];
    let at = from;
    for (let i = 0; i < count; ++i) {
      this.begin[i] = at + row.gap[i];
      this.end[i] = at = this.begin[i] + row.length[i];
    }
  }

  get count(): number {
    return this.begin.length;
  }

  // Without what recording took.
  time(index: number): number {
    return this.end[index] - this.begin[index] - (this.recording[index] ?? 0);
  }

  // The first that ends after `at`.
  firstAfter(at: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[middle] > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // The one that holds `at`, or -1.
  indexAt(at: number): number {
    const index = this.firstAfter(at);
    return index < this.count && this.begin[index] <= at ? index : -1;
  }
}

export interface WorkerRow {
  strands: Pieces;
  waits?: Pieces; // with bins only
  busy?: number[]; // by bin
  kernel?: number[];
}

export interface Timeline {
  from: number;
  to: number;
  kernels: string[];
  binWidth: number; // 0: every strand is there
  rows: WorkerRow[];
}

// Kernels beyond these are one in bins, and share a colour.
export const kNamed = 24;
export const kNothing = 255;

export function unfold(packed: PackedTimeline): Timeline {
  const { from, kernels, bins, waits } = packed;
  const to = Math.max(packed.to, from + 1); // so that there is a scale
  const rows = packed.strands.map((row, worker) => ({
    strands: new Pieces(row, from),
    waits: waits && new Pieces(waits[worker], from),
    busy: bins?.workers[worker].busy,
    kernel: bins?.workers[worker].kernel,
  }));
  return { from, to, kernels, binWidth: bins?.width ?? 0, rows };
}
