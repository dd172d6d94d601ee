// Names of runs.

import { element } from "./dom.js";
import { visible } from "./text.js";

/**
 * The title of the overview: what all runs of the page have in common.
 * @param {any[]} runs
 * @returns {(Node | string)[]}
 */
export function overviewTitle(runs) {
  if (runs.length === 1) return runTitle(runs[0]);
  const [models, suites] = ["model", "suite"].map((name) => [...new Set(runs.map((run) => run[name]))]);
  const of = models.length === 1 ? [" of ", element("b", {}, visible(models[0]))] : [];
  return [`${runs.length} runs`, ...of, ...(suites.length === 1 ? [" on ", visible(suites[0])] : [])];
}

/**
 * The title of a run.
 * @param {any} run
 * @returns {(Node | string)[]}
 */
export function runTitle(run) {
  return [element("b", {}, visible(run.model)), " on ", visible(run.suite), element("span", { class: "note" }, ` ${visible(run.created).slice(0, 10)} · ${runName(run)}`)];
}

/**
 * The folder of a run, and its differences from other runs of the page.
 * @param {any} run
 * @returns {string}
 */
export function runName(run) {
  return visible(run.differs ? `${run.name} (${run.differs})` : run.name);
}
