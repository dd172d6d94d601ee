// Play an episode, or two episodes of one task beside each other.

import { addressOf, overviewAddress, overviewEpisodes } from "./address.js";
import { element, factList } from "./dom.js";
import { runName } from "./names.js";
import { counterpart } from "./pairs.js";
import { Side } from "./side.js";
import { ending } from "./tasks.js";
import { visible, whole } from "./text.js";

/** Steps per second. */
const SPEEDS = [1, 2, 4, 8, 16];
/** Milliseconds without a move until the address is updated. */
const PAUSE = 150;

/** The player. */
export class Player {
  /**
   * @param {any[]} runs
   * @param {import("./address.js").Place} place
   * @param {any} row
   */
  constructor(runs, place, row) {
    this.runs = runs;
    this.run = runs[place.run];
    this.row = row;
    this.place = place;
    /** @type {Side[]} */
    this.sides = [];
    this.last = 0;
    this.step = 0;
    this.truth = false;
    this.planShown = false;
    this.speed = 4;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {number | undefined} */
    this.remembering = undefined;
    this.slider = /** @type {HTMLInputElement} */ (element("input", { type: "range", min: 0, value: 0, step: 1, "aria-label": "Step", input: () => this.go(Number(this.slider.value)) }));
    this.playButton = element("button", { type: "button", click: () => this.toggle() }, "play");
    this.truthBox = this.checkbox("full state (t)", () => { this.truth = this.truthBox.checked; this.show(); });
    this.planBox = this.checkbox("optimal plan from here (o)", () => { this.planShown = this.planBox.checked; this.show(); });
    this.element = element("div", { class: "player" });
  }

  /**
   * Load the data and make the player.
   * @param {any[]} runs
   * @param {import("./address.js").Place} place
   * @returns {Promise<Player | null>} null where the page has no such episode
   */
  static async open(runs, place) {
    const row = runs[place.run]?.episodes.find((/** @type {any} */ each) => each.number === place.episode);
    if (!row?.block) return null;
    const player = new Player(runs, place, row);
    const other = place.beside === null ? undefined : counterpart(runs, row, place.beside);
    const rows = other ? [row, other] : [row];
    player.sides = await Promise.all(rows.map((each) => Side.open(each, (step) => player.go(step))));
    player.last = Math.max(...player.sides.map((side) => side.last));
    player.slider.max = String(player.last);
    player.layOut(other);
    return player;
  }

  /** The moment of the decisive step of a failed episode, otherwise the start. */
  get opening() {
    return this.row.success === false && this.row.decisive_step ? this.row.decisive_step - 1 : 0;
  }

  /** The moments at which mistakes were made, in order. */
  get mistakes() {
    return this.sides[0].mistakes.map(({ step }) => step - 1);
  }

  /**
   * Go to a moment if there is one.
   * @param {number | undefined} moment
   */
  goTo(moment) {
    if (moment !== undefined) this.go(moment);
  }

  goToNextMistake() {
    this.goTo(this.mistakes.find((moment) => moment > this.step));
  }

  goToPreviousMistake() {
    this.goTo(this.mistakes.findLast((moment) => moment < this.step));
  }

  /**
   * Go to the moment after a number of steps, and update the address.
   * @param {number} step
   */
  go(step) {
    this.step = Math.min(Math.max(step, 0), this.last);
    this.slider.value = String(this.step);
    this.remember();
    if (this.step === this.last) this.pause();
    this.show();
  }

