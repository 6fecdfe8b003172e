// SPDX-License-Identifier: Apache-2.0
// Colours of kernels by rank: Okabe and Ito's eight, again with one hatching and then with another; one grey for the
// rest. The style sheet has them by theme.
import { kNamed } from "./timeline_data";

const kColours = 8;
const kTile = 6; // pixels

export interface Theme {
  back: string;
  text: string;
  soft: string;
  line: string;
  link: string;
  kernels: (string | CanvasPattern)[]; // kNamed, and the rest's
}

function hatched(colour: string, back: string, isDown: boolean): CanvasPattern | string {
  const tile = document.createElement("canvas");
  tile.width = tile.height = kTile;
  const context = tile.getContext("2d")!;
  context.fillStyle = colour;
  context.fillRect(0, 0, kTile, kTile);
  context.strokeStyle = back;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const shift of [-kTile, 0, kTile]) {
    context.moveTo(shift, isDown ? 0 : kTile);
    context.lineTo(shift + kTile, isDown ? kTile : 0);
  }
  context.stroke();
  return context.createPattern(tile, "repeat") ?? colour;
}

export function themeNow(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const back = colour("back");
  const kernels: (string | CanvasPattern)[] = [];
  for (let rank = 0; rank < kNamed; ++rank) {
    const plain = colour(`kernel-${rank % kColours}`);
    kernels.push(rank < kColours ? plain : hatched(plain, back, rank >= 2 * kColours));
  }
  kernels.push(colour("nowork"));
  return { back, text: colour("text"), soft: colour("soft"), line: colour("line"), link: colour("link"), kernels };
}

export function slotOf(rank: number): number {
  return Math.min(rank, kNamed);
}
