// All episodes of a run, each with a small picture, which can be filtered, sorted and opened; epochs of a task are one card.

import { addressOf, keepOverview } from "./address.js";
import { readJson } from "./blocks.js";
import { Board } from "./board.js";
import { element } from "./dom.js";
import { momentAfter } from "./episode.js";
import { sorted } from "./table.js";
import { endWords, visible } from "./text.js";

/** Number of cards that are shown at first, and that each click adds. */
const PORTION = 60;

/** @type {Record<string, {value: (row: any) => any, ascending: boolean}>} */
const ORDERS = {
  "failures first": { value: (row) => Number(row.success ?? 2), ascending: true },
  "in order": { value: (row) => row.number, ascending: true },
  "by task": { value: (row) => row.task_id, ascending: true },
  "most steps first": { value: (row) => row.steps ?? null, ascending: false },
  "most wasted steps first": { value: (row) => row.wasted ?? null, ascending: false },
  "least efficient first": { value: (row) => row.ratio ?? null, ascending: true },
};

/** The grid of a run. */
export class TaskGrid {
  /**
   * @param {any} run
   * @param {number} number the index of the run on the page
   * @param {{told: (row: any) => string, title: string, order: string, filters: Record<string, string>}} options the text for an
   *   episode, the title, the order of the cards unless a filter says otherwise, and the filters
   */
  constructor(run, number, { told, title, order, filters }) {
    this.run = run;
    this.number = number;
    this.told = told;
    this.title = title;
    this.order = order;
    /** @type {(() => void)[]} */
    this.watchers = [];
    this.shown = PORTION;
    this.tilings = new Set(run.episodes.map((/** @type {any} */ row) => row.tiling)).size;
    this.cards = element("ul", { class: "cards" });
    this.count = element("span", { class: "note", role: "status" });
    this.more = element("button", { type: "button", click: () => { this.shown += PORTION; this.fill(); } }, "show more");
    this.clear = element("button", { type: "button", click: () => this.restart({}) }, "show all");
    /** The fields by the names of their filters.
     * @type {Record<string, HTMLInputElement | HTMLSelectElement>} */
    this.fields = { task: /** @type {HTMLInputElement} */ (element("input", { type: "search", placeholder: "task", "aria-label": "Filter by task name", input: () => this.restart(null) })) };
    for (const [name, values] of Object.entries(choicesOf(run))) this.fields[name] = this.choice(["", ...values]);
    this.fields.order = this.choice(Object.keys(ORDERS));
    this.element = element("section", { class: "tasks", "aria-label": title },
      element("div", { class: "filters" }, element("h2", {}, title), this.count, this.fields.task,
        ...Object.entries(this.fields).filter(([name]) => name !== "task").map(([name, field]) => element("label", {}, `${name} `, field)), this.clear),
      this.cards, this.more);
    this.restart(filters);
  }

  /**
   * The value of a filter; empty if it has none.
   * @param {string} name
   * @returns {string}
   */
  chosen(name) {
    return this.fields[name]?.value ?? "";
  }

  /**
   * Set a filter.
   * @param {string} name
   * @param {string} value
   */
  choose(name, value) {
    this.fields[name].value = value;
    this.restart(null);
  }

  /**
   * Call a function now and after each change of the filters.
   * @param {() => void} changed
   */
  watch(changed) {
    this.watchers.push(changed);
    changed();
  }

  /**
   * Show the first cards for some filters, or for those of the fields.
   * @param {Record<string, string> | null} filters
   */
  restart(filters) {
    if (filters !== null) for (const [name, field] of Object.entries(this.fields)) field.value = filters[name] ?? (name === "order" ? this.order : "");
    for (const [name, field] of Object.entries(this.fields)) if (field.value === "" && name === "order") field.value = this.order;
    this.shown = PORTION;
    keepOverview(this.number, this.filters(), this.fill());
    for (const changed of this.watchers) changed();
  }

  /**
   * The filters that are set.
   * @returns {Record<string, string>}
   */
  filters() {
    return Object.fromEntries(Object.entries(this.fields).map(([name, field]) => [name, field.value]).filter(([name, value]) => value !== (name === "order" ? this.order : "")));
  }

  /**
   * Show the cards.
   * @returns {number[]} the numbers of the episodes, in order
   */
  fill() {
    const task = this.chosen("task").toLowerCase();
    const rows = this.run.episodes.filter((/** @type {any} */ row) => visible(row.task_id).toLowerCase().includes(task)
      && Object.entries(valuesOf(row, this.run)).every(([name, values]) => this.chosen(name) === "" || values.includes(this.chosen(name))));
    const { value, ascending } = ORDERS[this.chosen("order")];
    const stacks = stacked(sorted(rows, { name: "", value }, ascending));
    this.cards.replaceChildren(...stacks.slice(0, this.shown).map((stack) => this.card(stack)));
    this.count.textContent = `${rows.length} of ${this.run.episodes.length}`;
    this.clear.hidden = Object.keys(this.filters()).length === 0;
    this.more.hidden = stacks.length <= this.shown;
    return stacks.flat().map((row) => row.number);
  }

  /**
   * @param {string[]} values
   * @returns {HTMLSelectElement}
   */
  choice(values) {
    return /** @type {HTMLSelectElement} */ (element("select", { change: () => this.restart(null) }, ...values.map((each) => element("option", { value: each }, each || "any"))));
  }

