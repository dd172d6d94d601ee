// Safe display of texts from outside: invisible characters, and those that reverse the direction of text, become escapes.

const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

/**
 * A text in which every character is visible and has no other effect.
 * @param {unknown} text
 * @returns {string}
 */
export function visible(text) {
  return String(text).replace(INVISIBLE, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * A number with a fixed number of decimals; a dash for none.
 * @param {number | null | undefined} value
 * @param {number} decimals
 * @returns {string}
 */
export function decimal(value, decimals) {
  return value === null || value === undefined ? "–" : value.toFixed(decimals);
}

/**
 * A share as a percentage; a dash for none.
 * @param {number | null | undefined} share
 * @returns {string}
 */
export function percent(share) {
  return share === null || share === undefined ? "–" : `${Math.round(100 * share)} %`;
}

/**
 * A whole number with thin spaces between thousands; a dash for none.
 * @param {number | null | undefined} value
 * @returns {string}
 */
export function whole(value) {
  return value === null || value === undefined ? "–" : String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

/**
 * A number of things, in words.
 * @param {number} count
 * @param {string} thing one of them
 * @returns {string}
 */
export function counted(count, thing) {
  return `${whole(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** Reasons why episodes ended, where the name alone is unclear.
 * @type {Record<string, string>} */
const ENDS = {
  answer: "no usable answer", budget: "out of steps", death: "died", infrastructure: "infrastructure fault",
  plugin: "plugin fault",
};

/**
 * The reason why an episode ended, in words.
 * @param {string} reason
 * @returns {string}
 */
export function endWords(reason) {
  return Object.hasOwn(ENDS, reason) ? ENDS[reason] : inWords(reason);
}

/**
 * The words of a name such as ``PickedUp`` or ``no_effect``.
 * @param {string} name
 * @returns {string}
 */
export function inWords(name) {
  return visible(name).replace(/_/g, " ").replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
