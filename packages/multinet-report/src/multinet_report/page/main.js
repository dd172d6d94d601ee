// Shows the place that the address names: the overview of a run, or a moment of an episode.

import { placeNow } from "./address.js";
import { readJson } from "./blocks.js";
import { element } from "./dom.js";
import { overview } from "./overview.js";
import { Player } from "./player.js";
import { visible } from "./text.js";

/** @type {Player | null} */
let player = null;
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const head = /** @type {HTMLElement} */ (document.getElementById("head"));

/** @param {any[]} runs */
async function showPlace(runs) {
  const place = placeNow();
  const run = runs[place.run];
  if (run === undefined) return showProblem("This page has no such run.");
  if (player !== null && isSameEpisode(player.place, place)) return player.go(place.step);
  player?.close();
  player = null;
  head.replaceChildren(element(place.episode === null ? "h1" : "p", {}, element("b", {}, visible(run.model)), " on ", visible(run.suite), element("span", { class: "note" }, ` ${visible(run.created).slice(0, 10)} · ${visible(run.name)}`)));
  if (place.episode === null) return main.replaceChildren(overview(runs, place.run));
  const opened = await Player.open(runs, place);
  if (!isSameEpisode(placeNow(), place)) return;  // somebody has gone on meanwhile
  if (opened === null) return showProblem("This page has no such episode.");
  player = opened;
  main.replaceChildren(player.element);
  player.go(place.step);
}

/**
 * @param {import("./address.js").Place} one
 * @param {import("./address.js").Place} other
 * @returns {boolean}
 */
function isSameEpisode(one, other) {
  return one.run === other.run && one.episode === other.episode && one.beside === other.beside;
}

/** @param {string} text */
function showProblem(text) {
  main.replaceChildren(element("p", { class: "problems" }, text), element("p", {}, element("a", { href: "#" }, "overview")));
}

const { runs } = await readJson("index");
addEventListener("hashchange", () => showPlace(runs));
addEventListener("keydown", (event) => player?.key(event));
await showPlace(runs);
main.dataset.ready = "";
