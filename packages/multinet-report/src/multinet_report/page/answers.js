// The questions to a model, its answers, and their effects.

import { readBytes } from "./blocks.js";
import { element } from "./dom.js";
import { promptOf } from "./episode.js";
import { decimal, inWords, visible, whole } from "./text.js";

/** Number of characters of a long text that are shown at first. */
const LONG = 20000;

/**
 * Questions at a moment of an episode, with their answers and effects.
 * @param {any} episode
 * @param {[number, number][]} lattice cell to the lattice cell that it belongs to
 * @param {number} moment after so many steps
 * @returns {HTMLElement[]}
 */
export function saidAt(episode, lattice, moment) {
  const step = episode.steps[moment];
  const requests = step?.requests ?? (moment === episode.steps.length ? episode.pending : []);
  const came = episode.steps[moment - 1];
  return [
    ...(came ? [element("p", { class: "came" }, element("span", { class: "note" }, `step ${moment} `), stepText(came, lattice))] : []),
    ...(step || requests.length ? [element("h2", {}, `Asked here, for step ${moment + 1}`)] : []),
    ...requests.map((/** @type {any} */ request, /** @type {number} */ number) => requestView(episode, moment, request, number)),
    ...(step ? [element("p", { class: "does" }, element("span", { class: "note" }, "so "), stepText(step, lattice))] : []),
  ];
}

/**
 * The action of a step and its effects.
 * @param {any} step
 * @param {[number, number][]} lattice
 * @returns {HTMLElement}
 */
function stepText(step, lattice) {
  const what = step.action === null ? `no action (${inWords(step.kind)})` : inWords(step.action);
  const events = (step.events ?? []).map((/** @type {any} */ event) => eventText(event, lattice)).join("; ");
  const reward = step.reward ? `, reward ${decimal(step.reward, 3)}` : "";
  return element("span", {}, element("strong", {}, what), events ? `: ${events}${reward}` : reward);
}

/**
 * @param {any} episode
 * @param {number} moment
 * @param {any} request
 * @param {number} number
 * @returns {HTMLElement}
 */
function requestView(episode, moment, request, number) {
  const prompt = promptOf(episode, moment, number);
  const frame = /** @type {HTMLImageElement | null} */ (request.frame ? element("img", { class: "frame", alt: request.redrawn ? "The picture that the model saw, drawn again with the recorded pixels" : "The picture shown to the model", title: request.redrawn ? "drawn again; its pixels have the recorded digest" : null }) : null);
  if (frame) showFrame(frame, `frame-${request.frame}`);
  return element("article", { class: "request" },
    element("p", { class: `outcome ${request.outcome === "ok" ? "fine" : "fault"}` },
      element("strong", {}, inWords(request.outcome)), request.counts ? "" : " (repeated, not counted)",
      request.actions.length ? `: ${request.actions.map(inWords).join(", ")}` : "",
      request.message ? element("span", { class: "message" }, ` ${visible(request.message)}`) : ""),
    request.frame === null ? element("p", { class: "note" }, "The picture shown to the model cannot be read.") : frame,
    request.raw_output !== undefined ? longText("Raw answer", request.raw_output, true) : null,
    request.reasoning !== undefined ? longText("Reasoning", request.reasoning, true) : null,
    request.subgoal !== undefined ? longText("Subgoal", request.subgoal, true) : null,
    request.note !== undefined ? longText("Note to itself", request.note, true) : null,
    usageText(request),
    prompt && element("details", { class: "question" }, element("summary", {}, "Question, exactly as asked"),
      element("p", { class: "note" }, picturesText(episode.presentation)),
      ...messages(prompt).map(({ role, parts }) => messageView(role, parts)),
      request.settings && element("p", { class: "note" }, `sent with ${JSON.stringify(request.settings)}`)));
}

/**
 * Description of the pictures of a question.
 * @param {any} given
 * @returns {string}
 */
function picturesText(given) {
  const observation = given.observation ?? "image";
  const pictures = observation.split("+").includes("image");
  const earlier = given.history_images ? `, after ${given.history_images} earlier ones` : "";
  return pictures ? `With the picture of this moment${earlier}; the board shows what was visible on it.` : "Without a picture.";
}

/**
 * Parts of a prompt by message: consecutive ones of one role.
 * @param {[string, string, string][]} prompt
 * @returns {{role: string, parts: [string, string][]}[]}
 */
