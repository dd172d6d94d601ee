// Tables that can be sorted by a click on a heading, and copied as CSV together.

import { element } from "./dom.js";

/** The content of each table of the page, by its figure.
 * @type {WeakMap<Element, () => string>} */
const contents = new WeakMap();
/** The order of texts: numbers in them count by value, so that ``2 to 3`` comes before ``10 to 12``. */
const TEXTS = new Intl.Collator("en", { numeric: true });

/**
 * A column: its heading, the value of a row by which it is sorted and copied, and its rendering if that differs. A column that
 * only draws the values of others is not copied.
 * @template Row
 * @typedef {{name: string, value: (row: Row) => string | number | null | undefined, show?: (row: Row) => Node | string, left?: boolean, draws?: boolean}} Column
 */

/**
 * A table with its caption.
 * @template Row
 * @param {string} caption
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 * @returns {HTMLElement}
 */
export function table(caption, columns, rows) {
  const body = element("tbody");
  /** @type {Row[]} */
  let order = rows;
  const fill = () => body.replaceChildren(...order.map((row) => line(columns, row)));
  const headings = columns.map((column) => heading(column, (ascending) => {
    order = sorted(rows, column, ascending);
    for (const other of headings) if (other !== headings[columns.indexOf(column)]) other.removeAttribute("aria-sort");
    fill();
  }));
  fill();
  const figure = element("figure", { class: "table" },
    element("figcaption", {}, caption),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      element("table", { "aria-label": caption }, element("thead", {}, element("tr", {}, ...headings)), body)));
  contents.set(figure, () => `${field(caption)}\n${csv(columns, order)}`);
  return figure;
}

/**
 * @template Row
 * @param {Column<Row>} column
 * @param {(ascending: boolean) => void} sort
 * @returns {HTMLElement}
 */
function heading(column, sort) {
  const cell = element("th", { scope: "col", class: column.left ? "left" : null },
    element("button", { type: "button", class: "plain", click: () => {
      const ascending = cell.getAttribute("aria-sort") !== "ascending";
      cell.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      sort(ascending);
    } }, column.name));
  return cell;
}

/**
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row} row
 * @returns {HTMLElement}
 */
function line(columns, row) {
  return element("tr", {}, ...columns.map((column) => {
    const shown = column.show ? column.show(row) : column.value(row) ?? "–";
    return column.left ? element("td", { class: "left" }, element("span", { class: "words" }, shown)) : element("td", {}, shown);
  }));
}

/**
 * Rows sorted by the values of a column; rows without a value come last.
 * @template Row
 * @param {Row[]} rows
 * @param {Column<Row>} column
 * @param {boolean} ascending
 * @returns {Row[]}
 */
export function sorted(rows, column, ascending) {
  const sign = ascending ? 1 : -1;
  return [...rows].sort((one, other) => {
    const [a, b] = [column.value(one), column.value(other)];
    if (a === b) return 0;
    if (a === null || a === undefined) return 1;
    if (b === null || b === undefined) return -1;
    if (typeof a === "string" && typeof b === "string") return sign * TEXTS.compare(a, b);
    return a < b ? -sign : sign;
  });
}

/**
 * A table as comma-separated values; values that a spreadsheet would take for formulas are quoted as text.
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 * @returns {string}
 */
export function csv(columns, rows) {
  const copied = columns.filter((column) => !column.draws);
  const lines = [copied.map((column) => column.name), ...rows.map((row) => copied.map((column) => column.value(row) ?? ""))];
  return lines.map((values) => values.map(field).join(",")).join("\n") + "\n";
}

/**
 * @param {string | number} value
 * @returns {string}
 */
function field(value) {
  const text = typeof value === "string" && /^([\t\r\n]|\s*[=+\-@＝＋－＠])/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A button that copies all tables of the page, each after its caption.
 * @returns {HTMLElement}
 */
export function copyButton() {
  const name = "copy all tables as CSV";
  const button = element("button", { type: "button", class: "copy", click: async () => {
    await copy([...document.querySelectorAll("figure.table")].map((figure) => contents.get(figure)?.() ?? "").join("\n"));
    button.textContent = "copied";
    setTimeout(() => { button.textContent = name; }, 1500);
  } }, name);
  return button;
}

/**
 * @param {string} text
 * @returns {Promise<void>}
 */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Not every browser lets a file write to the clipboard; a selection can always be copied.
    const area = /** @type {HTMLTextAreaElement} */ (element("textarea", { class: "away" }));
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
