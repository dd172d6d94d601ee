// Show the view that the program gives, and send the player's choice. The page knows nothing that is not shown.

import { Board } from "./board.js";
import { drawn, element } from "./dom.js";
import { inWords, visible } from "./text.js";

/**
 * @typedef {{choice: string, name: string, keys: string[]}} Action
 * @typedef {{choice: string, label: string, confirm: string | null}} Choice
 * @typedef {{number: number, kind: "question" | "message", heading: string, buttons: Choice[], scene?: any, said?: string, explained?: boolean, final?: boolean,
 *   lines?: string[], mission?: string, step?: number, most?: number, picture?: string | null, earlier?: string[], texts?: [string, string][], actions?: Action[]}} View
 */

/** Milliseconds between attempts to reach the program. */
const PAUSE = 1000;
const SIGNS = new Map([["ArrowUp", "↑"], ["ArrowLeft", "←"], ["ArrowRight", "→"], [" ", "space"]]);
/** Moves come first, arranged as on the keyboard. */
const FIRST = ["turn_left", "move_forward", "turn_right"];
const HELP = "?";
/** Status of the reply if the question has been answered in another tab. */
const ELSEWHERE = 409;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const head = /** @type {HTMLElement} */ (document.getElementById("head"));
const told = element("p", { class: "away", role: "status" });
const trouble = element("p", { class: "problems", role: "alert", hidden: true });
const dialog = /** @type {HTMLDialogElement} */ (element("dialog", { "aria-label": "Question" }));

/** Time for which the current view has been visible. */
class Stopwatch {
  constructor() {
    this.sum = 0;
    /** @type {number | null} */
    this.since = null;
    document.addEventListener("visibilitychange", () => this.turn());
  }

  /** Run while the page is visible, and pause otherwise. */
  turn() {
    if (this.since !== null) this.sum += performance.now() - this.since;
    this.since = document.visibilityState === "visible" ? performance.now() : null;
  }

  restart() {
    this.turn();
    this.sum = 0;
  }

  /** @returns {number} seconds */
  read() {
    this.turn();
    return this.sum / 1000;
  }
}

/** The parts of a question, which are reused while their contents change, so that the focus is kept. */
class Question {
  /** @param {View} view */
  constructor(view) {
    this.mission = element("p", { class: "mission" });
    this.picture = element("div", { class: "picture-now" });
    this.seen = element("div", { class: "seen" });
    this.count = element("span");
    this.bar = /** @type {HTMLProgressElement} */ (element("progress", { "aria-label": "Steps taken" }));
    const actions = [...(view.actions ?? [])].sort((one, other) => rank(one) - rank(other));
    const moves = actions.filter(isMove), acts = actions.filter((action) => !isMove(action));
    this.element = element("div", { class: "game" },
      element("h1", {}, visible(view.heading)), this.mission,
      element("div", { class: "table" },
        element("section", { class: "before", "aria-label": "The maze" }, this.picture, this.seen),
        element("section", { class: "hands", "aria-label": "What you can do" },
          element("p", { class: "steps" }, this.count, this.bar),
          element("div", { class: "pad moves" }, ...moves.map(actionButton)),
          element("div", { class: "pad acts" }, ...acts.map(actionButton)),
          element("p", { class: "asides" },
            view.explained ? element("button", { type: "button", click: () => explain() }, `How it works (${HELP})`) : null,
            ...view.buttons.map(choiceButton)))));
  }

  /** @param {View} view */
  update(view) {
    const { step = 0, most = 1 } = view;
    this.mission.textContent = visible(view.mission ?? "");
    this.count.textContent = `Step ${step + 1} of ${most}`;
    this.bar.max = most;
    this.bar.value = step;
    this.picture.replaceChildren(...boardOf(view), ...(view.picture ? [element("img", { src: view.picture, alt: "The maze now" })] : []));
    this.seen.replaceChildren(
      ...(view.earlier ?? []).map((address, place, all) => figure(`${all.length - place} ${place < all.length - 1 ? "steps" : "step"} ago`, address)),
      ...(view.texts ?? []).flatMap(([label, text]) => [element("h2", {}, label), textBlock(label, text)]));
  }
}

/** @type {View | null} */
let present = null;
/** Whether the current view has been answered, or is not visible yet. */
let answered = true;
/** @type {Question | null} */
let asked = null;
const stopwatch = new Stopwatch();

/** @param {View} view */
async function show(view) {
  const before = present;
  present = view;
  answered = true;  // the page still shows the view before
  if (dialog.open) dialog.close();
  if (view.kind === "question") showQuestion(view, before);
  else await showMessage(view);
  // With the number of the step, since screen readers do not announce an unchanged text.
  const step = view.said && view.step !== undefined ? `after step ${view.step}` : null;
  told.textContent = visible([view.said, step, ...(view.lines ?? [])].filter(Boolean).join(", "));
  document.title = `${visible(view.heading)} – multinet play`;
  stopwatch.restart();
  answered = false;
  main.dataset.kind = view.kind;
  main.dataset.view = String(view.number);
}

/**
 * @param {View} view
 * @param {View | null} before
 */
function showQuestion(view, before) {
  if (asked === null || before?.kind !== "question" || before.heading !== view.heading) {
    asked = new Question(view);
    main.replaceChildren(asked.element);
    main.focus();
  }
  asked.update(view);
}

/** @param {View} view */
async function showMessage(view) {
  asked = null;
  const read = view.explained ? await instructions() : [];
  const buttons = view.buttons.map(choiceButton);
  main.replaceChildren(element("div", { class: "message" },
    element("h1", {}, visible(view.heading)), ...(view.lines ?? []).map((line) => element("p", { class: "line" }, visible(line))),
    ...boardOf(view), ...read,
    element("p", { class: "asides" }, ...buttons)));
  (buttons[0] ?? main).focus({ preventScroll: true });
}

