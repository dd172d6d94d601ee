// All episodes of a run, each with a small picture, which can be filtered, sorted and opened.

import { addressOf } from "./address.js";
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
  "in order": { value: (row) => row.number, ascending: true },
  "by task": { value: (row) => row.task_id, ascending: true },
  "failures first": { value: (row) => Number(row.success ?? 2), ascending: true },
  "most steps first": { value: (row) => row.steps ?? null, ascending: false },
  "least efficient first": { value: (row) => row.ratio ?? null, ascending: true },
};

/**
 * The grid of a run.
 * @param {any} run
 * @param {number} number the index of the run on the page
 * @param {(row: any) => string} told the text for an episode
 * @param {string} title
 * @returns {HTMLElement}
 */
export function taskGrid(run, number, told = ending, title = "Episodes") {
  const cards = element("ul", { class: "cards" });
  const count = element("p", { class: "note", role: "status" });
  const more = element("button", { type: "button", click: () => { shown += PORTION; fill(); } }, "show more");
  const filters = Object.entries(choicesOf(run.episodes)).map(([name, choices]) => choice(name, choices, () => restart()));
  const order = choice("order", Object.keys(ORDERS), () => restart());
  const search = /** @type {HTMLInputElement} */ (element("input", { type: "search", placeholder: "task", "aria-label": "Filter by task name", input: () => restart() }));
  let shown = PORTION;
  const restart = () => { shown = PORTION; fill(); };
  const fill = () => {
    const rows = run.episodes.filter((/** @type {any} */ row) => visible(row.task_id).toLowerCase().includes(search.value.toLowerCase())
      && filters.every(({ name, select }) => select.value === "" || valuesOf(row)[name].includes(select.value)));
    const { value, ascending } = ORDERS[order.select.value] ?? ORDERS["in order"];
    const ordered = sorted(rows, { name: "", value }, ascending);
    cards.replaceChildren(...ordered.slice(0, shown).map((row) => card(row, number, told(row))));
    count.textContent = `${rows.length} of ${run.episodes.length}`;
    more.hidden = ordered.length <= shown;
  };
  fill();
  return element("section", { class: "tasks", "aria-label": title },
    element("h2", {}, title),
    element("div", { class: "filters" }, search, ...filters.map(({ label }) => label), order.label, count),
    cards, more);
}

/**
 * The properties by which an episode can be filtered.
 * @param {any} row
 * @returns {Record<string, string[]>}
 */
function valuesOf(row) {
  return {
    tiling: [visible(row.tiling ?? "none")],
    tier: row.tier === undefined ? [] : [String(row.tier)],
    mechanism: row.mechanisms.map(visible),
    end: [row.end ? endWords(row.end) : row.state],
  };
}

/**
 * @param {any[]} rows
 * @returns {Record<string, string[]>}
 */
function choicesOf(rows) {
  const names = ["tiling", "tier", "mechanism", "end"];
  const all = names.map((name) => /** @type {[string, string[]]} */ ([name, [...new Set(rows.flatMap((row) => valuesOf(row)[name]))].sort()]));
  return Object.fromEntries(all.filter(([, values]) => values.length > 1).map(([name, values]) => [name, ["", ...values]]));
}

/**
 * @param {string} name
 * @param {string[]} choices
 * @param {() => void} changed
 * @returns {{name: string, select: HTMLSelectElement, label: HTMLElement}}
 */
function choice(name, choices, changed) {
  const select = /** @type {HTMLSelectElement} */ (element("select", { change: changed }, ...choices.map((each) => element("option", { value: each }, each || "any"))));
  return { name, select, label: element("label", {}, `${name} `, select) };
}

/** Draws pictures when they come into view. */
const views = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    views.unobserve(target);
    drawStart(/** @type {HTMLElement} */ (target));
  }
}, { rootMargin: "200px" });

/** @param {HTMLElement} place */
async function drawStart(place) {
  const scene = await readJson(place.dataset.scene ?? "");
  const board = new Board(scene);
  board.show(momentAfter(scene, [], 0), true, "");
  board.svg.setAttribute("aria-hidden", "true");
  board.svg.removeAttribute("role");
  place.replaceChildren(board.svg);
}

/**
 * @param {any} row
 * @param {number} run
 * @param {string} end how it ended, in words
 * @returns {HTMLElement}
 */
function card(row, run, end) {
  const picture = element("div", { class: "picture", "data-scene": row.scene });
  if (row.scene) views.observe(picture);
  const name = element("span", { class: "name" }, visible(row.task_id));
  const facts = [row.tiling && visible(row.tiling), row.epoch ? `epoch ${row.epoch}` : null].filter(Boolean).join(", ");
  const inside = [picture, name, element("span", { class: `end ${row.success ? "won" : row.success === false ? "failed" : "open"}` }, end), element("span", { class: "note" }, facts)];
  const link = row.block ? element("a", { href: addressOf({ run, episode: row.number }) }, ...inside) : element("div", {}, ...inside);
  return element("li", {}, link);
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
