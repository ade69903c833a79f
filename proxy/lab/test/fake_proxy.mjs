// A proxy of a few lines for the tests: a store in memory with compare-and-swap, fixed latencies on
// virtual time, no budgets. It keeps every byte and frame that it was sent.

import net from 'node:net';
import path from 'node:path';
import { loadCodec } from '../session/codec.mjs';
import { FrameReader, frame } from '../session/framing.mjs';
import { temporaryFolder } from './temporary.mjs';

const READ_NS = 50_000_000;
const WRITE_NS = 200_000_000;
const START_UNIX_NS = 1_767_225_600_000_000_000;
const METHOD = { get: 1, set: 2, update: 3, listKeys: 10, getSorted: 12 };
const STORE_ORDERED = 2;
const OUTCOME = { ok: 1, cancelled: 2, rejected: 4, failed: 5 };
const TRANSFORM_VALUE = 1;
const YIELDED = 'Callbacks cannot yield';
// From here on, a call is the client's own to answer.
const METHOD_OWN_MIN = 40;

/** The first instant of a 60 Hz frame at or after `ns`. */
export function frameAtOrAfter(ns) {
  const rest = [0, 16_666_667, 33_333_333, 50_000_000].find((at) => at >= ns % 50_000_000);
  return Math.floor(ns / 50_000_000) * 50_000_000 + rest;
}

export class FakeProxy {
  frames = [];
  store = new Map();
  /** What budget queries are answered with. */
  budget = 120;
  budgetAt = () => this.budget;
  /** How long an answer to a budget query holds, from `now` on; undefined: not said. */
  budgetHoldsUntil = () => undefined;
  /** Gives an error text for a call that must fail; undefined: it goes through. */
  failing = () => undefined;
  hangUpAtCall = false;
  /** What the welcome says of tables with an array part and other keys. */
  mixedTablesFail = false;
  #chunks = [];
  #codec = loadCodec();
  #events = [];
  #calls = new Map();
  #now = 0;
  #server;

  /** Listens on a socket of its own; `address` is where. */
  async start(address) {
    const where = address ?? path.join(temporaryFolder(), 'socket');
    this.#server = net.createServer((socket) => this.#serve(socket));
    await new Promise((resolve) => this.#server.listen(where, resolve));
    const bound = this.#server.address();
    this.address = typeof bound === 'string' ? `unix:${bound}` : `tcp:127.0.0.1:${bound.port}`;
    return this;
  }

  stop() {
    return new Promise((resolve) => this.#server.close(resolve));
  }

  /** Every byte that came. */
  get bytes() {
    return Buffer.concat(this.#chunks);
  }

  /** Bodies of all frames of one kind, each with its time and its place among all frames. */
  all(kind) {
    return this.frames
      .map(({ kind: own, body, nowNs, source }, order) =>
        ({ own, body: { ...body, nowNs, source, order } }))
      .filter(({ own }) => own === kind)
      .map(({ body }) => body);
  }

  #serve(socket) {
    const reader = new FrameReader();
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      for (const body of reader.push(chunk)) {
        const got = this.#codec.decodeClient(body);
        this.frames.push(got);
        if (got.kind === 'call' && this.hangUpAtCall) {
          socket.destroy();
          return;
        }
        this.#handle(got, (source, kind, content) => {
          const each = { source, nowNs: this.#now, kind, body: content };
          socket.write(frame(this.#codec.encodeServer(each)));
        });
      }
    });
  }

  #handle({ source, nowNs, kind, body }, send) {
    if (nowNs < this.#now) {
      send(0, 'refusal', { text: `time went back from ${this.#now} to ${nowNs}` });
      return;
    }
    this.#now = nowNs;
    const handlers = {
      hello: () => send(0, 'welcome', {
        protocol: 1, clock: 1, startUnixNs: START_UNIX_NS, mixedTablesFail: this.mixedTablesFail,
      }),
      openStore: () => send(source, 'answer', { query: body.query }),
      setRateLimit: () => send(source, 'answer', { query: body.query }),
      budgetQuery: () => send(source, 'answer', {
        query: body.query,
        value: this.budgetAt(nowNs),
        unchangedUntilNs: this.budgetHoldsUntil(nowNs),
      }),
      call: () => this.#call(source, body, send),
      transformResult: () => this.#transformed(source, body, send),
      idle: () => this.#grant(body.nextWakeNs ?? Infinity, send),
    };
    handlers[kind]?.();
  }

