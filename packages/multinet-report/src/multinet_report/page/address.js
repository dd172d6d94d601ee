// The current place on the page as the fragment of its address, so that links to a step can be shared.

/**
 * `beside` is another run; a moment is one of a probing.
 * @typedef {{run: number, episode: number | null, step: number, beside: number | null, probing: number | null, moment: number | null}} Place
 */

/**
 * The place that the address names.
 * @returns {Place}
 */
export function placeNow() {
  const given = new URLSearchParams(location.hash.slice(1));
  return { run: count(given.get("run")) ?? 0, episode: count(given.get("episode")), step: count(given.get("step")) ?? 0, beside: count(given.get("beside")),
    probing: count(given.get("probing")), moment: count(given.get("moment")) };
}

/**
 * The address of a place.
 * @param {Partial<Place>} place
 * @returns {string}
 */
export function addressOf({ run = 0, episode = null, step = 0, beside = null, probing = null, moment = null }) {
  const named = [["probing", probing], ["moment", moment], ["run", run || null], ["episode", episode], ["step", episode === null ? null : step], ["beside", beside]].filter(([, value]) => value !== null);
  return `#${named.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

/**
 * @param {string | null} text
 * @returns {number | null}
 */
function count(text) {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