/**
 * The board of a view, if it has one.
 * @param {View} view
 * @returns {Element[]}
 */
function boardOf(view) {
  const { scene } = view;
  if (!scene) return [];
  const board = new Board(scene);
  const [cell, heading] = scene.agent;
  const place = scene.lattice[cell].join(", ");
  const hand = scene.carried === null ? "" : ", with something in hand";
  board.show({ agent: [cell, heading, scene.carried === null ? null : ""], carried: scene.carried, looks: scene.looks, shown: null }, true,
    `Board: agent on ${place}, turned by ${Math.round((360 * heading) / scene.headings)} degrees${hand}`);
  return [board.svg];
}

/**
 * @param {Action} action
 * @returns {number}
 */
function rank(action) {
  const place = FIRST.indexOf(action.name);
  return place < 0 ? FIRST.length : place;
}

/**
 * @param {Action} action
 * @returns {boolean}
 */
function isMove(action) {
  return FIRST.includes(action.name);
}

/**
 * @param {Action} action
 * @returns {HTMLElement}
 */
function actionButton(action) {
  return element("button", { type: "button", "data-choice": action.choice, click: () => answer(action.choice, "button") },
    element("span", {}, inWords(action.name)), element("kbd", { "aria-hidden": "true" }, SIGNS.get(action.keys[0]) ?? visible(action.keys[0])));
}

/**
 * @param {Choice} choice
 * @returns {HTMLElement}
 */
function choiceButton(choice) {
  const does = () => (choice.confirm === null ? answer(choice.choice, "button") : confirm(choice));
  return element("button", { type: "button", "data-choice": choice.choice, click: does }, visible(choice.label));
}

/**
 * Ask for confirmation of a choice that cannot be undone.
 * @param {Choice} choice
 */
function confirm(choice) {
  open([element("p", {}, visible(choice.confirm ?? ""))],
    element("button", { type: "button", "data-choice": "yes", click: () => { dialog.close(); answer(choice.choice, "button"); } }, visible(choice.label)), "No, continue");
}

/** Show the explanation again. */
async function explain() {
  open([element("h2", {}, "How it works"), ...(await instructions())], null, "Continue");
}

/**
 * Open the dialog.
 * @param {Element[]} contents
 * @param {Element | null} doing the button with an effect
 * @param {string} back the label of the button without one
 */
function open(contents, doing, back) {
  const leave = element("button", { type: "button", "data-choice": "back", click: () => dialog.close() }, back);
  dialog.replaceChildren(...contents, element("p", { class: "asides" }, doing, leave));
  dialog.showModal();
  leave.focus({ preventScroll: true });
  dialog.scrollTop = 0;
}

/**
 * The explanation that a model is given beforehand.
 * @returns {Promise<Element[]>}
 */
async function instructions() {
  const found = await (await fetch("instructions")).json();
  return [
    ...found.texts.map((/** @type {[string, string]} */ [name, text]) => (name === "examples" ? textBlock("Examples", text) : element("p", { class: "line" }, visible(text)))),
    element("div", { class: "figures" }, ...found.pictures.map((/** @type {[string, string]} */ [label, address]) => figure(label, address))),
  ];
}

/**
 * @param {string} label
 * @param {string} address
 * @returns {HTMLElement}
 */
function figure(label, address) {
  return element("figure", {}, element("img", { src: address, alt: visible(label) }), element("figcaption", {}, visible(label)));
}

/**
 * @param {string} label
 * @param {string} text
 * @returns {HTMLElement}
 */
function textBlock(label, text) {
  return element("pre", { tabindex: 0, role: "region", "aria-label": label }, visible(text));
}

/**
 * Answer the current view, once.
 * @param {string} choice
 * @param {string} by the key, or `button`
 */
async function answer(choice, by) {
  const view = present;
  if (view === null || answered) return;
  answered = true;
  const content = JSON.stringify({ number: view.number, choice, by, active: stopwatch.read() });
  try {
    const reply = await fetch("answer", { method: "POST", headers: { "Content-Type": "application/json" }, body: content });
    if (!reply.ok && reply.status !== ELSEWHERE) throw new Error(await reply.text());
  } catch (error) {
    if (view === present) answered = false;  // the next view may have come before the reply
    tell(`The answer could not be sent: ${visible(error instanceof Error ? error.message : error)}`);
  }
}

/** @param {string | null} text the problem; null for none */
function tell(text) {
  trouble.hidden = text === null;
  trouble.textContent = text;
}

/** @param {KeyboardEvent} event */
function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || dialog.open || present?.kind !== "question") return;
  if (event.target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter")) return;
  const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const action = present.actions?.find(({ keys }) => keys.includes(pressed));
  if (pressed === HELP && present.explained) explain();
  else if (action) answer(action.choice, event.key);
  else return;
  event.preventDefault();
}

/** Show every view, until the last one. */
async function follow() {
  for (let number = 0; ; ) {
    try {
      const reply = await fetch(`view?after=${number}`);
      if (reply.status === 403) return tell("This address is no longer valid: open the address that the program prints.");
      if (reply.status === 200) {
        const view = await reply.json();
        number = view.number;
        await show(view);
        if (view.final) return tell(null);
      }
      tell(null);
    } catch {
      tell("The program cannot be reached. If it was stopped, run multinet play --resume and open the address that it prints.");
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

head.append(element("p", {}, drawn("svg", { viewBox: "0 0 20 20", class: "sign", "aria-hidden": "true" }, drawn("polygon", { points: "17,10 4,17 7,10 4,3" })), " multinet play"));
head.after(trouble);
main.after(told, dialog);
addEventListener("keydown", key);
await follow();