  #after(ns, run) {
    this.#events.push({ at: ns === 0 ? this.#now : frameAtOrAfter(this.#now + ns), run });
    this.#events.sort((a, b) => a.at - b.at);
  }

  #keyInfo(entry) {
    return entry && { createdMs: 1, updatedMs: entry.updatedMs, version: entry.version };
  }

  #call(source, call, send) {
    if (call.method >= METHOD_OWN_MIN) {
      return;
    }
    const kind = call.store?.kind === STORE_ORDERED ? 'ordered ' : '';
    const place = `${kind}${call.store?.name}/${call.store?.scope}/`;
    const id = `${place}${call.key}`;
    const text = this.failing(call);
    const reply = (fields) => send(source, 'reply', { call: call.id, ...fields });
    if (call.refused) {
      this.#after(0, () => reply({ outcome: OUTCOME.rejected, error: { text: call.refused } }));
    } else if (text) {
      this.#after(READ_NS, () => reply({ outcome: OUTCOME.failed, error: { text } }));
    } else if (call.method === METHOD.get) {
      this.#after(READ_NS, () => {
        const entry = this.store.get(id);
        reply({ outcome: OUTCOME.ok, value: entry?.value, keyInfo: this.#keyInfo(entry) });
      });
    } else if (call.method === METHOD.set) {
      this.#after(WRITE_NS, () => {
        this.#write(id, call.value);
        reply({ outcome: OUTCOME.ok, version: this.store.get(id).version });
      });
    } else if (call.method === METHOD.update) {
      const read = (run) => {
        const entry = this.store.get(id);
        const again = () => read(run + 1);
        this.#calls.set(call.id, { id, reply, version: entry?.version, again });
        send(source, 'transformRequest', {
          call: call.id, run, value: entry?.value, keyInfo: this.#keyInfo(entry),
        });
      };
      this.#after(READ_NS, () => read(1));
    } else if (call.method === METHOD.getSorted) {
      this.#after(READ_NS, () => reply({ outcome: OUTCOME.ok, items: this.#sorted(place, call) }));
    } else if (call.method === METHOD.listKeys) {
      // Three pages, whatever is stored.
      const page = Number(call.list.cursor || 0) + 1;
      this.#after(READ_NS, () => reply({
        outcome: OUTCOME.ok, items: [{ key: `page ${page}` }], cursor: page < 3 ? `${page}` : '',
      }));
    } else {
      reply({ outcome: OUTCOME.failed, error: { text: `no method ${call.method} here` } });
    }
  }

  #transformed(source, result) {
    if (!this.#calls.has(result.call)) {
      return;
    }
    const { id, reply, version, again } = this.#calls.get(result.call);
    if (result.outcome === TRANSFORM_VALUE && result.error) {
      this.#after(0, () => reply({ outcome: OUTCOME.rejected, error: { text: result.error } }));
      return;
    } else if (result.outcome !== TRANSFORM_VALUE) {
      const yielded = result.error === YIELDED;
      this.#after(0, () => reply({
        outcome: yielded ? OUTCOME.failed : OUTCOME.cancelled,
        error: yielded ? { text: YIELDED } : undefined,
      }));
      return;
    }
    this.#after(WRITE_NS, () => {
      if (this.store.get(id)?.version !== version) {
        again();
        return;
      }
      this.#write(id, result.value);
      const entry = this.store.get(id);
      reply({ outcome: OUTCOME.ok, value: entry.value, keyInfo: this.#keyInfo(entry) });
    });
  }

  // The first page.
  #sorted(place, { list: { ascending, pageSize } }) {
    const items = [...this.store]
      .filter(([id]) => id.startsWith(place))
      .map(([id, { value }]) => ({ key: id.slice(place.length), value }))
      .sort((a, b) => a.value - b.value);
    return (ascending ? items : items.reverse()).slice(0, pageSize);
  }

  #write(id, value) {
    const updatedMs = START_UNIX_NS / 1e6 + Math.floor(this.#now / 1e6);
    this.store.set(id, { value, updatedMs, version: `v${this.#now}` });
  }

  #grant(nextWake, send) {
    const next = this.#events[0]?.at;
    if (next !== undefined && next <= Math.max(nextWake, this.#now)) {
      this.#now = Math.max(this.#now, next);
      while (this.#events[0]?.at <= this.#now) {
        this.#events.shift().run();
      }
      send(0, 'grant', { untilNs: this.#now });
    } else {
      send(0, 'grant', next === undefined ? {} : { untilNs: next });
    }
  }
}
