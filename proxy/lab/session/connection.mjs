// A connection to the proxy: whole frames out, whole frames in, in order.

import net from 'node:net';
import { FrameReader } from './framing.mjs';

/**
 * The options of net.connect or net.listen for an address as DSTAP_SOCKET gives it.
 * @param {string} address unix:PATH or tcp:HOST:PORT
 */
export function parseAddress(address) {
  const unix = /^unix:(.+)$/.exec(address);
  if (unix) {
    return { path: unix[1] };
  }
  const tcp = /^tcp:(.+):(\d{1,5})$/.exec(address);
  if (tcp && Number(tcp[2]) <= 65535) {
    return { host: tcp[1], port: Number(tcp[2]) };
  }
  throw new Error(`${address}: not an address; write unix:/path/to/socket or tcp:HOST:PORT`);
}

/** Opens with `Connection.open`. Any failure of the socket rejects what waits for it. */
export class Connection {
  #socket;
  #reader = new FrameReader();
  #frames = [];
  #waiting;
  #end;

  constructor(socket) {
    this.#socket = socket;
    socket.setNoDelay?.(true);
    socket.on('data', (chunk) => {
      try {
        this.#frames.push(...this.#reader.push(chunk));
      } catch (error) {
        this.#end = error;
        socket.destroy();
      }
      this.#wake();
    });
    socket.on('error', (error) => this.#finish(error));
    socket.on('close', () => this.#finish(new Error('the proxy hung up')));
  }

  /** @param {string} address as `parseAddress` takes it */
  static open(address) {
    return new Promise((resolve, reject) => {
      const socket = net.connect(parseAddress(address));
      socket.once('connect', () => {
        socket.removeAllListeners('error');
        resolve(new Connection(socket));
      });
      socket.once('error', (error) => reject(new Error(`${address}: ${error.message}`)));
    });
  }

  /** @param {Buffer} bytes whole frames */
  send(bytes) {
    this.#socket.write(bytes);
  }

  /**
   * The body of the next frame.
   * @returns {Promise<Buffer>}
   */
  next() {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#wake();
    });
  }

  /** Sends what is left and hangs up. */
  close() {
    return new Promise((resolve) => {
      this.#socket.once('close', resolve);
      this.#socket.end(resolve);
    });
  }

  #finish(error) {
    this.#end ??= error;
    this.#wake();
  }

  #wake() {
    if (!this.#waiting) {
      return;
    }
    const { resolve, reject } = this.#waiting;
    if (this.#frames.length > 0) {
      this.#waiting = undefined;
      resolve(this.#frames.shift());
    } else if (this.#end) {
      this.#waiting = undefined;
      reject(this.#end);
    }
  }
}
