// A client of the session protocol on the wall clock: several servers, each with a connection of
// its own, add to one counter at the same time. What UpdateAsync promises is checked at the end.
//
//   dstap record --wall -o counters.dstap -- node proxy/lab/examples/counters.mjs [SERVERS] [CALLS]

import { loadCodec } from '../session/codec.mjs';
import { Connection } from '../session/connection.mjs';
import { frame } from '../session/framing.mjs';

const CLOCK_WALL = 2;
const UPDATE_ASYNC = 3;
const TRANSFORM_VALUE = 1;
const OUTCOME_OK = 1;
const SOURCE = 1;
const STORE = { name: 'Counters', scope: 'global', kind: 1 };
const KEY = 'visits';

const servers = Number(process.argv[2] ?? 4);
const calls = Number(process.argv[3] ?? 3);
const codec = loadCodec();

/** One server: `calls` additions, one after the other; the last value it saw, and how many failed. */
async function run(index) {
  const connection = await Connection.open(process.env.DSTAP_SOCKET);
  const send = (source, kind, body) =>
    connection.send(frame(codec.encodeClient({ source, kind, body })));
  const next = async () => {
    const { kind, body } = codec.decodeServer(await connection.next());
    if (kind === 'refusal') {
      throw new Error(`the proxy refused: ${body.text}`);
    }
    return { kind, body };
  };

  send(0, 'hello', { protocol: 1, clock: CLOCK_WALL, client: 'counters example' });
  await next();
  send(SOURCE, 'sourceInfo', { name: `server ${index}`, role: 'server' });
  let value = 0;
  let failed = 0;
  for (let id = 1; id <= calls; id += 1) {
    send(SOURCE, 'stepBegin', { id, name: 'add', subject: 'counters', sample: id });
    send(SOURCE, 'call', { id, method: UPDATE_ASYNC, store: STORE, key: KEY });
    let reply;
    while (!reply) {
      const { kind, body } = await next();
      if (kind === 'transformRequest') {
        // Comes again with a later `run` when another server was faster.
        send(SOURCE, 'transformResult', {
          call: body.call,
          run: body.run,
          outcome: TRANSFORM_VALUE,
          value: String(Number(body.value ?? 0) + 1),
        });
      } else if (kind === 'reply') {
        reply = body;
      }
    }
    const ok = reply.outcome === OUTCOME_OK;
    if (ok) {
      value = Number(reply.value);
    } else {
      failed += 1;
    }
    send(SOURCE, 'stepEnd', ok ? { id, ok } : { id, ok, text: reply.error });
  }
  await connection.close();
  return { value, failed };
}

if (!process.env.DSTAP_SOCKET) {
  console.error('counters.mjs: DSTAP_SOCKET is not set; run it with dstap record -- node ...');
  process.exit(2);
}
const seen = await Promise.all(Array.from({ length: servers }, (_, index) => run(index + 1)));
const failed = seen.reduce((sum, server) => sum + server.failed, 0);
const last = Math.max(...seen.map(({ value }) => value));
console.log(`${servers * calls - failed} additions, the last one saw ${last}` +
  (failed > 0 ? `; ${failed} more failed: over the experience's limits, see --rule` : ''));
