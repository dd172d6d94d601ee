// A suite: its tasks, with their difficulty and certificates.

import { addressOf, filtersNow } from "./address.js";
import { element } from "./dom.js";
import { copyButton, table } from "./table.js";
import { TaskGrid } from "./tasks.js";
import { counted, decimal, visible } from "./text.js";

/** Measures of a task's difficulty shown beside its optimal length, in the order of the columns.
 * @type {[string, string, number][]} name of the number, heading, decimals */
const NUMBERS = [
  ["states_searched", "states", 0], ["backtracking", "back", 0], ["dependency_depth", "depth", 0],
  ["dependency_variety", "kinds", 0], ["distractors", "decoys", 0], ["wall_density", "walls", 2], ["hidden_share", "hidden", 2],
  ["irreversibility", "irreversible", 2], ["fragility", "fragile", 0],
];

/**
 * The page of a suite.
 * @param {any} suite
 * @param {any} run the optimal one
 * @returns {HTMLElement}
 */
export function suiteView(suite, run) {
  return element("div", { class: "suite" },
    element("p", { class: "note" }, `${counted(suite.tasks, "task")}, hash ${visible(run.suite_hash)}. Each picture links to the optimal run, which is empty if there is no plan.`),
    new TaskGrid(run, 0, { told: lengthText, title: "Tasks", order: "in order", filters: filtersNow() }).element,
    table("Difficulty", [
      { name: "task", left: true, value: (/** @type {any} */ row) => visible(row.task_id), show: (row) => (row.block ? element("a", { href: addressOf({ episode: row.number }) }, visible(row.task_id)) : visible(row.task_id)) },
      { name: "tiling", left: true, value: (row) => visible(row.tiling) },
      { name: "tier", value: (row) => row.tier },
      { name: "budget", value: (row) => row.max_steps },
      { name: "best", value: (row) => row.difficulty?.optimal_length, show: (row) => (row.unsolvable ? "unsolvable" : decimal(row.difficulty?.optimal_length, 0)) },
      ...NUMBERS.map(([name, heading, decimals]) => ({
        name: heading, value: (/** @type {any} */ row) => row.difficulty?.[name], show: (/** @type {any} */ row) => decimal(row.difficulty?.[name], decimals),
      })),
      { name: "certificate", left: true, value: (row) => certificateText(row.certificate) },
    ], run.episodes),
    copyButton());
}

/**
 * The length of the optimal run of a task, in words.
 * @param {any} row
 * @returns {string}
 */
function lengthText(row) {
  if (row.success) return counted(row.steps, "action");
  if (row.unsolvable) return "unsolvable";
  return row.optimal > row.max_steps ? `${counted(row.optimal, "action")} (over budget)` : "no plan found";
}

/**
 * A certificate in words.
 * @param {any} held
 * @returns {string}
 */
export function certificateText(held) {
  if (!held) return "–";
  const parts = [`best ${held.optimal_length}`, held.necessary.length ? `needs ${held.necessary.join(", ")}` : null,
    held.safe.length ? `harmless: ${held.safe.join(", ")}` : null, held.origin ? `${held.origin.name}, seed ${held.origin.seed}` : null];
  return visible(parts.filter((part) => part !== null).join("; "));
}
