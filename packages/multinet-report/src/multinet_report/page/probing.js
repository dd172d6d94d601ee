// Questions to a model about moments of tasks, its answers and the true answers.

import { addressOf } from "./address.js";
import { intervalPlot } from "./bars.js";
import { longText } from "./answers.js";
import { readJson } from "./blocks.js";
import { Board } from "./board.js";
import { element, factList } from "./dom.js";
import { table } from "./table.js";
import { inWords, percent, visible } from "./text.js";

/** Meaning of the lines on a board, in drawing order. */
const LINES = { asked: "asked about", right: "true", said: "answered" };

/**
 * The page of a probing.
 * @param {any} probing
 * @param {number} number which of the page's probings it is
 * @returns {HTMLElement}
 */
export function probingView(probing, number) {
  return element("div", { class: "probing" },
    table("Scores", [
      { name: "probe", left: true, value: (/** @type {any} */ row) => visible(row.probe) },
      { name: "mazes", value: (row) => row.mazes },
      { name: "score", value: (row) => row.score, show: (row) => percent(row.score) },
      { name: "low", value: (row) => row.interval[0], show: (row) => percent(row.interval[0]) },
      { name: "high", value: (row) => row.interval[1], show: (row) => percent(row.interval[1]) },
      { name: "interval", draws: true, value: (row) => row.score, show: (row) => intervalPlot({ rate: row.score, interval: row.interval }, 90) },
      { name: "best constant", value: (row) => row.constant, show: (row) => percent(row.constant) },
      { name: "of another task", value: (row) => row.otherTask, show: (row) => percent(row.otherTask) },
      { name: "answered", value: (row) => row.answered },
      { name: "unreadable", value: (row) => row.unreadable },
    ], probing.scores),
    table("Moments", [
      { name: "task", left: true, value: (/** @type {any} */ row) => visible(row.task), show: (row) =>
        element("a", { href: addressOf({ probing: number, moment: probing.moments.indexOf(row) }) }, visible(row.task)) },
      { name: "tiling", left: true, value: (row) => visible(row.tiling) },
      { name: "walk", left: true, value: (row) => visible(row.walk) },
      { name: "step", value: (row) => row.step },
      { name: "right", value: (row) => row.right },
      { name: "of", value: (row) => row.asked },
    ], probing.moments),
    ...(probing.problems.length ? [element("ul", { class: "problems" }, ...probing.problems.map((/** @type {string} */ each) => element("li", {}, visible(each))))] : []));
}

/**
 * The page of a moment of a probing: its board, and the questions about it, one of which is shown on the board.
 * @param {any} probing
 * @param {number} number
 * @param {number} place which of its moments
 * @returns {Promise<HTMLElement | null>} null where there is no such moment
 */
export async function momentView(probing, number, place) {
  const row = probing.moments[place];
  if (row === undefined) return null;
  const { board: seen, questions } = await readJson(row.block);
  const board = seen && new Board(await readJson(seen.scene));
  if (board) board.show({ agent: seen.agent, carried: null, looks: seen.looks, shown: seen.shown }, false, "Board, as the model saw it");
  const choices = questions.map((/** @type {any} */ question) => questionView(question, () => choose(question)));
  const choose = (/** @type {any} */ question) => {
    board?.drawMarks(question.cells);
    choices.forEach((/** @type {HTMLElement} */ each, /** @type {number} */ at) => each.toggleAttribute("data-chosen", questions[at] === question));
  };
  choose(questions[0]);
  const link = (/** @type {number} */ to, /** @type {string} */ text) => (probing.moments[to] ? element("a", { href: addressOf({ probing: number, moment: to }) }, text) : null);
  return element("div", { class: "player" },
    element("nav", { "aria-label": "Moments" }, element("a", { href: addressOf({ probing: number }) }, "overview"), link(place - 1, "previous"), link(place + 1, "next")),
    element("h1", {}, visible(row.task)),
    factList([["model", visible(probing.model)], ["tiling", visible(row.tiling)], ["walk", visible(row.walk)], ["step", row.step]]),
    element("div", { class: "halves" },
      element("section", { class: "shown", "aria-label": "Board" },
        board?.svg ?? element("p", { class: "note" }, "There is no board for this moment."),
        element("ul", { class: "lines" }, ...Object.entries(LINES).map(([kind, words]) => element("li", { class: kind }, words))),
        seen?.agent[2] ? element("p", { class: "note" }, `carries ${visible(seen.agent[2])}`) : null),
      element("section", { class: "said", "aria-label": "Questions and answers" }, ...choices)));
}

/**
 * @param {any} question
 * @param {() => void} choose shows it on the board
 * @returns {HTMLElement}
 */
function questionView(question, choose) {
  return element("article", { class: "request", click: choose },
    element("p", { class: `outcome ${question.verdict === "right" ? "fine" : "fault"}` },
      element("strong", {}, visible(question.probe)), `: ${visible(question.verdict)}${question.outcome === "ok" ? "" : `, ${inWords(question.outcome)}`} `,
      element("button", { type: "button", class: "small", "aria-label": `Show the question of ${visible(question.probe)} on the board` }, "on the board")),
    element("p", { class: "asked" }, visible(question.text)),
    longText("Answer", question.raw ?? "", true),
    question.reasoning ? longText("Reasoning", question.reasoning, false) : null,
    element("p", { class: "truth" }, element("span", { class: "note" }, "true: "), visible(JSON.stringify(question.right))));
}
