// SPDX-License-Identifier: Apache-2.0
// What the page can do beyond showing: it is complete without.
import { showDownloads } from "./downloads";
import { showSlider } from "./slider";
import { makeSortable } from "./sorting";
import { showTimeline } from "./timeline";

for (const table of document.querySelectorAll("table")) makeSortable(table);
showSlider();
showTimeline();
showDownloads();
