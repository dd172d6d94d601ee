// Models ranked by their runs, and the results of each on each task.

import { addressOf } from "./address.js";
import { element } from "./dom.js";
import { copyButton, table } from "./table.js";
import { visible } from "./text.js";

/** The result of one episode: the number of the run on its page, the number of the episode, and whether it was solved.
 * @typedef {[number, number, boolean | null]} End */

/**
 * The page of a leaderboard.
 * @param {any} data
 * @returns {HTMLElement}
 */
export function leaderboardView(data) {
  return element("div", { class: "leaderboard" },
    ...data.notes.map((/** @type {string} */ note) => element("p", { class: "note" }, visible(note))),
    ...data.tables.map((/** @type {any} */ each) => standings(data, each)),
    taskTable(data),
    element("p", { class: "note" }, "Each mark links to an episode: ● solved, × not solved, ○ not scored."),
    copyButton());
}

/**
 * @param {any} data
 * @param {any} given
 * @returns {HTMLElement}
 */
function standings(data, given) {
  const pages = new Map(data.entries.map((/** @type {any} */ entry) => [entry.name, entry.page]));
  const last = given.headings.indexOf("Entry");
  const columns = given.headings.map((/** @type {string} */ name, /** @type {number} */ place) => ({
    name, left: place <= last, value: (/** @type {any} */ row) => (place <= last ? visible(row.cells[place]) : valueOf(row.cells[place])),
    show: (/** @type {any} */ row) => (name === "Entry" ? element("a", { href: pages.get(row.entry) }, visible(row.cells[place])) : visible(row.cells[place])),
  }));
  return table(given.title, columns, given.rows);
}

/**
 * The value by which a cell is sorted and copied: a number if it is one.
 * @param {string} cell
 * @returns {string | number | null}
 */
function valueOf(cell) {
  return cell === "-" ? null : Number.isNaN(Number(cell)) ? visible(cell) : Number(cell);
}

/**
 * The results of each entry on each task: a mark for each episode, which links to it.
 * @param {any} data
 * @returns {HTMLElement}
 */
function taskTable(data) {
  const solved = (/** @type {End[]} */ ends) => ends.filter(([, , success]) => success).length;
  return table("By task", [
    { name: "task", left: true, value: (/** @type {any} */ row) => visible(row.task) },
    { name: "tiling", left: true, value: (row) => visible(row.tiling) },
    { name: "tier", value: (row) => row.tier },
    ...data.entries.map((/** @type {any} */ entry, /** @type {number} */ place) => ({
      name: visible(entry.name), left: true,
      value: (/** @type {any} */ row) => (row.ends[place].length ? solved(row.ends[place]) / row.ends[place].length : null),
      show: (/** @type {any} */ row) => element("span", {}, ...row.ends[place].map((/** @type {End} */ end) => mark(entry, row, end))),
    })),
  ], data.tasks);
}

/**
 * @param {any} entry
 * @param {any} row
 * @param {End} end
 * @returns {HTMLElement}
 */
function mark(entry, row, [run, episode, success]) {
  const [sign, kind, words] = success === null ? ["○", "open", "not scored"] : success ? ["●", "won", "solved"] : ["×", "failed", "not solved"];
  return element("a", { class: `mark ${kind}`, href: `${entry.page}${addressOf({ run, episode })}`, "aria-label": `${visible(row.task)}, ${visible(entry.name)}: ${words}` }, sign);
}
