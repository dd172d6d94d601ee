// A board as SVG, drawn only from cells, seams, glyphs and looks, independently of the tiling and the things on it.

import { drawn } from "./dom.js";
import { circleAround, commonEdge, inscribedCircle, middleOf, outerEdges } from "./geometry.js";

const COLORS = {
  floor: "#f0f0ec", wall: "#3e424c", outline: "#acafb6", goal: "#8ce18c", sign: "#0a5a28", halo: "#0a0a0e",
  agent: "#141418", agentRim: "#ffffff", unseen: "#1c1c30", stripe: "#5c5888",
};
/** Content of a patch to the colour of the line around it. */
const HEMS = new Map([["filled", COLORS.halo], ["goal", COLORS.sign]]);
/** The sides of glyphs on a cell and of glyphs that fill a patch, relative to the available diameter. */
const THING = 0.95;
const FILLING = 0.98;
/** Position of a thing between the middle of its cell and the middle of the patch. */
const TOWARDS_HUB = 0.5;
/** The width of the rim of things, relative to their size. */
const RIM = 0.065;
/** The agent's arrow: its length relative to the radius of its cell, its minimum length, and the width of its rim relative to the length. */
const [ARROW_LENGTH, SHORTEST_ARROW, ARROW_RIM] = [1.7, 0.62, 0.07];
/** The frame with the object that the agent holds: its side relative to the radius of the patch, the maximum side, the width of its line, and
 * the size of the object and of its rim relative to the side. */
const [HAND, LARGEST_HAND, HAND_LINE, HELD, HELD_RIM] = [1.85, 0.96, 0.06, 0.8, 0.03];
/** The lines along the edges of a patch that a thing without a ground fills, from below: their widths relative to its radius. */
const BAND = /** @type {[string, number][]} */ ([["halo", 0.56], ["color", 0.42]]);
/** Maximum distance of the ground of a glyph from the edges of the unit cell. */
const GROUND = 0.05;
/** The agent's arrow: its corners relative to its middle, pointing right, in units of its length. */
const ARROW = "0.5,0 -0.42,-0.38 -0.22,0 -0.42,0.38";

/** Cache of largest circles, by the shape of the cells.
 * @type {Map<string, import("./geometry.js").Circle>} */
const circles = new Map();
/** Number of boards made so far, for unique names of patterns. */
let boards = 0;