  /**
   * The card of the epochs of a task, with the picture and the text of the first of them.
   * @param {any[]} rows
   * @returns {HTMLElement}
   */
  card(rows) {
    const [row] = rows;
    const picture = element("div", { class: "picture" });
    if (row.scene) drawWhenSeen(picture, row);
    const name = visible(row.task_id).split(/(?<=[_-])/).flatMap((part) => [part, element("wbr")]);
    const inside = [picture, element("span", { class: "name" }, ...name),
      element("span", { class: `end ${row.success ? "won" : row.success === false ? "failed" : "open"}` }, this.told(row)),
      this.tilings > 1 && row.tiling ? element("span", { class: "note" }, visible(row.tiling)) : null];
    return element("li", {},
      row.block ? element("a", { href: addressOf({ run: this.number, episode: row.number }) }, ...inside) : element("div", {}, ...inside),
      rows.length > 1 ? element("p", { class: "epochs" }, ...[...rows].sort((one, other) => one.epoch - other.epoch).map((each) => this.epoch(each))) : null);
  }

  /**
   * @param {any} row
   * @returns {HTMLElement}
   */
  epoch(row) {
    const [dot, told] = [row.success ? "●" : row.success === false ? "○" : "·", `epoch ${row.epoch}: ${this.told(row)}`];
    return row.block ? element("a", { href: addressOf({ run: this.number, episode: row.number }), title: told, "aria-label": told }, dot) : element("span", { title: told }, dot);
  }
}

/**
 * Episodes by task and tiling, in the order of the first of each.
 * @param {any[]} rows
 * @returns {any[][]}
 */
function stacked(rows) {
  /** @type {Map<string, any[]>} */
  const stacks = new Map();
  for (const row of rows) {
    const key = JSON.stringify([row.task, row.tiling]);
    const stack = stacks.get(key);
    if (stack) stack.push(row);
    else stacks.set(key, [row]);
  }
  return [...stacks.values()];
}

/**
 * The name of a row of mistakes, by which episodes are filtered.
 * @param {any} row
 * @returns {string}
 */
export function mistakeName(row) {
  return row.needed === null ? visible(row.did) : `${visible(row.needed)}, ${visible(row.did)}`;
}

/**
 * The properties by which an episode can be filtered.
 * @param {any} row
 * @param {any} run
 * @returns {Record<string, string[]>}
 */
function valuesOf(row, run) {
  return {
    mistake: (row.mistakes ?? []).map((/** @type {number} */ place) => mistakeName(run.mistakes.rows[place])),
    tiling: [visible(row.tiling ?? "none")],
    tier: row.tier === undefined ? [] : [String(row.tier)],
    mechanism: row.mechanism_groups.length ? row.mechanism_groups.map(visible) : ["none"],
    end: [endOf(row)],
  };
}

/**
 * @param {any} run
 * @returns {Record<string, string[]>}
 */
function choicesOf(run) {
  const names = ["tiling", "tier", "mechanism", "end"];
  const all = names.map((name) => /** @type {[string, string[]]} */ ([name, [...new Set(run.episodes.flatMap((/** @type {any} */ row) => valuesOf(row, run)[name]))].sort()]));
  const mistakes = run.mistakes.rows.map(mistakeName);
  return { ...(mistakes.length ? { mistake: mistakes } : {}), ...Object.fromEntries(all.filter(([, values]) => values.length > 1)) };
}

/** The rows of pictures that have not come into view yet.
 * @type {WeakMap<Element, any>} */
const undrawn = new WeakMap();
/** Draws pictures when they come into view. */
const views = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    views.unobserve(target);
    drawRoute(/** @type {HTMLElement} */ (target));
  }
}, { rootMargin: "200px" });

/**
 * @param {HTMLElement} place
 * @param {any} row
 */
function drawWhenSeen(place, row) {
  undrawn.set(place, row);
  views.observe(place);
}

/**
 * Draw the board at the start, with the way that the agent went and a ring where the decisive step was taken.
 * @param {HTMLElement} place
 */
async function drawRoute(place) {
  const row = undrawn.get(place);
  const scene = await readJson(row.scene);
  const board = new Board(scene);
  board.show(momentAfter(scene, [], 0), true, "");
  board.drawRoute(row.route ?? [], row.success ? null : row.decisive_cell ?? null);
  board.svg.setAttribute("aria-hidden", "true");
  board.svg.removeAttribute("role");
  place.replaceChildren(board.svg);
}

/** Endings at a step; others come after all steps.
 * @type {Set<string>} */
const AT_A_STEP = new Set(["died", "lost", "stuck", "circling"]);

/**
 * How an episode ended, and what was needed at its decisive step.
 * @param {any} row
 * @returns {string}
 */
export function story(row) {
  if (row.success !== false || !row.decisive_step || !row.needed) return ending(row);
  const needed = `needed to ${visible(row.needed)}`;
  return AT_A_STEP.has(row.ending) ? `${row.ending} at ${row.decisive_step} of ${row.steps}: ${needed}` : `${endOf(row)} after ${row.steps}; at ${row.decisive_step} ${needed}`;
}

/**
 * The kind of ending of an episode, in words.
 * @param {any} row
 * @returns {string}
 */
function endOf(row) {
  if (row.state !== "finished") return row.state;
  return row.scored && row.ending && row.ending !== "unknown" ? row.ending : endWords(row.end);
}

/**
 * The end of an episode, in a few words.
 * @param {any} row
 * @returns {string}
 */
export function ending(row) {
  if (row.state !== "finished") return row.state;
  const best = row.optimal ? ` (best ${row.optimal})` : row.unsolvable ? " (unsolvable)" : "";
  return row.success ? `solved in ${row.steps}${best}` : `${endWords(row.end)} after ${row.steps}${best}`;
}
