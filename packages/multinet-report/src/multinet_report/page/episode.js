// The appearance of an episode at each of its moments, as a fold over its recorded steps.

/** @typedef {[boolean, number | null, number[]] | null} Look */
/**
 * A moment: the position of the agent, the look of each cell, and the look that the model is shown (null if it is shown everything).
 * @typedef {{agent: [number, number, string | null] | null, carried: number | null, looks: Look[], shown: Look[] | null}} Moment
 */

/**
 * The moment after so many steps.
 * @param {any} scene
 * @param {any[]} steps
 * @param {number} count
 * @returns {Moment}
 */
export function momentAfter(scene, steps, count) {
  /** @type {Moment & {agent: [number, number, string | null]}} */
  const moment = { agent: scene.agent, carried: null, looks: [...scene.looks], shown: scene.shown && [...scene.shown] };
  for (const step of steps.slice(0, count)) {
    const held = moment.agent[2];
    moment.agent = step.agent ?? moment.agent;
    if (moment.agent[2] !== held) moment.carried = takenGlyph(moment.looks, step);
    assign(moment.looks, step.looks);
    if (moment.shown) assign(moment.shown, step.shown);
  }
  return moment;
}

/**
 * @param {Look[]} looks
 * @param {Record<string, Look> | undefined} changes
 */
function assign(looks, changes) {
  for (const [cell, look] of Object.entries(changes ?? {})) looks[Number(cell)] = look;
}

/**
 * The glyph of the object that the agent took in a step: the topmost one where the object was.
 * @param {Look[]} looks before the step
 * @param {any} step
 * @returns {number | null}
 */
function takenGlyph(looks, step) {
  const taken = (step.events ?? []).find((/** @type {any} */ event) => event.kind === "PickedUp");
  const look = taken === undefined ? null : looks[taken.cell];
  return look?.[2].at(-1) ?? null;
}

/**
 * The cells that the agent visited, in order.
 * @param {any} scene
 * @param {any[]} steps
 * @param {number} count
 * @returns {number[]}
 */
export function cellsVisited(scene, steps, count) {
  const cells = [scene.agent[0], ...steps.slice(0, count).map((step) => step.agent?.[0])];
  return cells.filter((cell, place) => cell !== undefined && cell !== cells[place - 1]);
}

/**
 * The parts of what was sent for a request; an unchanged prompt comes from the request before.
 * @param {any} episode
 * @param {number} step the number of the step, from 0
 * @param {number} request which of its requests
 * @returns {[string, string, string][] | null} role, name and text of each part; null where none was recorded
 */
export function promptOf(episode, step, request) {
  const requests = [...episode.steps.map((/** @type {any} */ each) => each.requests), episode.pending];
  for (let at = step, last = request; at >= 0; at--, last = (requests[at]?.length ?? 0) - 1) {
    for (let place = last; place >= 0; place--) {
      const written = requests[at][place].prompt;
      if (written?.length === 0) return null; // it was not recorded
      if (written) return written.map((/** @type {[string, string, number[]]} */ [role, name, numbers]) => [role, name, numbers.map((number) => episode.lines[number]).join("\n")]);
    }
  }
  return null;
}

/**
 * The shortest plan from a moment: its actions and its cells.
 * @param {any} ways
 * @param {number} moment
 * @returns {{actions: number[], cells: number[]} | null}
 */
export function planFrom(ways, moment) {
  let place = ways?.plans[moment] ?? null;
  if (place === null) return null;
  /** @type {{actions: number[], cells: number[]}} */
  const plan = { actions: [], cells: [] };
  while (place >= 0) {
    const [cell, , action, onward] = ways.nodes[place];
    if (plan.cells.at(-1) !== cell) plan.cells.push(cell);
    if (action !== null) plan.actions.push(action);
    place = onward;
  }
  return plan;
}
