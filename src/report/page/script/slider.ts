// SPDX-License-Identifier: Apache-2.0
// View 4's slider: a kernel, how many times as fast, on how many cores. The curve of view 3 moves in a copy beside it.
import { scaleLinear, scaleLog } from "d3-scale";
import type { Scale } from "d3-scale";
import { readBlock, whenSeen } from "./data_block";
import { make, makeSvg, oncePerFrame } from "./elements";
import { timeText } from "./time_text";

interface Grid {
  work: number;
  kernels: string[];
  factors: number[]; // ascending
  cores: number[];
  base: number[]; // ns, by cores
  makespans: number[]; // ns, by kernel, factor and cores
}

// A copy of the speed-up's figure whose vertical axis has room for every curve, and one curve more.
class MovingCurve {
  readonly figure: HTMLElement;
  private readonly curve: SVGElement;
  private readonly mark: SVGElement;
  private readonly x: Scale;
  private readonly y: Scale;

  constructor(original: HTMLElement, fastest: number) {
    const figure = original.cloneNode(true) as HTMLElement;
    figure.removeAttribute("id");
    this.figure = figure;
    const svg = figure.querySelector("svg")!;
    const numbers = (name: string): number[] => svg.dataset[name]!.split(" ").map(Number);
    const [left, top, right, bottom] = numbers("frame");
    const [xFirst, xLast] = numbers("x");
    const [yFirst, yLast] = numbers("y");
    this.x = scaleLog().domain([xFirst, Math.max(xLast, xFirst * 1.001)]).range([left, right]);
    const before = scaleLinear().domain([yFirst, yLast]).range([bottom, top]);
    this.y = scaleLinear().domain([yFirst, Math.max(yLast, fastest * 1.05)]).range([bottom, top]);
    const moved = (place: string): string => this.y(before.invert(Number(place))).toFixed(1);
    for (const path of svg.querySelectorAll(".line, .band")) {
      const places = path.getAttribute("d")!;
      path.setAttribute("d", places.replace(/([ML][\d.]+) ([\d.]+)/g, (_, x: string, y: string) => `${x} ${moved(y)}`));
    }
    for (const point of svg.querySelectorAll("circle")) point.setAttribute("cy", moved(point.getAttribute("cy")!));
    for (const old of svg.querySelectorAll(".grid, .grid + text, .line.changed")) old.remove();
    for (const at of this.y.ticks(6)) {
      const y = this.y(at);
      svg.prepend(makeSvg("path", { class: "grid", d: `M${left} ${y}H${right}` }));
      const label = makeSvg("text", { class: "end", x: String(left - 6), y: String(y + 4) });
      label.textContent = String(at);
      svg.append(label);
    }
    this.curve = makeSvg("path", { class: "line changed" });
    this.mark = makeSvg("circle", { class: "point changed", r: "6" });
    svg.append(this.curve, this.mark);
  }

  show(words: string, cores: number[], speeds: number[], chosen: number): void {
    const places = speeds.map((speed, i) => `${this.x(cores[i]).toFixed(1)} ${this.y(speed).toFixed(1)}`);
    this.curve.setAttribute("d", `M${places.join("L")}`);
    this.mark.setAttribute("cx", String(this.x(cores[chosen])));
    this.mark.setAttribute("cy", String(this.y(speeds[chosen])));
    const svg = this.figure.querySelector("svg")!;
    svg.setAttribute("aria-label", words);
    const key = this.figure.querySelector(".key .line.changed")?.closest(".key");
    if (key) key.lastChild!.textContent = "with the change below";
  }
}

function range(count: number, value: number): HTMLInputElement {
  return make("input", { type: "range", min: "0", max: String(count - 1), step: "1", value: String(value) });
}

function build(place: HTMLElement, grid: Grid): void {
  const factors = [1, ...grid.factors];
  const kernel = make("select", {}, ...grid.kernels.map((name, i) => make("option", { value: String(i) }, name)));
  const twice = factors.indexOf(2);
  const factor = range(factors.length, twice >= 0 ? twice : factors.length - 1);
  const cores = range(grid.cores.length, grid.cores.length - 1);
  const sentence = make("p", { class: "lead", "aria-live": "polite" });
  const makespan = (point: number): number => {
    const step = Number(factor.value);
    if (step === 0) return grid.base[point];
    const row = Number(kernel.value) * grid.factors.length + step - 1;
    return grid.makespans[row * grid.cores.length + point];
  };
  // First the kernel that is worth most.
  const gained = grid.kernels.map((_, i) => {
    kernel.value = String(i);
    return grid.base[grid.base.length - 1] - makespan(grid.cores.length - 1);
  });
  kernel.value = String(gained.indexOf(Math.max(...gained)));
  const original = document.getElementById("speed-up-figure");
  const curve = original && new MovingCurve(original, grid.work / Math.min(...grid.base, ...grid.makespans));
  const factorWords = make("output");
  const coresWords = make("output");
  const update = oncePerFrame(() => {
    const point = Number(cores.value);
    const times = factors[Number(factor.value)];
    const count = grid.cores[point] === 1 ? "1 core" : `${grid.cores[point]} cores`;
    factorWords.textContent = `${times} times as fast`;
    coresWords.textContent = count;
    factor.setAttribute("aria-valuetext", factorWords.textContent);
    cores.setAttribute("aria-valuetext", count);
    const before = grid.base[point];
    const after = makespan(point);
    const name = grid.kernels[Number(kernel.value)];
    const words =
      times === 1
        ? `As it is: ${timeText(before)} on ${count}.`
        : `${name} ${times === 2 ? "twice" : `${times} times`} as fast: ${timeText(after)} on ${count} instead of ` +
          `${timeText(before)}, ${(before / after).toFixed(2)} times as fast.`;
    sentence.textContent = words;
    const speeds = grid.cores.map((_, i) => grid.work / makespan(i));
    curve?.show(words, grid.cores, speeds, point);
  });
  const form = make(
    "div",
    { class: "slider" },
    make("label", {}, "Kernel ", kernel),
    make("label", {}, "Factor ", factor, factorWords),
    make("label", {}, "Cores ", cores, coresWords),
  );
  for (const input of [kernel, factor, cores]) input.addEventListener("input", update);
  place.replaceChildren(...(curve ? [curve.figure] : []), form, sentence);
  update();
}

export function showSlider(): void {
  const place = document.getElementById("what-if-slider");
  if (!place) return;
  whenSeen(place, async () => {
    const grid = await readBlock<Grid>("data-what-if");
    if (grid) build(place, grid);
  });
}
