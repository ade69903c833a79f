// The client's side of one session over virtual time: greets, sends batches, waits for grants,
// and answers the queries that take no time. docs/session-protocol.md is the manual.

import { frame } from './framing.mjs';

const PROTOCOL = 1;
const CLOCK_VIRTUAL = 1;

/** Above this a number is no exact nanosecond any more: 104 days. */
const NOW_NS_MAX = Number.MAX_SAFE_INTEGER;

export class Session {
  #connection;
  #codec;
  // Frames that came before the answer to a query: they are handled in the next instant's turn.
  #early = [];

  /**
   * @param {import('./connection.mjs').Connection} connection
   * @param {ReturnType<import('./codec.mjs').loadCodec>} codec
   */
  constructor(connection, codec) {
    this.#connection = connection;
    this.#codec = codec;
  }

  /**
   * Must come first.
   * @param {string} client name and version of this client
   * @returns {Promise<{startUnixNs: number, ruleProfile: string}>} the proxy's welcome
   */
  async greet(client) {
    this.#send(0, [{
      source: 0, kind: 'hello', body: { protocol: PROTOCOL, clock: CLOCK_VIRTUAL, client },
    }]);
    const { kind, body } = await this.#next();
    if (kind !== 'welcome') {
      throw new Error(`the proxy answered hello with ${kind}`);
    }
    return { startUnixNs: 0, ruleProfile: '', ...body };
  }

  /**
   * Ends an instant and waits for the grant of the next.
   * @param {number} now
   * @param {object[]} frames what the instant sends
   * @param {number | null} wake when the client wakes by itself; null: never
   * @returns {Promise<{now: number, until: number | null, frames: object[]}>}
   */
  async finish(now, frames, wake) {
    const idle = { source: 0, kind: 'idle', body: wake === null ? {} : { nextWakeNs: wake } };
    this.#send(now, [...frames, idle]);
    const due = this.#early;
    this.#early = [];
    for (;;) {
      const next = await this.#next();
      if (next.kind === 'grant') {
        return { now: next.nowNs, until: next.body.untilNs ?? null, frames: due };
      }
      due.push(next);
    }
  }

  /**
   * Sends frames of which the last is a query, and waits for its answer. No time passes.
   * @returns {Promise<object>} the answer
   */
  async ask(now, frames, query) {
    this.#send(now, frames);
    for (;;) {
      const next = await this.#next();
      if (next.kind === 'answer' && next.body.query === query) {
        return next.body;
      }
      this.#early.push(next);
    }
  }

  close() {
    return this.#connection.close();
  }

  #send(now, frames) {
    if (now > NOW_NS_MAX) {
      throw new Error(`virtual time is over its limit of ${NOW_NS_MAX} ns`);
    }
    const { encodeClient } = this.#codec;
    this.#connection.send(
      Buffer.concat(frames.map((each) => frame(encodeClient({ ...each, nowNs: now })))),
    );
  }

  async #next() {
    const next = this.#codec.decodeServer(await this.#connection.next());
    if (next.kind === 'refusal') {
      const text = next.body.text ?? '';
      throw new Error(`the proxy refused: ${typeof text === 'string' ? text : 'not UTF-8'}`);
    }
    return next;
  }
}
