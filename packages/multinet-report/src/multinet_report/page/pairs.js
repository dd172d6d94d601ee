// Episodes of one task in two runs.

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
