// Show the place that the address names: the overview of a run, or a moment of an episode.

import { filtersNow, overviewAddress, placeNow } from "./address.js";
import { readJson } from "./blocks.js";
import { element } from "./dom.js";
import { leaderboardView } from "./leaderboard.js";
import { overviewTitle, runTitle } from "./names.js";
import { overview } from "./overview.js";
import { Player } from "./player.js";
import { momentView, probingView } from "./probing.js";
import { suiteView } from "./suite.js";
import { visible } from "./text.js";

/** @type {Player | null} */
let player = null;
/** The overviews that were shown, by run, and where on the page the reader left them.
 * @type {Map<number, {view: HTMLElement, top: number}>} */
const seen = new Map();
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const head = /** @type {HTMLElement} */ (document.getElementById("head"));

/** @param {any} index */
async function showPlace(index) {
  const { runs, suite } = index;
  const place = placeNow();
  if (place.probing !== null || runs.length === 0) return showProbing(index, place.probing ?? 0, place.moment);
  const run = runs[place.run];
  if (run === undefined) return showProblem("This page has no such run.");
  for (const left of seen.values()) if (left.view.isConnected) left.top = scrollY;
  if (player !== null && isSameEpisode(player.place, place)) return player.go(place.step ?? player.opening);
  closePlayer();
  const title = suite ? [element("b", {}, visible(suite.name))] : place.episode === null ? overviewTitle(runs) : runTitle(run);
  head.replaceChildren(element(place.episode === null ? "h1" : "p", {}, ...title));
  if (place.episode === null) return showOverview(index, place.run);
  const opened = await Player.open(runs, place);
  if (!isSameEpisode(placeNow(), place)) return;  // the reader has moved on meanwhile
  if (opened === null) return showProblem("This page has no such episode.");
  player = opened;
  main.replaceChildren(player.element);
  scrollTo(0, 0);
  player.go(place.step ?? player.opening);
}

/**
 * Show the overview of a run, the one that the reader left if the address is the same.
 * @param {any} index
 * @param {number} number
 */
function showOverview(index, number) {
  const left = seen.get(number);
  if (left && overviewAddress(number) === (location.hash || "#")) {
    main.replaceChildren(left.view);
    return scrollTo(0, left.top);
  }
  const view = index.suite ? suiteView(index.suite, index.runs[number]) : overview(index, number, filtersNow());
  seen.set(number, { view, top: 0 });
  main.replaceChildren(view);
}

/**
 * @param {any} index
 * @param {number} number
 * @param {number | null} moment
 */
async function showProbing({ runs, probings }, number, moment) {
  const probing = probings[number];
  if (probing === undefined) return showProblem("This page has no such probing.");
  closePlayer();
  head.replaceChildren(element(moment === null ? "h1" : "p", {}, ...runTitle(probing)), ...(runs.length ? [element("a", { href: "#" }, "runs")] : []));
  const view = moment === null ? probingView(probing, number) : await momentView(probing, number, moment);
  if (view === null) return showProblem("This page has no such moment.");
  main.replaceChildren(view);
}

function closePlayer() {
  player?.close();
  player = null;
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

const index = await readJson("index");
if (index.leaderboard) {
  head.replaceChildren(element("h1", {}, element("b", {}, "Leaderboard"), ` on ${visible(index.leaderboard.suites)}`));
  main.replaceChildren(leaderboardView(index.leaderboard));
} else {
  history.scrollRestoration = "manual";
  addEventListener("hashchange", () => showPlace(index));
  addEventListener("keydown", (event) => player?.key(event));
  await showPlace(index);
}
main.dataset.ready = "";
