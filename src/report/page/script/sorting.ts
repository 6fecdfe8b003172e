// SPDX-License-Identifier: Apache-2.0
// Tables whose columns' heads are buttons that sort by the column.

function keyOf(row: HTMLTableRowElement, column: number): number | string {
  const cell = row.cells[column];
  const value = cell?.dataset.v;
  return value === undefined ? (cell?.textContent ?? "") : Number(value);
}

// Words among numbers, as "-", are less than all of them.
function compare(a: number | string, b: number | string): number {
  if (typeof a === "string" && typeof b === "string") return a.localeCompare(b);
  if (typeof a === "string") return -1;
  return typeof b === "string" ? 1 : a - b;
}

// The first click sorts numbers with the largest first, and words from a to z.
function sortBy(table: HTMLTableElement, column: number): void {
  const head = table.tHead!.rows[0].cells[column];
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const isNumber = rows.some((row) => row.cells[column]?.dataset.v !== undefined);
  const before = head.getAttribute("aria-sort");
  const isDown = before === null ? isNumber : before === "ascending";
  for (const other of table.tHead!.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
  rows.sort((a, b) => (isDown ? -1 : 1) * compare(keyOf(a, column), keyOf(b, column)));
  body.append(...rows);
}

export function makeSortable(table: HTMLTableElement): void {
  const heads = table.tHead?.rows[0]?.cells ?? [];
  if ((table.tBodies[0]?.rows.length ?? 0) < 2) return;
  [...heads].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => sortBy(table, column));
    head.replaceChildren(button);
  });
}
