// Round trips of the session protocol a second, without the lab's VM: one GetAsync after another in
// virtual time. Run by `dstap record`, it measures the proxy; with --echo the same bytes go to an
// echo in another Node process, over a Unix socket too.
//
//   dstap record -o FILE -- node tests/bench/round_trips.mjs CALLS
//   node tests/bench/round_trips.mjs CALLS --echo
//
// Prints one JSON line: round trips (a batch, and the wait for its grant) and seconds.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { loadCodec } from '../../proxy/lab/session/codec.mjs';
import { Connection } from '../../proxy/lab/session/connection.mjs';
import { frame } from '../../proxy/lab/session/framing.mjs';
import { Session } from '../../proxy/lab/session/session.mjs';

const GET_ASYNC = 1;
const STORE_STANDARD = 1;
const USE_CACHE_FALSE = 2;
const SOURCE = 1;
const NS_BETWEEN_CALLS = 2_000_000_000;

function callOf(id) {
  return {
    source: SOURCE,
    kind: 'call',
    body: {
      id,
      method: GET_ASYNC,
      store: { name: 'Bench', scope: 'global', kind: STORE_STANDARD },
      key: `key_${id % 1000}`,
      useCache: USE_CACHE_FALSE,
    },
  };
}

async function throughTheProxy(calls) {
  const session = new Session(await Connection.open(process.env.DSTAP_SOCKET), loadCodec());
  await session.greet('round trips bench');
  let outbox = [{ source: SOURCE, kind: 'sourceInfo', body: { name: 'bench', role: 'server' } }];
  let now = 0;
  let roundTrips = 0;
  const began = performance.now();
  for (let id = 1; id <= calls; id += 1) {
    outbox.push(callOf(id));
    for (let answered = false; !answered;) {
      const grant = await session.finish(now, outbox, null);
      roundTrips += 1;
      now = grant.now;
      outbox = [];
      answered = grant.frames.some(({ kind }) => kind === 'reply');
    }
    // A client that sleeps says until when, and waits for leave to go there.
    await session.finish(now, [], now + NS_BETWEEN_CALLS);
    roundTrips += 1;
    now += NS_BETWEEN_CALLS;
  }
  const seconds = (performance.now() - began) / 1000;
  await session.finish(now, [], null);
  await session.close();
  return { calls, roundTrips, seconds };
}

async function throughAnEcho(roundTrips) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dstap-bench-'));
  const socket = path.join(folder, 'echo');
  const echo = spawn(process.execPath, [process.argv[1], socket, '--be-echo'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => echo.stdout.once('data', resolve));
  const codec = loadCodec();
  const connection = await Connection.open(`unix:${socket}`);
  const bytes = frame(codec.encodeClient({ ...callOf(1), nowNs: NS_BETWEEN_CALLS }));
  const began = performance.now();
  for (let i = 0; i < roundTrips; i += 1) {
    connection.send(bytes);
    await connection.next();
  }
  const seconds = (performance.now() - began) / 1000;
  await connection.close();
  echo.kill();
  rmSync(folder, { recursive: true });
  return { calls: 0, roundTrips, seconds };
}

function beEcho(socket) {
  net.createServer((client) => client.pipe(client)).listen(socket, () => console.log('ready'));
}

const [argument, mode] = process.argv.slice(2);
if (mode === '--be-echo') {
  beEcho(argument);
} else {
  const measure = mode === '--echo' ? throughAnEcho : throughTheProxy;
  console.log(JSON.stringify(await measure(Number(argument))));
}
