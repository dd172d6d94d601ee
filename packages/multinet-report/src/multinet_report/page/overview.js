// The results of a run: the first screen, its episodes, and everything else folded.

import { addressOf } from "./address.js";
import { element } from "./dom.js";
import { foldedFigures, groupColumns } from "./figures.js";
import { faultStrip, firstScreen } from "./first.js";
import { episodesText, runName, runTitle } from "./names.js";
import { counterpart } from "./pairs.js";
import { table } from "./table.js";
import { TaskGrid, ending, story } from "./tasks.js";
import { visible } from "./text.js";

/**
 * The overview of one run of the page.
 * @param {any} index
 * @param {number} number which of its runs
 * @param {Record<string, string>} filters of its episodes
 * @returns {HTMLElement}
 */
export function overview({ runs, probings, difference }, number, filters) {
  const run = runs[number];
  const grid = new TaskGrid(run, number, { told: story, title: "Episodes", order: "failures first", filters });
  return element("div", { class: "overview" },
    ...(probings.length ? [probingTable(probings)] : []),
    ...(runs.length > 1 ? [runTable(runs, number), difference ? element("p", { class: "difference" }, difference) : null, element("h2", {}, ...runTitle(run, episodesText(run)))] : []),
    firstScreen(run, grid),
    faultStrip(run),
    grid.element,
    pairTables(runs, number),
    problems(run),
    ...foldedFigures(run));
}

/**
 * @param {any[]} runs
 * @param {number} chosen
 * @returns {HTMLElement}
 */
function runTable(runs, chosen) {
  const numbered = runs.map((run, number) => ({ ...run, number }));
  const conditions = runs.some((run) => run.condition) ? [{ name: "condition", left: true, value: (/** @type {any} */ run) => visible(run.condition ?? "–") }] : [];
  const differing = runs.some((run) => run.differs) ? [{ name: "differs in", left: true, value: (/** @type {any} */ run) => visible(run.differs || "–") }] : [];
  return table(conditions.length ? "By condition" : "Runs", [
    ...conditions,
    { name: "run", left: true, value: (run) => visible(run.name), show: (run) => element("a", { href: addressOf({ run: run.number }), "aria-current": run.number === chosen ? "true" : null }, visible(run.name)) },
    ...differing,
    { name: "model", left: true, value: (run) => visible(run.model) },
    { name: "suite", left: true, value: (run) => visible(run.suite) },
    ...groupColumns(runs.map((run) => run.whole)).map((column) => ({
      name: column.name,
      draws: column.draws,
      value: (/** @type {any} */ run) => column.value(run.whole),
      show: (/** @type {any} */ run) => (column.show ? column.show(run.whole) : String(column.value(run.whole) ?? "–")),
    })),
  ], numbered);
}

/**
 * @param {any[]} probings
 * @returns {HTMLElement}
 */
function probingTable(probings) {
  return table("Probings", [
    { name: "probing", left: true, value: (probing) => visible(probing.name), show: (probing) => element("a", { href: addressOf({ probing: probings.indexOf(probing) }) }, visible(probing.name)) },
    { name: "model", left: true, value: (probing) => visible(probing.model) },
    { name: "suite", left: true, value: (probing) => visible(probing.suite) },
    { name: "moments", value: (probing) => probing.moments.length },
  ], probings);
}

/**
 * The episodes that a run has in common with another one, with a choice if there are several.
 * @param {any[]} runs
 * @param {number} number
 * @returns {HTMLElement | null}
 */
function pairTables(runs, number) {
  const others = runs.map((_, other) => other).filter((other) => other !== number && pairsOf(runs, number, other).length > 0);
  if (others.length === 0) return null;
  const place = element("div", {}, pairTable(runs, number, others[0]));
  if (others.length === 1) return place;
  const select = /** @type {HTMLSelectElement} */ (element("select", { change: () => place.replaceChildren(pairTable(runs, number, Number(select.value))) },
    ...others.map((other) => element("option", { value: other }, runName(runs[other])))));
  return element("section", { class: "pairs", "aria-label": "Beside another run" }, element("p", {}, element("label", {}, "beside ", select)), place);
}

/**
 * The episodes that two runs have in common.
 * @param {any[]} runs
 * @param {number} number
 * @param {number} other
 * @returns {{row: any, its: any}[]}
 */
function pairsOf(runs, number, other) {
  return runs[number].episodes.filter((/** @type {any} */ row) => row.block).flatMap((/** @type {any} */ row) => {
    const its = counterpart(runs, row, other);
    return its ? [{ row, its }] : [];
  });
}

/**
 * The episodes that two runs have in common, those with different endings first.
 * @param {any[]} runs
 * @param {number} number
 * @param {number} other
 * @returns {HTMLElement}
 */
function pairTable(runs, number, other) {
  const differs = (/** @type {any} */ pair) => (pair.row.success === pair.its.success ? 1 : 0);
  return table(`Beside ${runName(runs[other])}`, [
    { name: "task", left: true, value: ({ row }) => visible(row.task_id), show: ({ row }) =>
      element("a", { href: addressOf({ run: number, episode: row.number, beside: other }) }, visible(row.task_id)) },
    { name: "tiling", left: true, value: ({ row }) => visible(row.tiling ?? "none") },
    { name: "epoch", value: ({ row }) => row.epoch },
    { name: "here", left: true, value: ({ row }) => ending(row) },
    { name: "there", left: true, value: ({ its }) => ending(its) },
  ], pairsOf(runs, number, other).sort((one, two) => differs(one) - differs(two)));
}

/**
 * @param {any} run
 * @returns {HTMLElement | null}
 */
function problems(run) {
  if (run.problems.length === 0) return null;
  return element("section", { class: "problems" }, element("h2", {}, "Not shown"),
    element("ul", {}, ...run.problems.map((/** @type {[string, number[]]} */ [problem, numbers]) =>
      element("li", {}, `${visible(problem)} (${numbers.length === 1 ? "episode" : "episodes"} ${numbers.slice(0, 12).join(", ")}${numbers.length > 12 ? ", …" : ""})`))));
}
