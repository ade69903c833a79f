// Frames on a stream: each has its length in bytes in front, as a varint.

/** Longest frame that either side accepts, in bytes. */
export const FRAME_BYTES_MAX = 8 * 1024 * 1024;

/**
 * A frame as it goes over the wire.
 * @param {Uint8Array} body
 * @returns {Buffer}
 */
export function frame(body) {
  if (body.length > FRAME_BYTES_MAX) {
    throw new Error(`a frame of ${body.length} bytes is over the limit of ${FRAME_BYTES_MAX}`);
  }
  const length = [];
  let rest = body.length;
  while (rest >= 128) {
    length.push((rest & 127) | 128);
    rest >>>= 7;
  }
  length.push(rest);
  return Buffer.concat([Buffer.from(length), body]);
}

/** Cuts what arrives, in pieces of any size, into frames. */
export class FrameReader {
  #chunks = [];
  #size = 0;

  /**
   * Takes a piece and gives the bodies of the frames that are whole now.
   * @param {Buffer} chunk
   * @returns {Buffer[]}
   */
  push(chunk) {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const bodies = [];
    for (let body = this.#take(); body; body = this.#take()) {
      bodies.push(body);
    }
    return bodies;
  }

  /** Bytes of a frame that is not whole yet. */
  get pending() {
    return this.#size;
  }

  #take() {
    const header = this.#readLength();
    if (!header || this.#size < header.size + header.length) {
      return undefined;
    }
    const all = this.#joined();
    const end = header.size + header.length;
    this.#chunks = end < all.length ? [all.subarray(end)] : [];
    this.#size -= end;
    return all.subarray(header.size, end);
  }

  #readLength() {
    if (this.#size === 0) {
      return undefined;
    }
    // A length takes at most four bytes; it may be spread over pieces.
    const head = this.#chunks[0].length >= 5 ? this.#chunks[0] : this.#joined();
    let length = 0;
    for (let size = 0; size < head.length; size += 1) {
      length += (head[size] & 127) * 2 ** (7 * size);
      if (size > 3 || length > FRAME_BYTES_MAX) {
        throw new Error(`a frame of at least ${length} bytes is over the limit of ` +
          `${FRAME_BYTES_MAX}`);
      }
      if (head[size] < 128) {
        return { size: size + 1, length };
      }
    }
    return undefined;
  }

  #joined() {
    if (this.#chunks.length > 1) {
      this.#chunks = [Buffer.concat(this.#chunks)];
    }
    return this.#chunks[0];
  }
}
