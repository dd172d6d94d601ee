// Plays an episode: the board, what was asked and answered at each step, and how far from success it was.

import { addressOf } from "./address.js";
import { readBytes, readJson } from "./blocks.js";
import { Board } from "./board.js";
import { distanceChart } from "./distances.js";
import { element, factList } from "./dom.js";
import { cellsVisited, momentAfter, planFrom, promptOf } from "./episode.js";
import { ending } from "./tasks.js";
import { decimal, inWords, visible, whole } from "./text.js";

const ACTIONS = ["turn_left", "turn_right", "move_forward", "pickup", "drop", "toggle", "done"];
/** Steps a second. */
const SPEEDS = [1, 2, 4, 8, 16];
/** How much of a long text is shown at first, in characters. */
const LONG = 20000;
/** Milliseconds. */
const PAUSE = 150;

/** The player of one episode. */
export class Player {
  /**
   * @param {any[]} runs
   * @param {import("./address.js").Place} place
   * @param {any} episode
   * @param {any | null} scene
   */
  constructor(runs, place, episode, scene) {
    this.runs = runs;
    this.run = runs[place.run];
    this.row = this.run.episodes.find((/** @type {any} */ row) => row.number === place.episode);
    this.place = place;
    this.episode = episode;
    this.scene = scene;
    this.last = episode.steps.length;
    this.step = 0;
    this.truth = false;
    this.planShown = false;
    this.speed = 4;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {number | undefined} */
    this.remembering = undefined;
    this.board = scene && new Board(scene);
    this.chart = episode.ways && distanceChart(episode.ways.distances, (step) => this.go(step));
    this.said = element("section", { class: "said", "aria-label": "Question and answer" });
    this.told = element("p", { class: "told", role: "status" });
    this.slider = /** @type {HTMLInputElement} */ (element("input", { type: "range", min: 0, max: this.last, value: 0, step: 1, "aria-label": "Step", input: () => this.go(Number(this.slider.value)) }));
    this.playButton = element("button", { type: "button", click: () => this.toggle() }, "play");
    this.hand = element("span", { class: "hand" });
    this.planText = element("p", { class: "plan-text" });
    this.truthBox = this.checkbox("whole truth (t)", () => { this.truth = this.truthBox.checked; this.show(); });
    this.planBox = this.checkbox("optimal plan from here (o)", () => { this.planShown = this.planBox.checked; this.show(); });
    this.element = this.laidOut();
  }

  /**
   * Read what is needed, and make the player.
   * @param {any[]} runs
   * @param {import("./address.js").Place} place
   * @returns {Promise<Player | null>} null where the page has no such episode
   */
  static async open(runs, place) {
    const row = runs[place.run]?.episodes.find((/** @type {any} */ each) => each.number === place.episode);
    if (!row?.block) return null;
    const episode = await readJson(row.block);
    return new Player(runs, place, episode, episode.scene ? await readJson(episode.scene) : null);
  }

  /**
   * Go to the moment after so many steps, and say so in the address.
   * @param {number} step
   */
  go(step) {
    this.step = Math.min(Math.max(step, 0), this.last);
    this.slider.value = String(this.step);
    this.remember();
    if (this.step === this.last) this.pause();
    this.show();
  }

