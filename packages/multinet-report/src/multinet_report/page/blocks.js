// The data of the page: blocks that are unpacked on demand.

/** @type {Map<string, Promise<Uint8Array<ArrayBuffer>>>} */
const unpacked = new Map();
/** Maximum number of unpacked blocks in memory. */
const MOST = 64;

/**
 * The bytes of a block.
 * @param {string} name
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export function readBytes(name) {
  let found = unpacked.get(name);
  if (found === undefined) {
    found = unpack(name);
    unpacked.set(name, found);
    if (unpacked.size > MOST) unpacked.delete(/** @type {string} */ (unpacked.keys().next().value));
  }
  return found;
}

/**
 * The value of a block of JSON.
 * @param {string} name
 * @returns {Promise<any>}
 */
export async function readJson(name) {
  return JSON.parse(new TextDecoder().decode(await readBytes(name)));
}

/**
 * @param {string} name
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function unpack(name) {
  const place = document.querySelector(`script[data-block="${CSS.escape(name)}"]`);
  if (place === null) throw new Error(`this page has no block ${name}`);
  const packed = Uint8Array.from(atob(place.textContent ?? ""), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
