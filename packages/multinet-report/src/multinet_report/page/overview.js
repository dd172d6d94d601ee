// The results of a run: its figures, its tables and its settings.

import { addressOf } from "./address.js";
import { drawn, element, factList } from "./dom.js";
import { runName, runTitle } from "./names.js";
import { counterpart } from "./pairs.js";
import { table } from "./table.js";
import { ending, taskGrid } from "./tasks.js";
import { counted, decimal, endWords, inWords, percent, visible, whole } from "./text.js";

/**
 * The overview of one run of the page.
 * @param {any} index
 * @param {number} number which of its runs
 * @returns {HTMLElement}
 */
export function overview({ runs, probings, difference }, number) {
  const run = runs[number];
  return element("div", { class: "overview" },
    ...(probings.length ? [probingTable(probings)] : []),
    ...(runs.length > 1 ? [runTable(runs, number), element("h2", {}, ...runTitle(run))] : []),
    figures(run),
    element("section", { class: "columns", "aria-label": "Figures by groups" }, ...repeatedPlays(run.whole.pass_rates), ...run.groups.filter(worthShowing).map(groupTable)),
    element("section", { class: "columns", "aria-label": "Ends and answers" },
      ...countTable("How episodes ended", run.ends, endWords), ...countTable("Answers by outcome", run.answers, inWords), ...countTable("Failed requests", run.faults, inWords),
      ...countTable("Actions taken", run.actions, inWords)),
    ...(difference ? [element("p", { class: "difference" }, difference)] : []),
    pairTables(runs, number),
    taskGrid(run, number),
    problems(run),
    conditions(run));
}

/**
 * @param {any} group
 * @returns {boolean}
 */
function worthShowing(group) {
  return group.rows.length > 1;
}

/**
 * @param {any} run
 * @returns {HTMLElement}
 */
function figures(run) {
  const { whole: all } = run;
  return element("section", { class: "figures", "aria-label": "Figures" },
    ...(run.sequential?.stopped ? [] : [
      element("p", { class: "headline" },
        element("strong", {}, percent(all.rate)), " solved",
        element("span", { class: "note" }, ` 95 % interval ${between(all.interval, percent)}; ${counts(all)}`)),
      intervalPlot(all, 320)]),
    ...(run.sequential ? [element("p", {}, visible(run.sequential.told))] : []),
    ...(run.useless ? [element("p", { class: "fault" }, element("strong", {}, visible(run.useless)))] : []),
    factList(/** @type {[string, string][]} */ ([
      ["SPL", decimal(all.spl, 3) + within(all.spl_interval, (/** @type {number} */ end) => decimal(end, 3)) + (isPartial(all) ? `, of ${all.rated} of ${all.scored} episodes` : "")],
      ["unsolvable", all.unsolvable ? whole(all.unsolvable) : "–"],
      ["over budget", all.over_budget ? whole(all.over_budget) : "–"],
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
      ["episodes", run.finished === run.planned ? whole(run.planned) : `${run.finished} of ${run.planned}, ${run.status}`],
    ]).filter(([, value]) => value !== "–")),
    ...(run.unfinished ? [element("p", { class: "note" },
      `Requests, tokens, cost, lost steps, answers and actions include those of ${counted(run.unfinished, "unfinished episode")}; all other figures are of finished episodes.`)] : []));
}

/**
 * The numbers behind a rate: solved episodes, and scored mazes, tasks and episodes.
 * @param {any} all
 * @returns {string}
 */
function counts(all) {
  const of = [`${all.mazes} ${all.mazes === 1 ? "maze" : "mazes"}`, `${all.tasks} ${all.tasks === 1 ? "task" : "tasks"}`,
    `${all.scored} ${all.scored === 1 ? "episode" : "episodes"}`];
  return `${of.join(", ")}, ${all.solved} solved`;
}

/**
 * @param {number[]} interval
 * @param {(end: number) => string} show
 * @returns {string}
 */
function between(interval, show) {
  return `${show(interval[0])} to ${show(interval[1])}`;
}

/**
 * A 95 % interval in brackets; empty if there is none.
 * @param {number[] | null} interval
 * @param {(end: number) => string} show
 * @returns {string}
 */
function within(interval, show) {
  return interval === null ? "" : ` (${between(interval, show)})`;
}

/**
 * Whether an SPL is not the mean of all episodes that were scored.
 * @param {any} row
 * @returns {boolean}
 */
function isPartial(row) {
  return row.spl !== null && row.rated < row.scored;
}

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

/** @type {import("./table.js").Column<any>[]} */
const GROUP_COLUMNS = [
  { name: "mazes", value: (row) => row.mazes },
  { name: "solved", value: (row) => row.solved },
  { name: "of", value: (row) => row.scored },
  { name: "rate", value: (row) => row.rate, show: (row) => percent(row.rate) },
  { name: "low", value: (row) => row.interval[0], show: (row) => percent(row.interval[0]) },
  { name: "high", value: (row) => row.interval[1], show: (row) => percent(row.interval[1]) },
  { name: "interval", draws: true, value: (row) => row.rate, show: (row) => intervalPlot(row, 90) },
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
function groupColumns(rows) {
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
    { name: "bar", left: true, draws: true, value: ([, count]) => count, show: ([, count]) => drawn("svg", { class: "bar", viewBox: "0 0 100 10", width: 100, height: 10, "aria-hidden": "true" }, drawn("rect", { width: Math.max(1, (100 * count) / all), height: 10 })) },
  ], rows)];
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

/**
 * @param {any} run
 * @returns {HTMLElement}
 */
function conditions(run) {
  const facts = [...flat({ "suite hash": run.suite_hash, recorded: run.created, ...run.conditions, circumstances: run.circumstances })];
  return element("details", { class: "conditions" }, element("summary", {}, "Settings and versions"), factList(facts));
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
