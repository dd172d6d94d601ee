// The places where things are drawn: the largest circle of their cell, or of their whole patch.

/** @typedef {[number, number]} Point */
/** @typedef {{x: number, y: number, radius: number}} Circle */

/** Places along a side of the search window, and how often the window is narrowed down to a quarter. */
const PLACES = 17;
const ROUNDS = 8;

/**
 * The largest circle inside adjacent convex polygons; of several, the one closest to their common middle.
 * @param {Point[][]} polygons
 * @returns {Circle}
 */
export function inscribedCircle(polygons) {
  const corners = polygons.flat();
  const outline = outerEdges(polygons);
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const centre = /** @type {Point} */ ([mean(xs), mean(ys)]);
  let reach = Math.max(right - left, bottom - top) / 2;
  const least = 1e-6 * reach;
  let best = { x: (left + right) / 2, y: (top + bottom) / 2, radius: -1 };
  for (let round = 0; round < ROUNDS; round++) {
    const middle = best;
    best = { ...best, radius: -1 };
    for (const x of steps(middle.x, reach)) {
      for (const y of steps(middle.y, reach)) {
        if (!polygons.some((polygon) => isInside([x, y], polygon))) continue;
        const radius = Math.min(...outline.map((edge) => distanceTo([x, y], edge)));
        const nearer = Math.hypot(x - centre[0], y - centre[1]) < Math.hypot(best.x - centre[0], best.y - centre[1]);
        if (radius > best.radius + least || (radius >= best.radius - least && nearer)) best = { x, y, radius };
      }
    }
    reach /= 4;
  }
  return best;
}

/**
 * The largest circle around a place inside adjacent polygons.
 * @param {Point} place
 * @param {Point[][]} polygons
 * @returns {Circle}
 */
export function circleAround([x, y], polygons) {
  return { x, y, radius: Math.min(...outerEdges(polygons).map((edge) => distanceTo([x, y], edge))) };
}

/**
 * The mean of the corners of a polygon.
 * @param {Point[]} polygon
 * @returns {Point}
 */
export function middleOf(polygon) {
  return [mean(polygon.map(([x]) => x)), mean(polygon.map(([, y]) => y))];
}

/**
 * @param {number} middle
 * @param {number} reach
 * @returns {number[]}
 */
function steps(middle, reach) {
  return Array.from({ length: PLACES }, (_, step) => middle + reach * ((2 * step) / (PLACES - 1) - 1));
}

/**
 * @param {number[]} values
 * @returns {number}
 */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * The edges of a polygon.
 * @param {Point[]} polygon
 * @returns {[Point, Point][]}
 */
export function edgesOf(polygon) {
  return polygon.map((corner, place) => [corner, polygon[(place + 1) % polygon.length]]);
}

/**
 * The edges that no two of the polygons share.
 * @param {Point[][]} polygons
 * @returns {[Point, Point][]}
 */
export function outerEdges(polygons) {
  const edges = polygons.flatMap(edgesOf);
  return edges.filter((edge) => edges.every((other) => other === edge || !isSameEdge(edge, other)));
}

/**
 * The edge that two polygons share, if any.
 * @param {Point[]} polygon
 * @param {Point[]} other
 * @returns {[Point, Point] | undefined}
 */
export function commonEdge(polygon, other) {
  return edgesOf(polygon).find((edge) => edgesOf(other).some((its) => isSameEdge(edge, its)));
}

/**
 * @param {[Point, Point]} edge
 * @param {[Point, Point]} other
 * @returns {boolean}
 */
function isSameEdge([a, b], [c, d]) {
  return (isNear(a, c) && isNear(b, d)) || (isNear(a, d) && isNear(b, c));
}

/**
 * @param {Point} a
 * @param {Point} b
 * @returns {boolean}
 */
function isNear(a, b) {
  return Math.abs(a[0] - b[0]) < 1e-3 && Math.abs(a[1] - b[1]) < 1e-3;
}

/**
 * @param {Point} place
 * @param {Point[]} polygon
 * @returns {boolean}
 */
function isInside([x, y], polygon) {
  const sides = edgesOf(polygon).map(([[x0, y0], [x1, y1]]) => (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0));
  return sides.every((side) => side >= -1e-9) || sides.every((side) => side <= 1e-9);
}

/**
 * @param {Point} place
 * @param {[Point, Point]} edge
 * @returns {number}
 */
function distanceTo([x, y], [[x0, y0], [x1, y1]]) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const along = Math.min(Math.max(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0), 1);
  return Math.hypot(x - x0 - along * dx, y - y0 - along * dy);
}
