// All figures, tables and settings of a run, folded.

import { bar, intervalPlot } from "./bars.js";
import { element, factList } from "./dom.js";
import { between, isPartial, within } from "./first.js";
import { copyButton, table } from "./table.js";
import { counted, decimal, endWords, inWords, percent, visible, whole } from "./text.js";

/**
 * @param {any} run
 * @returns {HTMLElement[]}
 */
export function foldedFigures(run) {
  const tables = element("div", { class: "columns" },
    ...repeatedPlays(run.whole.pass_rates), ...run.groups.filter((/** @type {any} */ group) => group.rows.length > 1).map(groupTable), ...mistakeTable(run.mistakes),
    ...countTable("How episodes ended", run.ends, endWords), ...countTable("Answers by outcome", run.answers, inWords),
    ...countTable("Failed requests", run.faults, inWords), ...countTable("Actions taken", run.actions, inWords));
  return [
    element("details", { class: "folded figures" }, element("summary", {}, "Figures and spending"), factList(facts(run)), ...ofUnfinished(run)),
    element("details", { class: "folded tables" }, element("summary", {}, "Tables"), copyButton(), tables),
    conditions(run),
  ];
}

/**
 * The figures of a run that are known and not zero.
 * @param {any} run
 * @returns {[string, string][]}
 */
function facts(run) {
  const { whole: all } = run;
  const named = /** @type {[string, string][]} */ ([
    ["mazes", whole(all.mazes)],
    ["tasks", whole(all.tasks)],
    ["unsolvable", whole(all.unsolvable)],
    ["over budget", whole(all.over_budget)],
    ["variance of success between mazes", decimal(all.variance_between_mazes, 3)],
    ["variance of success between plays of a task", decimal(all.variance_between_plays, 3)],
    ["mean steps", decimal(all.steps, 1)],
    ["share of the budget", percent(all.budget) + within(all.budget_interval, percent)],
    ["mean reward", decimal(all.reward, 3)],
    ["lost steps", whole(all.lost_steps)],
    ["requests", whole(all.requests) + (all.failed_requests ? `, ${whole(all.failed_requests)} of them failed` : "")],
    ["answers per episode", decimal(all.answered, 1)],
    ["tokens in", whole(all.prompt_tokens)],
    ["tokens out", whole(all.completion_tokens)],
    ["cost", decimal(all.cost, 4)],
    ["cost per solved episode", decimal(all.cost_per_success, 4)],
    ["from the cache", whole(all.cached_requests)],
    ["seconds per request", run.latency ? `${decimal(run.latency.median, 2)} median, ${decimal(run.latency.longest, 2)} longest` : "–"],
  ]);
  return named.filter(([, value]) => value !== "–" && Number(value) !== 0);
}

/**
 * @param {any} run
 * @returns {HTMLElement[]}
 */
function ofUnfinished(run) {
  return run.unfinished ? [element("p", { class: "note" },
    `Requests, tokens, cost, lost steps, answers and actions include those of ${counted(run.unfinished, "unfinished episode")}; all other figures are of finished episodes.`)] : [];
}

/** @type {import("./table.js").Column<any>[]} */
const GROUP_COLUMNS = [
  { name: "mazes", value: (row) => row.mazes },
  { name: "solved", value: (row) => row.solved },
  { name: "of", value: (row) => row.scored },
  { name: "rate", value: (row) => row.rate, show: (row) => percent(row.rate) },
  { name: "interval", value: (row) => (row.rate === null ? null : between(row.interval, percent)), show: (row) => intervalPlot(row, 90) },
  { name: "SPL", value: (row) => row.spl, show: (row) => decimal(row.spl, 2) },
  { name: "steps", value: (row) => row.steps, show: (row) => decimal(row.steps, 1) },
];

/** @type {import("./table.js").Column<any>} */
const SPL_COUNT = { name: "SPL of", value: (row) => row.rated };

