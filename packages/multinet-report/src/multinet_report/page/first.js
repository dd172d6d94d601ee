// The first screen of a run: how much it solved, why it failed, and where.

import { bar, intervalPlot } from "./bars.js";
import { element } from "./dom.js";
import { mistakeName } from "./tasks.js";
import { counted, decimal, inWords, percent, visible, whole } from "./text.js";

/** Number of rows of mistakes, and of mechanisms. */
const [MISTAKES, MECHANISMS] = [6, 8];
/** Number of characters of a message that are shown. */
const LONGEST_MESSAGE = 300;

/**
 * @param {any} run
 * @param {import("./tasks.js").TaskGrid} grid which the rows filter
 * @returns {HTMLElement}
 */
export function firstScreen(run, grid) {
  return element("section", { class: "first", "aria-label": "Results" }, rates(run), why(run, grid), where(run, grid));
}

/**
 * @param {any} run
 * @returns {HTMLElement}
 */
function rates(run) {
  const { whole: all, mistakes } = run;
  const estimates = run.sequential?.stopped || all.rate === null ? [] : [
    element("p", { class: "rate" }, percent(all.rate)),
    element("p", { class: "solved" }, `${whole(all.solved)} of ${counted(all.scored, "episode")} solved`),
    element("p", { class: "note" }, `95 % interval ${between(all.interval, percent)}`), intervalPlot(all, 170),
    ...(all.spl === null ? [] : [element("p", {}, element("b", {}, `SPL ${decimal(all.spl, 3)}`),
      element("span", { class: "note" }, within(all.spl_interval, (end) => decimal(end, 3)) + (isPartial(all) ? `, of ${all.rated} of ${all.scored} episodes` : "")))]),
  ];
  return element("section", { class: "rates", "aria-label": "Success" }, ...estimates,
    ...(run.sequential ? [element("p", {}, visible(run.sequential.told))] : []),
    ...(mistakes.wasted_steps === null ? [] : [element("p", {}, element("b", {}, whole(mistakes.wasted_steps)), ` wasted ${mistakes.wasted_steps === 1 ? "step" : "steps"}`)]),
    ...(run.finished === run.planned ? [] : [element("p", { class: "open" }, `${run.finished} of ${run.planned} episodes finished, ${run.status}`)]));
}

/**
 * @param {any} run
 * @param {import("./tasks.js").TaskGrid} grid
 * @returns {HTMLElement}
 */
function why({ mistakes }, grid) {
  const shown = mistakes.rows.slice(0, MISTAKES);
  const rows = shown.map((/** @type {any} */ row) => filterRow(grid, "mistake", mistakeName(row), [
    element("span", { class: "words" }, element("span", {}, visible(row.needed ?? "–")), " → ", element("b", {}, visible(row.did))),
    element("span", { class: "number" }, unseen(mistakes.failed ? "decisive in " : "episodes: "), mistakes.failed ? row.decisive ? whole(row.decisive) : "–" : whole(row.episodes)),
    element("span", { class: "number" }, unseen("wasted steps: "), whole(row.wasted_steps)),
    bar(row.wasted_steps / mistakes.wasted_steps),
  ]));
  const more = mistakes.rows.length - shown.length;
  return element("section", { class: "why", "aria-label": "What went wrong" },
    mistakes.sentence ? element("p", { class: "sentence" }, visible(mistakes.sentence)) : null,
    ...(rows.length === 0 ? [] : [
      element("div", { class: "heads", "aria-hidden": "true" },
        ...["needed → did", mistakes.failed ? `decisive (of ${whole(mistakes.failed)})` : "episodes", "wasted steps", ""].map((name) => element("span", {}, name))),
      element("ul", { class: "rows" }, ...rows)]),
    more > 0 ? element("p", { class: "note" }, `and ${more} more, in the tables below`) : null);
}

/**
 * @param {any} run
 * @param {import("./tasks.js").TaskGrid} grid
 * @returns {HTMLElement}
 */
