// Names of runs.

import { element } from "./dom.js";
import { counted, visible } from "./text.js";

/**
 * The title of the overview: what all runs of the page have in common.
 * @param {any[]} runs
 * @returns {(Node | string)[]}
 */
export function overviewTitle(runs) {
  if (runs.length === 1) return runTitle(runs[0], episodesText(runs[0]));
  const [models, suites] = ["model", "suite"].map((name) => [...new Set(runs.map((run) => run[name]))]);
  const of = models.length === 1 ? [" of ", element("b", {}, visible(models[0]))] : [];
  return [`${runs.length} runs`, ...of, ...(suites.length === 1 ? [" on ", visible(suites[0])] : [])];
}

/**
 * The title of a run.
 * @param {any} run
 * @param {string} [told] what is told of it besides its day and its name
 * @returns {(Node | string)[]}
 */
export function runTitle(run, told) {
  const facts = [told, visible(run.created).slice(0, 10), runName(run)].filter((each) => each !== undefined);
  return [element("b", {}, visible(run.model)), " on ", visible(run.suite), element("span", { class: "note" }, ` ${facts.join(" · ")}`)];
}

/**
 * The number of episodes of a run, such as ``126 episodes, 3 epochs, all equal``.
 * @param {any} run
 * @returns {string}
 */
export function episodesText({ planned, epochs }) {
  const told = [counted(planned, "episode"), epochs.number > 1 ? counted(epochs.number, "epoch") : null, epochs.equal ? "all equal" : null];
  return told.filter((each) => each !== null).join(", ");
}

/**
 * The folder of a run, and its differences from other runs of the page.
 * @param {any} run
 * @returns {string}
 */
export function runName(run) {
  return visible(run.differs ? `${run.name} (${run.differs})` : run.name);
}
