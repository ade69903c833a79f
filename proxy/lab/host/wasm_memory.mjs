// Luau's WebAssembly module declares a fixed memory of 18 MB, and past it the module aborts. This
// raises the declaration before the module is compiled.

const PAGE_BYTES = 65536;
const MEMORY_SECTION = 5;

function readVarint(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) {
      return [value, at];
    }
  }
}

function writeVarint(value) {
  const bytes = [];
  while (value >= 128) {
    bytes.push((value & 127) | 128);
    value = Math.floor(value / 128);
  }
  bytes.push(value);
  return bytes;
}

/**
 * A copy of a WebAssembly binary whose memory is exactly `pages` pages, if it had fewer.
 * @param {Uint8Array} binary
 * @param {number} pages of 64 KiB
 * @returns {Uint8Array}
 */
export function withMemory(binary, pages) {
  let at = 8;
  while (at < binary.length) {
    const start = at;
    const id = binary[at];
    const [size, body] = readVarint(binary, at + 1);
    at = body + size;
    if (id !== MEMORY_SECTION) {
      continue;
    }
    const [, limits] = readVarint(binary, body);
    const [least] = readVarint(binary, limits + 1);
    if (least >= pages) {
      return binary;
    }
    // One memory, with a minimum and a maximum.
    const memory = [1, 1, ...writeVarint(pages), ...writeVarint(pages)];
    const section = [MEMORY_SECTION, ...writeVarint(memory.length), ...memory];
    return Buffer.concat([binary.subarray(0, start), Buffer.from(section), binary.subarray(at)]);
  }
  return binary;
}

/**
 * Makes every WebAssembly module that is instantiated from now on have `bytes` of memory.
 * @param {number} bytes
 */
export function raiseMemory(bytes) {
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = (source, imports) => {
    const binary = source instanceof ArrayBuffer ? new Uint8Array(source) : source;
    return instantiate.call(
      WebAssembly,
      binary instanceof Uint8Array ? withMemory(binary, bytes / PAGE_BYTES) : source,
      imports,
    );
  };
}