/**
 * The columns for groups of episodes, with the number of episodes behind an SPL if it is not the mean of all scored ones.
 * @param {any[]} rows
 * @returns {import("./table.js").Column<any>[]}
 */
export function groupColumns(rows) {
  return GROUP_COLUMNS.flatMap((column) => (column.name === "SPL" && rows.some(isPartial) ? [column, SPL_COUNT] : [column]));
}

/**
 * @param {any} group
 * @returns {HTMLElement}
 */
function groupTable(group) {
  const first = { name: group.name.toLowerCase(), left: true, value: (/** @type {any} */ row) => visible(row.group) };
  return table(`By ${group.name.toLowerCase()}`, [first, ...groupColumns(group.rows)], group.rows);
}

/**
 * A table of the chances that any, and that all, of k plays of a task are solved, unless no task was played twice.
 * @param {any[]} rates
 * @returns {HTMLElement[]}
 */
function repeatedPlays(rates) {
  if (rates.length === 0) return [];
  return [table("k plays of a task", [
    { name: "k", value: (row) => row.k },
    { name: "any solved (pass@k)", value: (row) => row.pass_at_k, show: (row) => percent(row.pass_at_k) },
    { name: "95 % of any", left: true, value: (row) => between(row.pass_at_k_interval, percent) },
    { name: "all solved (pass^k)", value: (row) => row.pass_hat_k, show: (row) => percent(row.pass_hat_k) },
    { name: "95 % of all", left: true, value: (row) => between(row.pass_hat_k_interval, percent) },
    { name: "mazes", value: (row) => row.mazes },
  ], rates)];
}

/**
 * @param {any} mistakes
 * @returns {HTMLElement[]}
 */
function mistakeTable({ rows }) {
  if (rows.length === 0) return [];
  return [table("Mistakes", [
    { name: "needed", left: true, value: (row) => visible(row.needed ?? "–") },
    { name: "towards", left: true, value: (row) => visible(row.towards) },
    { name: "did", left: true, value: (row) => visible(row.did) },
    { name: "decisive in", value: (row) => row.decisive },
    { name: "episodes", value: (row) => row.episodes },
    { name: "wasted steps", value: (row) => row.wasted_steps },
    { name: "share", value: (row) => row.share, show: (row) => percent(row.share) },
    { name: "interval", value: (row) => between([row.interval_low, row.interval_high], percent),
      show: (row) => intervalPlot({ rate: row.share, interval: [row.interval_low, row.interval_high] }, 90) },
  ], rows)];
}

/**
 * A table of counts, unless there are none.
 * @param {string} caption
 * @param {Record<string, number>} counts
 * @param {(name: string) => string} called the name shown for a kind
 * @returns {HTMLElement[]}
 */
function countTable(caption, counts, called) {
  const rows = Object.entries(counts);
  if (rows.length === 0) return [];
  const all = rows.reduce((sum, [, count]) => sum + count, 0);
  return [table(caption, [
    { name: "kind", left: true, value: ([name]) => called(name) },
    { name: "count", value: ([, count]) => count },
    { name: "share", value: ([, count]) => count / all, show: ([, count]) => percent(count / all) },
    { name: "bar", left: true, draws: true, value: ([, count]) => count, show: ([, count]) => bar(count / all) },
  ], rows)];
}

/**
 * @param {any} run
 * @returns {HTMLElement}
 */
function conditions(run) {
  const facts = [...flat({ "suite hash": run.suite_hash, recorded: run.created, ...run.conditions, circumstances: run.circumstances })];
  return element("details", { class: "folded conditions" }, element("summary", {}, "Settings and versions"), factList(facts));
}

/**
 * @param {Record<string, any>} values
 * @param {string} place
 * @returns {Iterable<[string, string]>}
 */
function* flat(values, place = "") {
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && typeof value === "object" && !Array.isArray(value)) yield* flat(value, `${place}${name}.`);
    else yield [visible(`${place}${name}`), value === null ? "–" : visible(typeof value === "string" ? value : JSON.stringify(value))];
  }
}
