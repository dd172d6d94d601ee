// One episode at a moment: its board, its distances, its questions and answers.

import { saidAt } from "./answers.js";
import { readJson } from "./blocks.js";
import { Board } from "./board.js";
import { chainChart } from "./chain.js";
import { distanceChart, lastMoment } from "./distances.js";
import { element } from "./dom.js";
import { cellsVisited, momentAfter, planFrom } from "./episode.js";
import { counted, endWords, inWords, visible } from "./text.js";

const ACTIONS = ["turn_left", "turn_right", "move_forward", "pickup", "drop", "toggle", "done"];

/** Shows one episode. */
export class Side {
  /**
   * @param {any} episode
   * @param {any | null} scene
   * @param {(step: number) => void} go called with the selected step
   */
  constructor(episode, scene, go) {
    this.episode = episode;
    this.scene = scene;
    this.last = episode.steps.length;
    /** Without the question at which the episode was left, if it was: no step was taken then. */
    this.used = episode.steps.filter((/** @type {any} */ step) => step.kind !== "stop").length;
    /** Mistakes without steps that explored and without what followed in the same reply.
     * @type {{step: number, needed: string | null, did: string, wasted: number}[]} */
    this.mistakes = episode.mistakes.filter((/** @type {any} */ each) => each.needed !== null && !each.exploring);
    this.board = scene && new Board(scene);
    this.chart = episode.ways && distanceChart(episode.ways.distances, this.used, this.mistakes.map(({ step }) => step - 1), go);
    this.chain = episode.chain && chainChart(episode.chain, lastMoment(this.last, episode.ways?.distances ?? []), go);
    this.told = element("p", { class: "told", role: "status" });
    this.hand = element("span", { class: "hand" });
    this.planText = element("p", { class: "plan-text" });
    this.mistakeText = element("p", { class: "mistake-text" });
    this.said = element("section", { class: "said", "aria-label": "Question and answer" });
    this.picture = element("div", {},
      this.board ? this.board.svg : element("p", { class: "note" }, episode.no_board ? `There is no board for this episode: ${visible(episode.no_board)}` : "There is no board for this episode: its backend records none."),
      element("p", { class: "status" }, this.told, this.hand), this.mistakes.length ? this.mistakeText : null);
    this.below = element("div", {}, this.chart?.figure ?? null, this.chain?.figure ?? null, this.planText);
  }

  /**
   * Load the data of an episode.
   * @param {any} row of the run's episodes
   * @param {(step: number) => void} go
   * @returns {Promise<Side>}
   */
  static async open(row, go) {
    const episode = await readJson(row.block);
    return new Side(episode, episode.scene ? await readJson(episode.scene) : null, go);
  }

  /** Whether anything is kept from the model. */
  get hides() {
    return Boolean(this.scene?.shown);
  }

  /**
   * Show the moment after a number of steps, or the last one.
   * @param {number} step
   * @param {boolean} truth the full state instead of what the model saw
   * @param {boolean} planShown
   */
  show(step, truth, planShown) {
    const moment = Math.min(step, this.last);
    this.told.textContent = moment === this.last ? `after the last of ${counted(this.used, "step")}: ${this.endText()}` : `after ${moment} of ${counted(this.used, "step")}`;
    const mistake = this.mistakes.find((each) => each.step === moment + 1);
    this.mistakeText.textContent = mistake ? `step ${mistake.step} is a mistake: needed to ${visible(mistake.needed)}, ${visible(mistake.did)}` : "";
    if (this.board) this.showBoard(moment, truth, planShown);
    this.chart?.mark(moment);
    this.chain?.mark(moment);
    this.said.replaceChildren(...saidAt(this.episode, this.scene?.lattice ?? [], moment));
  }

  /**
   * @param {number} step
   * @param {boolean} truth
   * @param {boolean} planShown
   */
  showBoard(step, truth, planShown) {
    const moment = momentAfter(this.scene, this.episode.steps, step);
    const view = this.hides && !truth ? "as the model saw it" : "everything";
    const [cell, , carried] = moment.agent ?? [0, 0, null];
    const hand = carried === null ? "" : `, carrying ${visible(carried)}`;
    this.board.show(moment, truth || !this.hides, `Board, ${view}: agent on ${this.scene.lattice[cell].join(", ")}${hand}`);
    this.board.drawWay("trace", cellsVisited(this.scene, this.episode.steps, step));
    const plan = planShown ? planFrom(this.episode.ways, step) : null;
    this.board.drawWay("plan", plan?.cells ?? []);
    this.hand.textContent = carried === null ? "" : `carries ${visible(carried)}`;
    this.planText.textContent = !planShown ? "" : plan ? planWords(plan.actions) : this.withoutPlan(step);
  }

  /**
   * The reason why there is no plan from a moment on.
   * @param {number} step
   * @returns {string}
   */
  withoutPlan(step) {
    return this.episode.ways?.distances[step] === 0 ? "nothing is left to do" : "no plan leads to success from here";
  }

  endText() {
    const { end } = this.episode;
    if (end === null) return "not ended";
    return end.error ? `${endWords(end.reason)}: ${visible(end.error)}` : endWords(end.reason);
  }
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
  return `${counted(actions.length, "action")}: ${parts.join(", ")}`;
}
