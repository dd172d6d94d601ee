// The current place on the page as the fragment of its address, so that links to a step can be shared.

/**
 * `beside` is another run; a moment is one of a probing. Without a step, an episode is opened at its decisive one.
 * @typedef {{run: number, episode: number | null, step: number | null, beside: number | null, probing: number | null, moment: number | null}} Place
 */

/**
 * The place that the address names.
 * @returns {Place}
 */
export function placeNow() {
  const given = new URLSearchParams(location.hash.slice(1));
  return { run: count(given.get("run")) ?? 0, episode: count(given.get("episode")), step: count(given.get("step")), beside: count(given.get("beside")),
    probing: count(given.get("probing")), moment: count(given.get("moment")) };
}

/**
 * The address of a place.
 * @param {Partial<Place>} place
 * @returns {string}
 */
export function addressOf({ run = 0, episode = null, step = null, beside = null, probing = null, moment = null }) {
  const named = [["probing", probing], ["moment", moment], ["run", run || null], ["episode", episode], ["step", step], ["beside", beside]].filter(([, value]) => value !== null);
  return `#${named.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

/** Names of the filters of an overview. */
const FILTERS = ["task", "mistake", "tiling", "tier", "mechanism", "end", "order"];

/**
 * The filters that the address names.
 * @returns {Record<string, string>}
 */
export function filtersNow() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(FILTERS.flatMap((name) => (given.has(name) ? [[name, given.get(name) ?? ""]] : [])));
}

/** What was last chosen on the overviews, by run: their addresses with the filters, and the numbers of the episodes in order.
 * @type {Map<number, {address: string, episodes: number[]}>} */
const overviews = new Map();

/**
 * Put the filters of an overview into the address, and remember them.
 * @param {number} run
 * @param {Record<string, string>} filters
 * @param {number[]} episodes numbers of the filtered episodes, in order
 */
export function keepOverview(run, filters, episodes) {
  const named = Object.entries(filters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const address = [addressOf({ run }), ...named].join("&").replace("#&", "#");
  overviews.set(run, { address, episodes });
  if (named.length > 0 || Object.keys(filtersNow()).length > 0) history.replaceState(null, "", address);
}

/**
 * The address of an overview as it was left.
 * @param {number} run
 * @returns {string}
 */
export function overviewAddress(run) {
  return overviews.get(run)?.address ?? addressOf({ run });
}

/**
 * The numbers of the episodes of an overview as it was left; none if it has not been shown.
 * @param {number} run
 * @returns {number[]}
 */
export function overviewEpisodes(run) {
  return overviews.get(run)?.episodes ?? [];
}

/**
 * @param {string | null} text
 * @returns {number | null}
 */
function count(text) {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