  /** Put the moment into the address after a pause, since browsers limit how often it may change. */
  remember() {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => history.replaceState(null, "", addressOf({ ...this.place, step: this.step })), PAUSE);
  }

  /** Show the current moment. */
  show() {
    for (const side of this.sides) side.show(this.step, this.truth, this.planShown);
    this.slider.setAttribute("aria-valuetext", this.sides[0].told.textContent ?? "");
  }

  /** Stop, since the page shows another place. */
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
   * Handle a key, if it is one of the player's.
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
      n: () => this.goToNextMistake(),
      p: () => this.goToPreviousMistake(),
      f: () => this.goTo(this.mistakes[0]),
      "]": () => this.leave(1),
      "[": () => this.leave(-1),
      Escape: () => { location.hash = overviewAddress(this.place.run); },
    };
    const does = keys[event.key];
    if (does === undefined || (event.key === " " && event.target instanceof HTMLButtonElement) || (onSlider && event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    does();
  }

  /** The numbers of the episodes that can be opened: those of the overview as it was left, if this one is among them. */
  get episodes() {
    const open = this.run.episodes.filter((/** @type {any} */ row) => row.block).map((/** @type {any} */ row) => row.number);
    const left = overviewEpisodes(this.place.run).filter((number) => open.includes(number));
    return left.includes(this.row.number) ? left : open;
  }

  /**
   * Go to another episode.
   * @param {number} by
   */
  leave(by) {
    const next = this.episodes[this.episodes.indexOf(this.row.number) + by];
    if (next !== undefined) location.hash = addressOf({ run: this.place.run, episode: next, beside: this.place.beside });
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

  /** @param {any} other the row of the episode beside this one, if there is one */
  layOut(other) {
    const speed = /** @type {HTMLSelectElement} */ (element("select", { "aria-label": "Steps per second", change: () => { this.speed = Number(speed.value); if (this.timer !== undefined) { this.pause(); this.play(); } } },
      ...SPEEDS.map((each) => element("option", { value: each, selected: each === this.speed }, `${each} per second`))));
    const controls = element("div", { class: "controls", role: "group", "aria-label": "Player" },
      button("⇤", "To the start", () => this.go(0)), button("←", "One step back", () => this.go(this.step - 1)), this.playButton,
      button("→", "One step forward", () => this.go(this.step + 1)), button("⇥", "To the end", () => this.go(this.last)),
      speed,
      ...(this.mistakes.length ? [button("mistake ← p", "previous mistake ← p", () => this.goToPreviousMistake()), button("mistake → n", "next mistake → n", () => this.goToNextMistake())] : []),
      this.sides.some((side) => side.hides) ? this.truthBox.parentElement : null,
      this.sides.some((side) => side.board && side.episode.ways) ? this.planBox.parentElement : null);
    this.element.replaceChildren(
      element("nav", { "aria-label": "Episodes" },
        element("a", { href: overviewAddress(this.place.run) }, "overview (Esc)"),
        button("previous [", "Previous episode", () => this.leave(-1)), button("next ]", "Next episode", () => this.leave(1)),
        element("span", { class: "note" }, `${this.episodes.indexOf(this.row.number) + 1} of ${this.episodes.length}`),
        ...this.besideChoice()),
      element("h1", {}, visible(this.row.task_id)),
      element("p", { class: "mission" }, visible(this.row.mission ?? "")),
      factList([["model", visible(this.run.model)], ["end", ending(this.row)], ["tiling", visible(this.row.tiling ?? "none")], ["budget", whole(this.row.max_steps)],
        ...(this.row.mechanisms.length ? [/** @type {[string, string]} */ (["mechanisms", this.row.mechanisms.map(visible).join(", ")])] : [])]),
      ...(other ? this.besideEachOther(other, controls) : this.alone(controls)));
  }

  /** @param {HTMLElement} controls */
  alone(controls) {
    const [{ picture, below, said }] = this.sides;
    return [element("div", { class: "halves" },
      element("section", { class: "shown", "aria-label": "Board and player" }, picture, this.slider, controls, below), said)];
  }

  /**
   * @param {any} other
   * @param {HTMLElement} controls
   */
  besideEachOther(other, controls) {
    const names = [[this.run, this.row], [this.runs[this.place.beside ?? 0], other]];
    return [
      element("section", { class: "both", "aria-label": "Player" }, this.slider, controls),
      element("div", { class: "halves" }, ...this.sides.map(({ picture, below, said }, place) =>
        element("section", { class: "side", "aria-label": `Episode of run ${runName(names[place][0])}` },
          element("p", {}, element("b", {}, visible(names[place][0].model)), element("span", { class: "note" }, ` ${runName(names[place][0])} · ${ending(names[place][1])}`)),
          picture, below, said)))];
  }

  /** The other runs that have an episode of this task, to be shown beside it. */
  besideChoice() {
    const others = this.runs.map((run, number) => ({ run, number })).filter(({ number }) => number !== this.place.run && counterpart(this.runs, this.row, number));
    if (others.length === 0) return [];
    const select = /** @type {HTMLSelectElement} */ (element("select", { change: () => {
      location.hash = addressOf({ ...this.place, step: this.step, beside: select.value === "" ? null : Number(select.value) });
    } }, element("option", { value: "" }, "nothing"),
    ...others.map(({ run, number }) => element("option", { value: number, selected: number === this.place.beside }, runName(run)))));
    return [element("label", {}, "beside ", select)];
  }
}

/**
 * @param {string} text
 * @param {string} name
 * @param {() => void} does
 * @returns {HTMLElement}
 */
function button(text, name, does) {
  return element("button", { type: "button", "aria-label": name, click: does }, text);
}

/**
 * @param {EventTarget | null} target
 * @returns {boolean}
 */
function isTyping(target) {
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "search");
}
