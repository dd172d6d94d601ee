// The exact distance to success over time, beside that of an optimal run.

import { drawn, element } from "./dom.js";
import { counted } from "./text.js";

/** In pixels; a chart keeps this width on a narrow screen, so that its labels stay readable. */
export const WIDTH = Math.min(640, innerWidth - 24);
const [HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [150, 34, 20, 8, 10];
/** Width of the name of a line, in pixels. */
const ROOM = 60;

/**
 * Positions of moments on a time axis, in pixels from the left.
 * @param {number} last the moment up to which it goes
 * @returns {(step: number) => number}
 */
export function timeScale(last) {
  return (step) => LEFT + ((WIDTH - LEFT - RIGHT) * step) / last;
}

/**
 * The last moment on the time axis of an episode: its end, or the end of an optimal run, whichever is later.
 * @param {number} steps
 * @param {(number | null)[]} distances none where they are not known
 * @returns {number}
 */
export function lastMoment(steps, distances) {
  return Math.max(steps, distances[0] ?? 0, 1);
}

/**
 * The cost of each step of an episode, from the distances before and after it.
 * @param {(number | null)[]} distances
 * @param {number} used how many steps were taken: at the last question an episode may have been left
 * @returns {{regrets: number[], lostAt: number | null}} how many steps each one has added to the shortest way, a lost one 1; and
 *   the step after which success was impossible, null if there is none
 */
export function costOf(distances, used) {
  const regrets = distances.slice(1).map((now, step) => {
    const before = distances[step];
    return step >= used || now === null || before === null ? 0 : now + 1 - before;
  });
  const lost = distances.indexOf(null);
  return { regrets, lostAt: lost < 0 ? null : lost };
}

/**
 * The chart of an episode.
 * @param {(number | null)[]} distances
 * @param {number} used how many steps were taken
 * @param {number[]} mistakes moments at which mistakes were made
 * @param {(step: number) => void} go is called with the selected step
 * @returns {{figure: HTMLElement, mark: (step: number) => void}}
 */
export function distanceChart(distances, used, mistakes, go) {
  const { regrets, lostAt } = costOf(distances, used);
  const last = lastMoment(distances.length - 1, distances);
  const most = Math.max(1, ...distances.map((each) => each ?? 0));
  const x = timeScale(last);
  const y = (/** @type {number} */ distance) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * distance) / most;
  const known = distances.flatMap((each, step) => (each === null ? [] : [`${x(step)},${y(each)}`]));
  const cursor = drawn("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM });
  const start = distances[0];
  const wasted = regrets.flatMap((regret, step) => (regret > 0 ? [drawn("line", { class: "regret", x1: x(step + 1), x2: x(step + 1), y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM - 3 - 3 * Math.min(regret, 6) })] : []));
  const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": summary(distances, used),
    click: (/** @type {Event} */ event) => {
      const box = svg.getBoundingClientRect();
      const at = ((/** @type {MouseEvent} */ (event).clientX - box.left) / box.width) * WIDTH;
      go(Math.min(Math.max(Math.round(((at - LEFT) / (WIDTH - LEFT - RIGHT)) * last), 0), distances.length - 1));
    } },
    drawn("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: y(0), y2: y(0) }),
    label(LEFT - 5, y(0) + 4, "end", 0), label(LEFT - 5, y(most) + 4, "end", most),
    label(x(0), HEIGHT - 5, "start", "step 0"), label(x(last), HEIGHT - 5, "end", last),
    start === null ? null : drawn("line", { class: "optimum", x1: x(0), y1: y(start), x2: x(start), y2: y(0) }),
    start ? optimumLabel(x(start / 2), y(start / 2)) : null,
    ...wasted,
    lostAt === null ? null : drawn("line", { class: "lost", x1: x(lostAt), x2: x(lostAt), y1: TOP, y2: HEIGHT - BOTTOM }),
    lostAt === null ? null : label(x(lostAt) + (lostAt > last / 2 ? -4 : 4), TOP + 9, lostAt > last / 2 ? "end" : "start", "success impossible", "lost-label"),
    drawn("polyline", { class: "distance", points: known.join(" ") }),
    ...mistakes.map((step) => drawn("circle", { class: "mistake", cx: x(step), cy: y(distances[step] ?? 0), r: 2.5 })),
    cursor);
  const note = element("figcaption", {});
  const mark = (/** @type {number} */ step) => {
    cursor.setAttribute("x1", String(x(step)));
    cursor.setAttribute("x2", String(x(step)));
    note.textContent = describe(distances, regrets, step);
  };
  return { figure: element("figure", { class: "distances" }, note, svg), mark };
}

/**
 * The label of the dashed line: below it, or above it if the axis is too close.
 * @param {number} x of its middle
 * @param {number} y
 * @returns {SVGElement}
 */
function optimumLabel(x, y) {
  return x < LEFT + ROOM ? label(x + 5, y - 3, "start", "optimum", "optimum-label") : label(x - 5, y + 9, "end", "optimum", "optimum-label");
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} anchor
 * @param {string | number} text
 * @param {string} [kind]
 * @returns {SVGElement}
 */
function label(x, y, anchor, text, kind = "") {
  return drawn("text", { x, y, "text-anchor": anchor, class: kind || null }, text);
}

/**
 * @param {(number | null)[]} distances
 * @param {number[]} regrets
 * @param {number} step
 * @returns {string}
 */
function describe(distances, regrets, step) {
  const now = distances[step];
  const behind = `${counted(regrets.slice(0, step).reduce((sum, each) => sum + each, 0), "step")} behind the optimum`;
  if (now === null || now === undefined) return `success is no longer possible; ${behind} before`;
  const where = now === 0 ? "success" : `${counted(now, "action")} from success`;
  return `${where}; ${behind}`;
}

/**
 * @param {(number | null)[]} distances
 * @param {number} used
 * @returns {string}
 */
function summary(distances, used) {
  const { regrets, lostAt } = costOf(distances, used);
  const wasted = regrets.reduce((sum, each) => sum + each, 0);
  const end = lostAt === null ? "" : `, success impossible from step ${lostAt} on`;
  return `Distance to success over time: ${distances[0] ?? "unknown"} at the start, ${distances.at(-1) ?? "none"} at the end, ${counted(wasted, "step")} behind the optimum${end}`;
}
