// The progress of an episode along the dependency chain of its task: which elements were used, in which order, and when.

import { WIDTH, timeScale } from "./distances.js";
import { drawn, element } from "./dom.js";
import { inWords, visible } from "./text.js";

/** An element of a chain, and the moment after its first use.
 * @typedef {{id: string, type: string | null, used: number | null}} Element */

/** The height of a row, in pixels. */
const ROW = 18;

/**
 * The chart of a chain: a row for each element, with a mark where it was first used.
 * @param {Element[]} chain
 * @param {number} last the moment up to which the time axis goes
 * @param {(step: number) => void} go is called with a moment that was chosen
 * @returns {{figure: HTMLElement, mark: (step: number) => void}}
 */
export function chainChart(chain, last, go) {
  const x = timeScale(last);
  const height = ROW * chain.length;
  const cursor = drawn("line", { class: "cursor", y1: 0, y2: height });
  const rows = chain.map((each, place) => chainRow(chain, place, x));
  const svg = drawn("svg", { class: "chart chain", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": chainSummary(chain) },
    ...rows, cursor);
  const note = element("figcaption", {});
  const mark = (/** @type {number} */ step) => {
    cursor.setAttribute("x1", String(x(step)));
    cursor.setAttribute("x2", String(x(step)));
    rows.forEach((each, place) => each.setAttribute("class", stateOf(chain, place, step)));
    note.replaceChildren(`Chain: ${chain.filter(({ used }) => used !== null && used <= step).length} of ${chain.length} used `, ...chain.flatMap((each) => jump(each, go)));
  };
  return { figure: element("figure", { class: "distances" }, note, svg), mark };
}

/**
 * @param {Element[]} chain
 * @param {number} place
 * @param {(step: number) => number} x
 * @returns {SVGElement}
 */
function chainRow(chain, place, x) {
  const { id, used } = chain[place];
  const y = ROW * (place + 0.5);
  const far = used !== null && x(used) > WIDTH / 2;
  const words = used === null ? `${visible(id)}, not used` : `${visible(id)}, step ${used}${isEarly(chain, place) ? ", out of order" : ""}`;
  const at = used === null ? x(0) : x(used) + (far ? -7 : 7);
  return drawn("g", {},
    drawn("line", { class: "axis", x1: x(0), x2: WIDTH - 10, y1: y, y2: y }),
    used === null ? null : drawn("circle", { cx: x(used), cy: y, r: 4 }),
    drawn("text", { x: at, y: y + 4, "text-anchor": far ? "end" : "start" }, words));
}

/**
 * Whether an element was used before an earlier element of the chain.
 * @param {Element[]} chain
 * @param {number} place
 * @returns {boolean}
 */
function isEarly(chain, place) {
  const { used } = chain[place];
  return used !== null && chain.slice(0, place).some((before) => before.used === null || before.used > used);
}

/**
 * @param {Element[]} chain
 * @param {number} place
 * @param {number} step
 * @returns {string}
 */
function stateOf(chain, place, step) {
  const { used } = chain[place];
  if (used === null || used > step) return "ahead";
  return isEarly(chain, place) ? "early" : "used";
}

/**
 * @param {Element} link
 * @param {(step: number) => void} go
 * @returns {HTMLElement[]}
 */
function jump({ id, used }, go) {
  return used === null ? [] : [element("button", { type: "button", class: "small", "aria-label": `Go to step ${used}, where ${visible(id)} was used`, click: () => go(used) }, visible(id))];
}

/**
 * @param {Element[]} chain
 * @returns {string}
 */
function chainSummary(chain) {
  const words = chain.map(({ id, type, used }) => `${visible(id)}${type ? ` of ${inWords(type)}` : ""} ${used === null ? "not used" : `used in step ${used}`}`);
  return `Dependency chain: ${words.join(", ")}`;
}
