// SPDX-License-Identifier: Apache-2.0
// The page's data as files: the report as JSON, each table as CSV.
import { readText } from "./data_block";
import { make, makeButton } from "./elements";

function save(name: string, kind: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  make("a", { href: address, download: name }).click();
  // Later: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// RFC 4180. Numbers as they are, without units.
function csvOf(table: HTMLTableElement): string {
  const cell = (one: HTMLTableCellElement): string => {
    const text = one.dataset.v ?? one.textContent ?? "";
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [...table.rows].map((row) => [...row.cells].map(cell).join(",") + "\r\n").join("");
}

export function showDownloads(): void {
  const section = document.getElementById("origin");
  if (!section) return;
  const list = make("ul");
  const add = (words: string, action: () => void) => list.append(make("li", {}, makeButton(words, action)));
  if (document.getElementById("data-report"))
    add("The report (JSON)", async () => save("report.json", "application/json", (await readText("data-report"))!));
  for (const table of document.querySelectorAll("table")) {
    const words = table.caption?.textContent ?? "table";
    const name = words.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    add(`${words} (CSV)`, () => save(`${name}.csv`, "text/csv", csvOf(table)));
  }
  const words = "The report as foretask report --json prints it, and this page's tables: times in ns, shares from 0 to 1.";
  section.append(make("div", { class: "downloads" }, make("h3", {}, "Data to download"), make("p", {}, words), list));
}
