// A small client of the session protocol: a burst of UpdateAsync calls over one server's budget.
//
//   dstap record -o burst.dstap -- node proxy/lab/examples/burst.mjs [CALLS OVER THE BUDGET]
//
// Every transform returns nil, so nothing is written: the burst spends read tokens only.

import { loadCodec } from '../session/codec.mjs';
import { Connection } from '../session/connection.mjs';
import { Session } from '../session/session.mjs';

const UPDATE_ASYNC = 3;
const STORE_STANDARD = 1;
const STANDARD_READ = 10;
const TRANSFORM_NIL = 2;
const SOURCE = 1;
const STEP = 1;

const over = Number(process.argv[2] ?? 40);
if (!process.env.DSTAP_SOCKET) {
  console.error('burst.mjs: DSTAP_SOCKET is not set; run it with dstap record -- node ...');
  process.exit(2);
}
const session = new Session(await Connection.open(process.env.DSTAP_SOCKET), loadCodec());
await session.greet('burst example');

const introduction = { source: SOURCE, kind: 'sourceInfo', body: { name: 'burst', role: 'server' } };
const question = {
  source: SOURCE, kind: 'budgetQuery', body: { query: 1, type: STANDARD_READ },
};
const { value: budget } = await session.ask(0, [introduction, question], 1);

let outbox = [{
  source: SOURCE, kind: 'stepBegin', body: { id: STEP, name: 'burst', subject: 'burst', sample: 1 },
}];
const calls = (budget ?? 0) + over;
for (let id = 1; id <= calls; id += 1) {
  outbox.push({
    source: SOURCE,
    kind: 'call',
    body: {
      id,
      method: UPDATE_ASYNC,
      store: { name: 'Burst', scope: 'global', kind: STORE_STANDARD },
      key: `throwaway_${id}`,
    },
  });
}

// Instant after instant: send, wait for the grant, answer what came.
let now = 0;
let open = calls;
while (open > 0) {
  const grant = await session.finish(now, outbox, null);
  now = grant.now;
  outbox = [];
  for (const { kind, body } of grant.frames) {
    if (kind === 'transformRequest') {
      outbox.push({
        source: SOURCE,
        kind: 'transformResult',
        body: { call: body.call, run: body.run, outcome: TRANSFORM_NIL },
      });
    } else if (kind === 'reply') {
      open -= 1;
    }
  }
}
await session.finish(now, [{ source: SOURCE, kind: 'stepEnd', body: { id: STEP, ok: true } }], null);
await session.close();