  /** Put the moment into the address, once nobody has moved on for a while: browsers refuse to do so all the time. */
  remember() {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => history.replaceState(null, "", addressOf({ ...this.place, step: this.step })), PAUSE);
  }

  /** Show the present moment. */
  show() {
    this.told.textContent = this.step === this.last ? `after the last of ${this.last} steps: ${this.endText()}` : `after ${this.step} of ${this.last} steps`;
    this.slider.setAttribute("aria-valuetext", this.told.textContent);
    if (this.board) this.showBoard();
    this.chart?.mark(this.step);
    this.showSaid();
  }

  showBoard() {
    const moment = momentAfter(this.scene, this.episode.steps, this.step);
    const known = this.scene.shown !== null;
    const view = known && !this.truth ? "as the model saw it" : "everything";
    const [cell, , carried] = moment.agent ?? [0, 0, null];
    const hand = carried === null ? "" : `, carrying ${visible(carried)}`;
    this.board.show(moment, this.truth || !known, `Board, ${view}: agent on ${this.scene.lattice[cell].join(", ")}${hand}`);
    this.board.drawWay("trace", cellsVisited(this.scene, this.episode.steps, this.step));
    const plan = this.planShown ? planFrom(this.episode.ways, this.step) : null;
    this.board.drawWay("plan", plan?.cells ?? []);
    this.hand.textContent = carried === null ? "" : `carries ${visible(carried)}`;
    this.planText.textContent = !this.planShown ? "" : plan ? planWords(plan.actions) : "no plan leads to success from here";
  }

  async showSaid() {
    const step = this.episode.steps[this.step];
    const requests = step?.requests ?? this.episode.pending;
    const came = this.episode.steps[this.step - 1];
    this.said.replaceChildren(
      came ? element("p", { class: "came" }, element("span", { class: "note" }, `step ${this.step} `), this.stepText(came)) : "",
      step || requests.length ? element("h2", {}, `Asked here, for step ${this.step + 1}`) : "",
      ...requests.map((/** @type {any} */ request, /** @type {number} */ number) => this.requestView(request, number)),
      step ? element("p", { class: "does" }, element("span", { class: "note" }, "so "), this.stepText(step)) : "");
  }

  /**
   * What was done in a step, and what it did.
   * @param {any} step
   * @returns {HTMLElement}
   */
  stepText(step) {
    const what = step.action === null ? `no action (${inWords(step.kind)})` : inWords(step.action);
    const events = (step.events ?? []).map((/** @type {any} */ event) => eventText(event, this.scene?.lattice ?? [])).join("; ");
    const reward = step.reward ? `, reward ${decimal(step.reward, 3)}` : "";
    return element("span", {}, element("strong", {}, what), events ? `: ${events}${reward}` : reward);
  }

  /**
   * @param {any} request
   * @param {number} number
   * @returns {HTMLElement}
   */
  requestView(request, number) {
    const prompt = promptOf(this.episode, this.step, number);
    const frame = /** @type {HTMLImageElement | null} */ (request.frame ? element("img", { class: "frame", alt: "The picture that the model was shown" }) : null);
    if (frame) showFrame(frame, `frame-${request.frame}`);
    return element("article", { class: "request" },
      element("p", { class: `outcome ${request.outcome === "ok" ? "fine" : "fault"}` },
        element("strong", {}, inWords(request.outcome)), request.counts ? "" : " (asked again, does not count)",
        request.actions.length ? `: ${request.actions.map(inWords).join(", ")}` : "",
        request.message ? element("span", { class: "message" }, ` ${visible(request.message)}`) : ""),
      frame,
      request.raw_output !== undefined ? longText("Raw answer", request.raw_output, true) : null,
      request.reasoning !== undefined ? longText("Reasoning", request.reasoning, true) : null,
      request.subgoal !== undefined ? longText("Subgoal", request.subgoal, true) : null,
      request.note !== undefined ? longText("Note to itself", request.note, true) : null,
      usageText(request),
      prompt && element("details", { class: "question" }, element("summary", {}, "Question, exactly as asked"),
        element("p", { class: "note" }, this.picturesText()),
        ...prompt.map(([role, text]) => longText(role, text, false))));
  }

  /** Which pictures a question had, in words. */
  picturesText() {
    const given = this.episode.presentation;
    const observation = given.observation ?? "image";
    const pictures = observation.split("+").includes("image");
    const earlier = given.history_images ? `, after ${given.history_images} earlier ones` : "";
    return pictures ? `With the picture of this moment${earlier}; the board shows what was to be seen on it.` : "Without a picture.";
  }

  endText() {
    const { end } = this.episode;
    if (end === null) return "not ended";
    return end.error ? `${inWords(end.reason)}: ${visible(end.error)}` : inWords(end.reason);
  }

  /** The page goes elsewhere. */
  close() {
    this.pause();
    clearTimeout(this.remembering);
  }

  toggle() {
    if (this.timer !== undefined) this.pause();
    else this.play();
  }

  play() {
    if (this.step === this.last) this.go(0);
    this.playButton.textContent = "pause";
    this.timer = setInterval(() => this.go(this.step + 1), 1000 / this.speed);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.playButton.textContent = "play";
  }

  /**
   * Obey a key, if it is one of the player's.
   * @param {KeyboardEvent} event
   */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const onSlider = event.target === this.slider;
    /** @type {Record<string, () => void>} */
    const keys = {
      " ": () => this.toggle(),
      ArrowRight: () => this.go(this.step + 1),
      ArrowLeft: () => this.go(this.step - 1),
      Home: () => this.go(0),
      End: () => this.go(this.last),
      t: () => this.truthBox.click(),
      o: () => this.planBox.click(),
      "]": () => this.leave(1),
      "[": () => this.leave(-1),
      Escape: () => { location.hash = addressOf({ run: this.place.run }); },
    };
    const does = keys[event.key];
    if (does === undefined || (event.key === " " && event.target instanceof HTMLButtonElement) || (onSlider && event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    does();
  }

  /**
   * Go to another episode of the run.
   * @param {number} by
   */
  leave(by) {
    const open = this.run.episodes.filter((/** @type {any} */ row) => row.block);
    const next = open[open.indexOf(this.row) + by];
    if (next) location.hash = addressOf({ run: this.place.run, episode: next.number });
  }

  /**
   * @param {string} label
   * @param {() => void} changed
   * @returns {HTMLInputElement}
   */
  checkbox(label, changed) {
    const box = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox", change: changed }));
    element("label", {}, box, ` ${label}`);
    return box;
  }

  laidOut() {
    const speed = /** @type {HTMLSelectElement} */ (element("select", { "aria-label": "Steps a second", change: () => { this.speed = Number(speed.value); if (this.timer !== undefined) { this.pause(); this.play(); } } },
      ...SPEEDS.map((each) => element("option", { value: each, selected: each === this.speed }, `${each} a second`))));
    const button = (/** @type {string} */ text, /** @type {string} */ name, /** @type {() => void} */ does) => element("button", { type: "button", "aria-label": name, click: does }, text);
    const controls = element("div", { class: "controls", role: "group", "aria-label": "Player" },
      button("⇤", "To the start", () => this.go(0)), button("←", "One step back", () => this.go(this.step - 1)), this.playButton,
      button("→", "One step on", () => this.go(this.step + 1)), button("⇥", "To the end", () => this.go(this.last)),
      speed,
      this.scene?.shown ? this.truthBox.parentElement : null,
      this.episode.ways ? this.planBox.parentElement : null);
    return element("div", { class: "player" },
      element("nav", { "aria-label": "Episodes" },
        element("a", { href: addressOf({ run: this.place.run }) }, "overview (Esc)"),
        button("previous [", "Previous episode", () => this.leave(-1)), button("next ]", "Next episode", () => this.leave(1))),
      element("h1", {}, visible(this.row.task_id)),
      element("p", { class: "mission" }, visible(this.episode.header.mission ?? "")),
      factList([["model", visible(this.run.model)], ["end", ending(this.row)], ["tiling", visible(this.row.tiling ?? "none")], ["budget", whole(this.row.max_steps)],
        ...(this.row.mechanisms.length ? [/** @type {[string, string]} */ (["mechanisms", this.row.mechanisms.map(visible).join(", ")])] : [])]),
      element("div", { class: "halves" },
        element("section", { class: "shown", "aria-label": "Board and player" },
          this.board ? this.board.svg : element("p", { class: "note" }, "There is no board of this episode: its backend keeps none."),
          element("p", { class: "status" }, this.told, this.hand), this.slider, controls, this.chart?.figure ?? null, this.planText),
        this.said));
  }
}

