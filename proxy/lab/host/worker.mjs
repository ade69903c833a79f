// The thread that runs the VM and owns the connection. It tells its parent what it is doing, so
// that the parent can stop it and say where it stood.

import { parentPort, workerData } from 'node:worker_threads';
import { loadCodec } from '../session/codec.mjs';
import { Connection } from '../session/connection.mjs';
import { sendLastWords } from '../session/last_words.mjs';
import { Session } from '../session/session.mjs';
import { Vm, oneLine } from './vm.mjs';

const NS_PER_SECOND = 1e9;

async function prepare(vm, { options, library, steps, scenarios }, welcome) {
  parentPort.postMessage({ trace: 'loading' });
  for (const { path, file, source } of library.files) {
    await vm.addFile('file', path, file, source);
  }
  await vm.addFile('steps', 'steps', steps.file, steps.source);
  for (const { name, file, source } of scenarios) {
    await vm.addScenario(name, file, source);
  }
  const { name, version, commit, licence, origin, isModel, notModelled } = library;
  await vm.start({
    ...options,
    startUnixSeconds: welcome.startUnixNs / NS_PER_SECOND,
    mixedTablesFail: welcome.mixedTablesFail === true,
    library: { name, version, commit, licence, origin, isModel },
    notModelled,
  });
}

// The loop of docs/session-protocol.md, "Virtual time".
async function runToTheEnd(vm, session, failure, progress) {
  let input = { now: 0, until: 0, frames: [] };
  for (;;) {
    progress.now = input.now;
    const out = await vm.pump(input);
    progress.now = Math.max(progress.now, out.now);
    if (failure.error) {
      throw failure.error;
    }
    const grant = await session.finish(out.now, out.frames, out.wake);
    if (out.done) {
      return out.summary;
    }
    const stuck = out.wake === null && grant.until === null && grant.frames.length === 0;
    input = { ...grant, stuck };
    if (input.until === null) {
      delete input.until;
    }
  }
}

async function main() {
  parentPort.postMessage({ trace: `connecting to ${workerData.address}` });
  const session = new Session(await Connection.open(workerData.address), loadCodec());
  // An error inside `ask` would reach the library as an ordinary error, which it may catch.
  const failure = { error: undefined };
  const ask = async (text) => {
    try {
      const { now, query, frames } = JSON.parse(text);
      return JSON.stringify(await session.ask(now, frames, query));
    } catch (error) {
      failure.error ??= error;
      throw new Error('the connection to the proxy is gone');
    }
  };
  const trace = (text) => parentPort.postMessage({ trace: text });
  const vm = await Vm.create(ask, trace);
  const welcome = await session.greet(workerData.client);
  const progress = { now: 0 };
  let summary;
  try {
    await prepare(vm, workerData, welcome);
    summary = await runToTheEnd(vm, session, failure, progress);
  } catch (error) {
    await sendLastWords(session, progress.now, workerData.library, oneLine(error));
    throw error;
  }
  await session.close();
  parentPort.postMessage({ summary });
}

try {
  await main();
} catch (error) {
  parentPort.postMessage({ problem: oneLine(error) });
}
// The VM's own teardown is neither needed nor safe.
process.exit(0);
