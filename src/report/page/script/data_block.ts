// SPDX-License-Identifier: Apache-2.0
// What the page brings along: JSON, packed by gzip and base64 (frame.cpp).

export async function readText(id: string): Promise<string | undefined> {
  const text = document.getElementById(id)?.textContent;
  if (!text) return undefined;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

export async function readBlock<T>(id: string): Promise<T | undefined> {
  const text = await readText(id);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

// Calls `show` once, when the element is near what the reader sees.
export function whenSeen(element: Element, show: () => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      show();
    },
    { rootMargin: "400px" },
  );
  observer.observe(element);
}
