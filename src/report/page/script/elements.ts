// SPDX-License-Identifier: Apache-2.0
// Elements of the page, with words that are only ever text.

export function make<K extends keyof HTMLElementTagNameMap>(
  kind: K,
  attributes: Record<string, string> = {},
  ...inside: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
}

export function makeSvg(kind: string, attributes: Record<string, string> = {}): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

export function makeButton(words: string, action: () => void): HTMLButtonElement {
  const button = make("button", { type: "button", class: "tool" }, words);
  button.addEventListener("click", action);
  return button;
}

// Runs `action` in the next frame, once however often it is asked.
export function oncePerFrame(action: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      action();
    });
  };
}
