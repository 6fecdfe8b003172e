// SPDX-License-Identifier: Apache-2.0
// What the page can do beyond showing: it is complete without.
import { makeSortable } from "./sorting";

for (const table of document.querySelectorAll("table")) makeSortable(table);
