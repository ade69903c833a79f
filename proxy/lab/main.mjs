// Runs one library through scenarios against a proxy: one process, one connection, one capture.
// With --list it says which libraries and scenarios there are.
//
// Exit status: 0 fine; 1 the library, a step or the connection failed; 2 wrong options.

import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { findLibrary } from './host/library.mjs';
import { listing } from './host/listing.mjs';
import { parseOptions } from './host/options.mjs';
import { readScenario } from './host/scenarios.mjs';
import { UsageError } from './host/usage_error.mjs';
import { loadCodec } from './session/codec.mjs';
import { Connection } from './session/connection.mjs';
import { sendLastWords } from './session/last_words.mjs';
import { Session } from './session/session.mjs';

const EXIT_FINE = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const { name, version } =
  JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const CLIENT = `${name} ${version}`;

function say(text) {
  const line = text.replaceAll(/\s*\n\s*/g, ' ').slice(0, 1000)
    .replaceAll(/[\x00-\x1f\x7f-\x9f]/g, (character) =>
      `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  process.stderr.write(`dstap lab: ${line}\n`);
}

function shown(text) {
  return typeof text === 'string' ? text : Buffer.from(text.hex, 'hex').toString('latin1');
}

// The exit status of a run that came to its end.
function conclude(name, { lacking, failures, remarks, problem }) {
  for (const text of remarks) {
    say(`${name}: ${shown(text)}`);
  }
  for (const text of lacking) {
    say(`${name}: asked for what the lab does not have: ${shown(text)}`);
  }
  if (problem) {
    say(`${name}: ${shown(problem)}`);
    return EXIT_FAILED;
  }
  if (failures.length > 0) {
    const more = failures.length > 1 ? ` (and ${failures.length - 1} more)` : '';
    say(`${name}: ${shown(failures[0])}${more}`);
    return EXIT_FAILED;
  }
  return EXIT_FINE;
}

// Runs the worker with the wall clock's limit; gives the exit status.
function runWorker(data, timeLimit) {
  const { name } = data.library;
  return new Promise((resolve) => {
    // What the VM itself prints (an abort, with its whole source line) is read by nobody.
    const worker = new Worker(new URL('host/worker.mjs', import.meta.url), {
      workerData: data, stdout: true, stderr: true,
    });
    let doing = 'starting';
    let status;
    const finish = (code, text) => {
      if (status === undefined) {
        status = code;
        if (text) {
          say(`${name}: ${text}`);
        }
        clearTimeout(limit);
        worker.terminate().then(() => resolve(status));
      }
    };
    const limit = setTimeout(() => {
      finish(EXIT_FAILED, `stopped after ${timeLimit} s of wall clock in ${doing}: ` +
        'an endless loop, a proxy that does not answer, or --time-limit is too short');
    }, timeLimit * 1000);
    worker.on('message', ({ trace, summary, problem }) => {
      if (trace) {
        doing = trace;
      } else if (summary) {
        finish(conclude(name, summary));
      } else {
        finish(EXIT_FAILED, `${problem} (${doing})`);
      }
    });
    worker.on('error', (error) => {
      finish(EXIT_FAILED, `${error.message.split('\n')[0].slice(0, 300)} (${doing})`);
    });
    worker.on('exit', () => finish(EXIT_FAILED, `the VM ended without a word (${doing})`));
  });
}

// The library; nothing when it cannot be had, which is said, also in the capture.
async function find({ library, address }) {
  try {
    return findLibrary(library);
  } catch (error) {
    if (error instanceof UsageError) {
      throw error;
    }
    say(error.message);
    const session = new Session(await Connection.open(address), loadCodec());
    await session.greet(CLIENT);
    const { name, version = '' } = library;
    await sendLastWords(session, 0, { name, version }, error.message);
    return undefined;
  }
}

async function main() {
  try {
    const options = parseOptions(process.argv.slice(2), process.env);
    if (options.list) {
      process.stdout.write(`${listing().join('\n')}\n`);
      return EXIT_FINE;
    }
    const { address, timeLimit, samples, seed, players, latency } = options;
    const scenarios = options.scenarios.map(readScenario);
    const found = await find(options);
    if (!found) {
      return EXIT_FAILED;
    }
    const { library, steps } = found;
    return await runWorker(
      {
        address,
        client: CLIENT,
        options: { samples, seed, players, latency },
        library,
        steps,
        scenarios,
      },
      timeLimit,
    );
  } catch (error) {
    say(error.message);
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
  }
}

process.exitCode = await main();