/**
 * @param {HTMLImageElement} frame
 * @param {string} block
 */
async function showFrame(frame, block) {
  const bytes = await readBytes(block);
  frame.src = `data:image/png;base64,${btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join(""))}`;
}

/** What is recorded of events that are cells, and how that is put. */
const WHERE = new Map([["cell", "at"], ["origin", "from"], ["target", "to"]]);

/**
 * An event in words: its kind, and what is recorded of it.
 * @param {any} event
 * @param {[number, number][]} lattice cell to the lattice cell that it belongs to
 * @returns {string}
 */
function eventText(event, lattice) {
  const facts = Object.entries(event).filter(([name, value]) => name !== "kind" && value !== null && value !== false);
  return [inWords(event.kind), ...facts.map(([name, value]) => factText(name, value, lattice))].join(" ");
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
  const place = WHERE.has(name) && typeof value === "number" ? lattice[value] : undefined;
  return place ? `${WHERE.get(name)} (${place.join(", ")})` : `${inWords(name)} ${visible(JSON.stringify(value))}`;
}

/**
 * @param {number[]} actions
 * @returns {string}
 */
function planWords(actions) {
  /** @type {string[]} */
  const parts = [];
  for (let at = 0; at < actions.length; ) {
    const action = actions[at];
    let end = at;
    while (actions[end] === action) end++;
    parts.push(inWords(ACTIONS[action]) + (end - at > 1 ? ` × ${end - at}` : ""));
    at = end;
  }
  return `${actions.length} actions: ${parts.join(", ")}`;
}

/**
 * A text of somebody else, as it came but for what cannot be seen; a long one is cut until all of it is asked for.
 * @param {string} name
 * @param {string} text
 * @param {boolean} open
 * @returns {HTMLElement}
 */
function longText(name, text, open) {
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

/**
 * @param {EventTarget | null} target
 * @returns {boolean}
 */
function isTyping(target) {
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "search");
}
