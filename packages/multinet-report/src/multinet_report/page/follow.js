// A page of runs in progress, which the program that wrote it rewrites regularly.

import { placeNow } from "./address.js";
import { element } from "./dom.js";

/**
 * Reload the page every few seconds while its overview is open and nothing on it is in use.
 * @param {number} seconds
 * @param {HTMLElement} main the element that may be in use
 * @returns {HTMLElement} what says so, with a switch
 */
export function following(seconds, main) {
  const box = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox", checked: true }));
  const isWatched = () => box.checked && !document.hidden && placeNow().episode === null && !main.contains(document.activeElement);
  setInterval(() => { if (isWatched()) location.reload(); }, 1000 * seconds);
  return element("section", { class: "follow", "aria-label": "A run in progress" },
    element("label", {}, box, ` in progress: reload every ${seconds} s while the overview is open`),
    element("button", { type: "button", click: () => location.reload() }, "reload now"));
}
