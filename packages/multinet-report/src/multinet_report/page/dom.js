// Elements, made from text and never from markup: no content is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined} Child */

/**
 * An HTML element.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | EventListener | null | undefined>} settings attributes; functions listen to events
 * @param {...Child} children texts become text nodes
 * @returns {HTMLElement}
 */
export function element(tag, settings = {}, ...children) {
  return filled(document.createElement(tag), settings, children);
}

/**
 * An SVG element; raises as `element` does.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | EventListener | null | undefined>} settings
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function drawn(tag, settings = {}, ...children) {
  return filled(/** @type {SVGElement} */ (document.createElementNS(SVG, tag)), settings, children);
}

/**
 * @template {Element} T
 * @param {T} made
 * @param {Record<string, string | number | boolean | EventListener | null | undefined>} settings
 * @param {Child[]} children
 * @returns {T}
 */
function filled(made, settings, children) {
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined).map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

/**
 * A list of facts, as names and values.
 * @param {[string, Child][]} facts
 * @returns {HTMLElement}
 */
export function factList(facts) {
  return element("dl", { class: "facts" }, ...facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}
