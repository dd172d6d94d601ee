// Episodes of one task in two runs, and where they diverge.

/**
 * An episode of the same task on the same tiling, in another run of the page.
 * @param {any[]} runs
 * @param {any} row
 * @param {number} number of the other run
 * @returns {any | undefined}
 */
export function counterpart(runs, row, number) {
  return runs[number]?.episodes.find((/** @type {any} */ other) =>
    other.block && other.task === row.task && other.tiling === row.tiling && other.epoch === row.epoch);
}

/**
 * The number of steps after which two episodes diverge; null if they are the same.
 * @param {string} moves a letter for each step
 * @param {string} others
 * @returns {number | null}
 */
export function partingStep(moves, others) {
  if (moves === others) return null;
  let step = 0;
  while (moves[step] === others[step]) step++;
  return step;
}