function where(run, grid) {
  const rowsOf = (/** @type {string} */ name) => run.groups.find((/** @type {any} */ group) => group.name === name && group.rows.length > 1)?.rows ?? [];
  const mechanisms = [...rowsOf("Mechanism")].sort((one, other) => (one.rate ?? 2) - (other.rate ?? 2));
  return element("section", { class: "where", "aria-label": "Success by groups" },
    ...bars("By mechanism, worst first", "mechanism", mechanisms, MECHANISMS, grid),
    element("div", {}, ...bars("By tier", "tier", rowsOf("Tier"), MECHANISMS, grid), ...bars("By tiling", "tiling", rowsOf("Tiling"), MECHANISMS, grid)));
}

/**
 * @param {string} title
 * @param {string} filter
 * @param {any[]} rows
 * @param {number} most number of rows that are not folded
 * @param {import("./tasks.js").TaskGrid} grid
 * @returns {HTMLElement[]}
 */
function bars(title, filter, rows, most, grid) {
  if (rows.length === 0) return [];
  const items = rows.map((row) => filterRow(grid, filter, visible(row.group), [
    element("span", { class: "words" }, unseen(`${filter} `), visible(row.group)), bar(row.rate, row.interval), element("span", { class: "number" }, unseen("solved: "), `${row.solved} of ${row.scored}`),
  ]));
  const more = items.length - most;
  return [element("div", { class: "bars" }, element("h2", {}, title), element("ul", { class: "rows" }, ...items.slice(0, most)),
    ...(more > 0 ? [element("details", {}, element("summary", {}, `and ${more} more`), element("ul", { class: "rows" }, ...items.slice(most)))] : []))];
}

/**
 * A row that filters the episodes, or lets all be shown again.
 * @param {import("./tasks.js").TaskGrid} grid
 * @param {string} filter
 * @param {string} value
 * @param {import("./dom.js").Child[]} children
 * @returns {HTMLElement}
 */
function filterRow(grid, filter, value, children) {
  const button = element("button", { type: "button", click: () => grid.choose(filter, grid.chosen(filter) === value ? "" : value) }, ...children);
  grid.watch(() => button.setAttribute("aria-pressed", String(grid.chosen(filter) === value)));
  return element("li", {}, button);
}

/**
 * Words for those who hear the page.
 * @param {string} text
 * @returns {HTMLElement}
 */
function unseen(text) {
  return element("span", { class: "away" }, text);
}

/**
 * The faults of a run in a line; none without faults.
 * @param {any} run
 * @returns {HTMLElement | null}
 */
export function faultStrip({ fault, useless }) {
  if (useless) return element("p", { class: "strip" }, element("b", {}, visible(useless)), latestMessage(fault));
  if (!fault) return null;
  const others = fault.all - fault.count;
  return element("p", { class: "strip" },
    element("b", {}, `${percent(fault.all / fault.of)} of the requests had no usable answer`),
    `: ${whole(fault.count)} ${inWords(fault.kind)}`, others ? ` and ${counted(others, "other fault")}` : null, latestMessage(fault));
}

/**
 * @param {any} fault
 * @returns {string}
 */
function latestMessage(fault) {
  if (!fault?.message) return "";
  const [text, cut] = [fault.message.slice(0, LONGEST_MESSAGE), fault.message.length > LONGEST_MESSAGE];
  return `; the latest: ${visible(text)}${cut ? "…" : ""}`;
}

/**
 * @param {number[]} interval
 * @param {(end: number) => string} show
 * @returns {string}
 */
export function between(interval, show) {
  return `${show(interval[0])} to ${show(interval[1])}`;
}

/**
 * A 95 % interval in brackets; empty if there is none.
 * @param {number[] | null} interval
 * @param {(end: number) => string} show
 * @returns {string}
 */
export function within(interval, show) {
  return interval === null ? "" : ` (${between(interval, show)})`;
}

/**
 * Whether an SPL is not the mean of all episodes that were scored.
 * @param {any} row
 * @returns {boolean}
 */
export function isPartial(row) {
  return row.spl !== null && row.rated < row.scored;
}
