// Shares as bars and as points, with their intervals.

import { drawn } from "./dom.js";

/**
 * A share and its interval on a line from 0 to 1.
 * @param {any} row
 * @param {number} width
 * @returns {SVGElement}
 */
export function intervalPlot(row, width) {
  const x = (/** @type {number} */ share) => 4 + (width - 8) * share;
  return drawn("svg", { class: "interval", viewBox: `0 0 ${width} 12`, width, height: 12, "aria-hidden": "true" },
    drawn("line", { class: "axis", x1: x(0), x2: x(1), y1: 6, y2: 6 }),
    ...(row.rate === null ? [] : [
      drawn("line", { class: "range", x1: x(row.interval[0]), x2: x(row.interval[1]), y1: 6, y2: 6 }),
      drawn("circle", { class: "share", cx: x(row.rate), cy: 6, r: 3.5 })]));
}

/**
 * A share as a bar as wide as its place, with a line for its interval if there is one.
 * @param {number | null} share
 * @param {number[] | null} [interval]
 * @returns {SVGElement}
 */
export function bar(share, interval = null) {
  return drawn("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { class: "track", width: 100, height: 10 }),
    share ? drawn("rect", { class: "share", width: Math.max(1, 100 * share), height: 10 }) : null,
    interval && interval[0] !== null ? drawn("line", { x1: 100 * interval[0], x2: 100 * interval[1], y1: 5, y2: 5 }) : null);
}
