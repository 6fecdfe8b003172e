// SPDX-License-Identifier: Apache-2.0
// Of d3's modules what the page uses (d3-selection 1.4, d3-scale 2.2, d3-axis 1.0, d3-zoom 1.8).
declare module "d3-selection" {
  export interface Selection {
    call<Rest extends unknown[]>(action: (selection: Selection, ...rest: Rest) => unknown, ...rest: Rest): this;
  }
  export function select(element: Element): Selection;
  export const event: Event;  // that d3 handles just now
}

declare module "d3-scale" {
  export interface Scale {
    (value: number): number;
    domain(ends: [number, number]): this;
    domain(): [number, number];
    range(ends: [number, number]): this;
    invert(place: number): number;
    ticks(count: number): number[];
  }
  export function scaleLinear(): Scale;
  export function scaleLog(): Scale;
}

declare module "d3-axis" {
  import type { Scale } from "d3-scale";
  import type { Selection } from "d3-selection";
  export interface Axis {
    (selection: Selection): void;
    ticks(count: number): this;
    tickFormat(format: (value: number) => string): this;
  }
  export function axisTop(scale: Scale): Axis;
}

declare module "d3-zoom" {
  import type { Scale } from "d3-scale";
  import type { Selection } from "d3-selection";
  type Box = [[number, number], [number, number]];
  export interface Transform {
    readonly k: number;
    readonly x: number;
    rescaleX(scale: Scale): Scale;
    translate(x: number, y: number): Transform;
    scale(k: number): Transform;
  }
  export const zoomIdentity: Transform;
  export function zoomTransform(element: Element): Transform;
  export interface Zoom {
    (selection: Selection): void;
    filter(accepts: () => boolean): this;
    scaleExtent(ends: [number, number]): this;
    extent(box: Box): this;
    translateExtent(box: Box): this;
    on(event: "zoom", listener: () => void): this;
    transform(selection: Selection, transform: Transform): void;
    scaleBy(selection: Selection, factor: number): void;
    translateBy(selection: Selection, x: number, y: number): void;
  }
  export function zoom(): Zoom;
}
