// Stands between a client and the proxy, and counts what the client waits for.
//
//   dstap record -o FILE -- node tests/bench/count_frames.mjs COMMAND...
//
// Prints one JSON line: batches that ended with `idle` and queries, each of which is a round trip.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { loadCodec } from '../../proxy/lab/session/codec.mjs';
import { parseAddress } from '../../proxy/lab/session/connection.mjs';
import { FrameReader } from '../../proxy/lab/session/framing.mjs';

const QUERIES = new Set(['openStore', 'budgetQuery', 'setRateLimit']);

const counts = { calls: 0, idles: 0, queries: 0 };
const codec = loadCodec();
const folder = mkdtempSync(path.join(os.tmpdir(), 'dstap-bench-'));
const socket = path.join(folder, 'socket');

const server = net.createServer((client) => {
  const proxy = net.connect(parseAddress(process.env.DSTAP_SOCKET));
  const reader = new FrameReader();
  client.on('data', (chunk) => {
    for (const body of reader.push(chunk)) {
      const { kind } = codec.decodeClient(body);
      counts.calls += kind === 'call' ? 1 : 0;
      counts.idles += kind === 'idle' ? 1 : 0;
      counts.queries += QUERIES.has(kind) ? 1 : 0;
    }
  });
  client.pipe(proxy);
  proxy.pipe(client);
  client.on('error', () => proxy.destroy());
  proxy.on('error', () => client.destroy());
});

server.listen(socket, () => {
  const [command, ...rest] = process.argv.slice(2);
  const child = spawn(command, rest, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DSTAP_SOCKET: `unix:${socket}` },
  });
  child.on('exit', (code) => {
    server.close();
    rmSync(folder, { recursive: true });
    console.log(JSON.stringify(counts));
    process.exitCode = code ?? 1;
  });
});