function messages(prompt) {
  /** @type {{role: string, parts: [string, string][]}[]} */
  const found = [];
  for (const [role, name, text] of prompt) {
    if (found.at(-1)?.role !== role) found.push({ role, parts: [] });
    found.at(-1)?.parts.push([name, text]);
  }
  return found;
}

/**
 * A message as it was sent, each part with its name.
 * @param {string} role
 * @param {[string, string][]} parts
 * @returns {HTMLElement}
 */
function messageView(role, parts) {
  const names = [...new Set(parts.map(([name]) => name))].join(", ");
  return element("details", {}, element("summary", {}, `${role}: ${visible(names)}`),
    element("pre", { dir: "auto", tabindex: 0 }, ...parts.map(([name, text]) => element("span", { class: "part", title: visible(name) }, visible(text)))));
}

/**
 * @param {HTMLImageElement} frame
 * @param {string} block
 */
async function showFrame(frame, block) {
  const bytes = await readBytes(block);
  frame.src = `data:image/png;base64,${btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join(""))}`;
}

/** Fields of events that hold cells, with their prepositions. */
const WHERE = new Map([["cell", "at"], ["origin", "from"], ["target", "to"], ["at", "at"]]);

/** Descriptions of events whose kind alone is ambiguous.
 * @type {Record<string, (event: any) => string>} */
const CALLED = {
  Turned: (event) => (event.right ? "turned right" : "turned left"),
  Moved: (event) => (event.backward ? "moved backward" : "moved"),
  Bumped: (event) => (event.entity === null ? "bumped into a wall" : "bumped into"),
  NoEffect: () => "no effect:",
  Died: () => "died on",
  Teleported: () => "teleported by",
  Switched: (event) => (event.on ? "switched on" : "switched off"),
};

/**
 * An event in words: its kind and its fields.
 * @param {any} event
 * @param {[number, number][]} lattice cell to the lattice cell that it belongs to
 * @returns {string}
 */
function eventText(event, lattice) {
  const called = Object.hasOwn(CALLED, event.kind) ? CALLED[event.kind](event) : undefined;
  const facts = Object.entries(event).filter(([name, value]) => name !== "kind" && value !== null && value !== false && !(called && value === true));
  return [called ?? inWords(event.kind), ...facts.map(([name, value]) => factText(name, value, lattice))].join(" ");
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {[number, number][]} lattice
 * @returns {string}
 */
function factText(name, value, lattice) {
  if (value === true) return inWords(name);
  if (typeof value === "string") return visible(value);
  const cells = WHERE.has(name) ? [value].flat().map((cell) => lattice[/** @type {number} */ (cell)]) : [];
  if (cells.length === 0 || cells.includes(/** @type {any} */ (undefined))) return `${inWords(name)} ${visible(JSON.stringify(value))}`;
  return `${WHERE.get(name)} ${[...new Set(cells.map((cell) => `(${cell.join(", ")})`))].join(", ")}`;
}

/**
 * A text from outside, with invisible characters escaped; a long one is cut until the reader expands it.
 * @param {string} name
 * @param {string} text
 * @param {boolean} open
 * @returns {HTMLElement}
 */
export function longText(name, text, open) {
  const shown = element("pre", { dir: "auto", tabindex: 0 }, visible(text.slice(0, LONG)));
  const rest = text.length <= LONG ? null : element("button", { type: "button", click: () => { shown.textContent = visible(text); rest?.remove(); } }, `show all ${whole(text.length)} characters`);
  return element("details", { open }, element("summary", {}, visible(name)), shown, rest);
}

/**
 * @param {any} request
 * @returns {HTMLElement | null}
 */
function usageText(request) {
  const usage = request.usage ?? {};
  const parts = [
    request.confidence === undefined ? null : `confidence ${decimal(request.confidence, 2)}`,
    usage.prompt_tokens === undefined ? null : `${whole(usage.prompt_tokens)} tokens in`,
    usage.completion_tokens === undefined ? null : `${whole(usage.completion_tokens)} tokens out`,
    usage.seconds === undefined ? null : `${decimal(usage.seconds, 2)} s`,
    request.cached ? "from the cache" : null,
  ].filter((part) => part !== null);
  return parts.length ? element("p", { class: "note" }, parts.join(", ")) : null;
}