/** Draws the moments of one scene. */
export class Board {
  /** @param {any} scene */
  constructor(scene) {
    this.scene = scene;
    this.patches = patchesOf(scene);
    this.stripes = `stripes-${boards++}`;
    this.layers = Object.fromEntries(["cells", "things", "seams", "trace", "plan", "agent", "hand", "marks"].map((name) => [name, drawn("g", { class: name })]));
    this.paths = scene.cells.map((/** @type {any} */ polygon, /** @type {number} */ cell) =>
      drawn("polygon", { points: pointsText(polygon), "data-cell": cell }));
    this.layers.cells.append(...this.paths);
    this.groups = this.patches.map(() => drawn("g"));
    this.layers.things.append(...this.groups);
    this.svg = drawn("svg", { class: "board", viewBox: viewBox(scene), role: "img" },
      drawn("defs", {}, drawn("pattern", { id: this.stripes, width: 0.25, height: 0.25, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
        drawn("rect", { width: 0.25, height: 0.25, fill: COLORS.unseen }), drawn("rect", { width: 0.125, height: 0.25, fill: COLORS.stripe }))),
      ...Object.values(this.layers));
    /** @type {(import("./episode.js").Look | undefined)[]} */
    this.looks = [];
  }

  /**
   * Show a moment.
   * @param {import("./episode.js").Moment} moment
   * @param {boolean} truth the full state instead of what is shown
   * @param {string} label description of the moment
   */
  show(moment, truth, label) {
    const looks = truth || moment.shown === null ? moment.looks : moment.shown;
    this.patches.forEach((patch, place) => {
      if (patch.some((cell) => looks[cell] !== this.looks[cell])) this.drawPatch(patch, place, looks);
    });
    this.looks = [...looks];
    this.drawSeams(looks);
    this.drawAgent(moment);
    this.svg.setAttribute("aria-label", label);
  }

  /**
   * Draw a line over cells.
   * @param {"trace" | "plan"} layer
   * @param {number[]} cells
   */
  drawWay(layer, cells) {
    const places = cells.map((cell) => this.scene.centres[cell].join(",")).join(" ");
    this.layers[layer].replaceChildren(...(cells.length > 1 ? [drawn("polyline", { points: places })] : []));
  }

  /**
   * Draw a whole way, and a ring around a cell on it.
   * @param {number[][]} parts of the way, between which the agent was put elsewhere
   * @param {number | null} ringed
   */
  drawRoute(parts, ringed) {
    const at = (/** @type {number} */ cell) => this.scene.centres[cell];
    this.layers.trace.replaceChildren(...parts.filter((cells) => cells.length > 1).map((cells) => drawn("polyline", { points: cells.map((cell) => at(cell).join(",")).join(" ") })),
      ...(ringed === null ? [] : [drawn("circle", { cx: at(ringed)[0], cy: at(ringed)[1], r: 0.55 })]));
  }

  /**
   * Draw lines around lattice cells.
   * @param {Record<string, [number, number][]>} marked the class of the line to the cells
   */
  drawMarks(marked) {
    const lines = Object.entries(marked).flatMap(([kind, positions]) => positions.flatMap(([x, y]) => {
      const patch = this.patches.find(([anchor]) => this.scene.lattice[anchor][0] === x && this.scene.lattice[anchor][1] === y);
      const edges = outerEdges((patch ?? []).map((cell) => this.scene.cells[cell]));
      return patch ? [drawn("path", { class: kind, d: pathOf(edges) })] : [];
    }));
    this.layers.marks.replaceChildren(...lines);
  }

  /**
   * @param {number[]} patch
   * @param {number} place
   * @param {import("./episode.js").Look[]} looks
   */
  drawPatch(patch, place, looks) {
    /** @type {SVGElement[]} */
    const things = [];
    const filling = this.fillingThings(patch, looks);
    const polygons = patch.map((cell) => this.scene.cells[cell]);
    for (const cell of patch) {
      const look = looks[cell];
      this.paint(cell, look, filling);
      if (look === null || look[0]) continue;
      const own = look[2].filter((glyph) => !filling.has(glyph));
      if (look[1] !== null && look[1] !== this.scene.goal && !(patch.length > 1 && cell !== patch[0])) own.unshift(look[1]);
      things.push(...own.map((glyph) => this.thing(glyph, this.spot(cell, patch), THING, RIM)));
    }
    const first = looks[patch[0]];
    const signs = first && !first[0] && first[1] !== null && first[1] === this.scene.goal && first[2].length === 0 ? [first[1]] : [];
    const filled = [...signs, ...filling].map((glyph) => this.thing(glyph, this.circle(patch), FILLING, RIM));
    const all = [...this.bands(patch, polygons, filling), ...filled, ...things];
    this.groups[place].replaceChildren(...(all.length ? [this.clipped(all, polygons, place)] : []), ...this.hem(patch));
  }

  /**
   * The things that fill a patch.
   * @param {number[]} patch
   * @param {import("./episode.js").Look[]} looks
   * @returns {Set<number>}
   */
  fillingThings(patch, looks) {
    return new Set((looks[patch[0]]?.[2] ?? []).filter((glyph) => this.scene.filling.includes(glyph)));
  }

  /**
   * The ground of a cell.
   * @param {number} cell
   * @param {import("./episode.js").Look} look
   * @param {Set<number>} filling
   */
  paint(cell, look, filling) {
    const ground = [...filling].reverse().map((glyph) => groundOf(this.scene.glyphs[glyph])).find((color) => color !== null);
    const [kind, fill] =
      look === null ? ["unseen", `url(#${this.stripes})`]
      : look[0] ? ["wall", COLORS.wall]
      : ground ? ["filled", ground]
      : look[1] !== null && look[1] === this.scene.goal ? ["goal", COLORS.goal]
      : ["floor", COLORS.floor];
    this.paths[cell].setAttribute("fill", fill);
    this.paths[cell].setAttribute("stroke", kind === "floor" ? COLORS.outline : kind === "unseen" ? COLORS.unseen : fill);
    this.paths[cell].setAttribute("data-kind", filling.size && kind === "floor" ? "filled" : kind);
  }

  /**
   * The things drawn on a patch, clipped at its edges.
   * @param {SVGElement[]} things
   * @param {import("./geometry.js").Point[][]} polygons
   * @param {number} place
   * @returns {SVGElement}
   */
  clipped(things, polygons, place) {
    const id = `${this.stripes}-${place}`;
    return drawn("g", { "clip-path": `url(#${id})` },
      drawn("clipPath", { id }, ...polygons.map((polygon) => drawn("polygon", { points: pointsText(polygon) }))), ...things);
  }

  /**
   * The band inside the edges of a patch that a thing without a ground fills, such as a gate.
   * @param {number[]} patch
   * @param {import("./geometry.js").Point[][]} polygons
   * @param {Set<number>} filling
   * @returns {SVGElement[]}
   */
  bands(patch, polygons, filling) {
    const open = [...filling].filter((glyph) => groundOf(this.scene.glyphs[glyph]) === null && this.scene.glyphs[glyph].length);
    const d = open.length ? pathOf(outerEdges(polygons)) : "";
    return open.flatMap((glyph) => BAND.map(([kind, width]) =>
      drawn("path", { class: "band", d, "stroke-width": width * this.circle(patch).radius, stroke: kind === "halo" ? COLORS.halo : this.scene.glyphs[glyph][0].color })));
  }

  /**
   * The line around a patch that a thing fills, drawn in one piece.
   * @param {number[]} patch
   * @returns {SVGElement[]}
   */
  hem(patch) {
    const color = HEMS.get(this.paths[patch[0]].getAttribute("data-kind"));
    if (color === undefined) return [];
    return [drawn("path", { class: "hem", stroke: color, d: pathOf(outerEdges(patch.map((cell) => this.scene.cells[cell]))) })];
  }

  /**
   * A glyph in a circle, with a dark rim for contrast.
   * @param {number} number
   * @param {import("./geometry.js").Circle} circle
   * @param {number} size
   * @param {number} rim
   * @returns {SVGElement}
   */
  thing(number, circle, size, rim) {
    const side = size * 2 * circle.radius;
    const shapes = this.scene.glyphs[number];
    const grounded = size === FILLING && groundOf(shapes) !== null;  // the patch itself is its ground
    const above = grounded ? shapes.slice(1) : shapes;
    const rims = grounded || number === this.scene.goal ? [] : above.map((/** @type {any} */ shape) => shapeElement(shape, rim));
    return drawn("g", { transform: `translate(${circle.x - side / 2} ${circle.y - side / 2}) scale(${side})`, "data-glyph": number },
      ...rims, ...above.map((/** @type {any} */ shape) => shapeElement(shape, 0)));
  }

  /** @param {import("./episode.js").Look[]} looks */
  drawSeams(looks) {
    const sealed = this.scene.seams.filter((/** @type {[number, number]} */ [a, b]) => looks[a] !== null && looks[b] !== null);
    this.layers.seams.replaceChildren(...sealed.flatMap((/** @type {[number, number]} */ [a, b]) => {
      const edge = commonEdge(this.scene.cells[a], this.scene.cells[b]);
      return edge ? [drawn("line", { x1: edge[0][0], y1: edge[0][1], x2: edge[1][0], y2: edge[1][1], stroke: COLORS.wall })] : [];
    }));
  }

  /** @param {import("./episode.js").Moment} moment */
  drawAgent(moment) {
    const [cell, heading, carried] = moment.agent ?? [null, 0, null];
    if (cell === null) return this.layers.agent.replaceChildren();
    const { x, y, radius } = circleAround(middleOf(this.scene.cells[cell]), [this.scene.cells[cell]]);
    const length = Math.max(ARROW_LENGTH * radius, SHORTEST_ARROW);
    const angle = (360 * heading) / this.scene.headings;
    this.layers.agent.replaceChildren(drawn("polygon", {
      points: ARROW, transform: `translate(${x} ${y}) rotate(${angle}) scale(${length})`, fill: COLORS.agent, stroke: COLORS.agentRim, "stroke-width": 2 * ARROW_RIM,
      "data-cell": cell, "data-heading": heading,
    }));
    this.drawHand(carried === null ? null : moment.carried);
  }

  /** @param {number | null} glyph */
  drawHand(glyph) {
    if (glyph === null) return this.layers.hand.replaceChildren();
    const { x, y, radius } = this.circle(this.patches[0]);
    const side = Math.min(HAND * radius, LARGEST_HAND);
    const inside = (1 - 2 * HAND_LINE) * side;
    this.layers.hand.replaceChildren(
      drawn("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side, fill: COLORS.halo }),
      drawn("rect", { x: x - inside / 2, y: y - inside / 2, width: inside, height: inside, fill: COLORS.floor }),
      this.thing(glyph, { x, y, radius: side / 2 }, HELD, HELD_RIM / HELD));
  }

  /**
   * The circle for things on a cell: as large as the patch allows, and close enough to the cell to show clearly
   * that they are on it.
   * @param {number} cell
   * @param {number[]} patch
   * @returns {import("./geometry.js").Circle}
   */
  spot(cell, patch) {
    const [x, y] = middleOf(this.scene.cells[cell]);
    const hub = this.circle(patch);
    return circleAround([x + TOWARDS_HUB * (hub.x - x), y + TOWARDS_HUB * (hub.y - y)], patch.map((each) => this.scene.cells[each]));
  }

  /**
   * The largest circle in some cells; the same for cells of the same shape.
   * @param {number[]} cells
   * @returns {import("./geometry.js").Circle}
   */
  circle(cells) {
    const polygons = cells.map((cell) => this.scene.cells[cell]);
    const [left, top] = polygons[0][0];
    const moved = polygons.map((polygon) => polygon.map((/** @type {[number, number]} */ [x, y]) => [round(x - left), round(y - top)]));
    const key = JSON.stringify(moved);
    const found = circles.get(key) ?? inscribedCircle(moved);
    circles.set(key, found);
    return { x: found.x + left, y: found.y + top, radius: found.radius };
  }
}

/**
 * The cells of each lattice cell, the anchor first.
 * @param {any} scene
 * @returns {number[][]}
 */
function patchesOf(scene) {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  scene.lattice.forEach((/** @type {number[]} */ position, /** @type {number} */ cell) => {
    const key = position.join(",");
    found.set(key, [...(found.get(key) ?? []), cell]);
  });
  return [...found.values()];
}

/**
 * The colour of a glyph's first shape if it covers the whole cell.
 * @param {any[]} shapes
 * @returns {string | null}
 */
function groundOf(shapes) {
  const first = shapes[0];
  if (first?.kind !== "rectangle") return null;
  return Math.max(first.left, first.top, 1 - first.right, 1 - first.bottom) <= GROUND ? first.color : null;
}

/**
 * A shape of the unit cell; an enlarged one has the colour of rims.
 * @param {any} shape
 * @param {number} grown
 * @returns {SVGElement}
 */
function shapeElement(shape, grown) {
  const color = grown ? COLORS.halo : shape.color;
  const rim = grown ? { fill: color, stroke: color, "stroke-width": 2 * grown, "stroke-linejoin": "round" } : { fill: color };
  switch (shape.kind) {
    case "rectangle":
      return drawn("rect", { x: shape.left, y: shape.top, width: shape.right - shape.left, height: shape.bottom - shape.top, ...rim });
    case "circle":
      return drawn("circle", { cx: shape.x, cy: shape.y, r: shape.radius, ...rim });
    case "line":
      return drawn("line", { x1: shape.x0, y1: shape.y0, x2: shape.x1, y2: shape.y1, stroke: color, "stroke-width": 2 * (shape.radius + grown), "stroke-linecap": "round" });
    default:
      return drawn("polygon", { points: pointsText(shape.points ?? []), ...rim });
  }
}

/**
 * @param {[import("./geometry.js").Point, import("./geometry.js").Point][]} edges
 * @returns {string}
 */
function pathOf(edges) {
  return edges.map(([from, to]) => `M${from}L${to}`).join("");
}

/**
 * @param {[number, number][]} points
 * @returns {string}
 */
function pointsText(points) {
  return points.map((point) => point.join(",")).join(" ");
}

/**
 * @param {any} scene
 * @returns {string}
 */
function viewBox(scene) {
  const corners = scene.cells.flat();
  const [xs, ys] = [corners.map((/** @type {number[]} */ corner) => corner[0]), corners.map((/** @type {number[]} */ corner) => corner[1])];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [left - 0.05, top - 0.05, Math.max(...xs) - left + 0.1, Math.max(...ys) - top + 0.1].map(round).join(" ");
}

/**
 * @param {number} value
 * @returns {number}
 */
function round(value) {
  return Math.round(value * 1e4) / 1e4;
}
