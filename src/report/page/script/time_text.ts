// SPDX-License-Identifier: Apache-2.0
// Times in words, as the page's tables have them.

const kUnits: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "us"],
];

function unitOf(ns: number): [number, string] {
  return kUnits.find(([size]) => Math.abs(ns) >= size * 0.9995) ?? [1, "ns"];
}

// Three digits, as base::format_ns().
export function timeText(ns: number): string {
  const [size, name] = unitOf(ns);
  const value = ns / size;
  const digits = Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return size === 1 ? `${Math.round(ns)} ns` : `${value.toFixed(digits)} ${name}`;
}

// Instants `stepNs` apart, so precise that they differ.
export function instantText(ns: number, stepNs: number): string {
  const [size, name] = unitOf(Math.max(Math.abs(ns), stepNs));
  const digits = Math.max(0, Math.ceil(-Math.log10(stepNs / size) - 1e-9));
  return `${(ns / size).toFixed(size === 1 ? 0 : digits)} ${name}`;
}
