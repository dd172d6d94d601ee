// A page of runs in progress, which the program that wrote it writes again and again.

import { placeNow } from "./address.js";
import { element } from "./dom.js";

/**
 * Reads the page anew every few seconds while its overview is looked at, and nothing on it is being used.
 * @param {number} seconds
 * @param {HTMLElement} main where what is used is
 * @returns {HTMLElement} what says so, with a switch
 */
export function following(seconds, main) {
  const box = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox", checked: true }));
  const isWatched = () => box.checked && !document.hidden && placeNow().episode === null && !main.contains(document.activeElement);
  setInterval(() => { if (isWatched()) location.reload(); }, 1000 * seconds);
  return element("section", { class: "follow", "aria-label": "A run in progress" },
    element("label", {}, box, ` in progress: read anew every ${seconds} s while the overview is looked at`),
    element("button", { type: "button", click: () => location.reload() }, "read anew now"));
}
