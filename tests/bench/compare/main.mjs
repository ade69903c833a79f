// The options of tests/bench/compare-with-live, and what it prints.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Explanations } from './explanations.mjs';
import { Lab } from './lab.mjs';
import { liveTables } from './live.mjs';
import { notMeasured } from './not_measured.mjs';
import { referenceTables } from './reference.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = path.join(ROOT, 'docs/benchmarks.md');
const BEGIN = '<!-- begin: printed by tests/bench/compare-with-live -->';
const END = '<!-- end: printed by tests/bench/compare-with-live -->';
// The fastest first.
const BUILDS = ['release', 'bench', 'asan'];

class UsageError extends Error {}

function optionsOf(words) {
  let values;
  try {
    ({ values } = parseArgs({
      args: words,
      options: {
        latency: { type: 'string' },
        dstap: { type: 'string' },
        write: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    throw new UsageError(error.message);
  }
  if (![undefined, 'default', 'reference'].includes(values.latency)) {
    throw new UsageError(`--latency is ${values.latency}, and must be default or reference`);
  }
  if (values.write && values.latency) {
    throw new UsageError('--write needs both parts: leave --latency out');
  }
  return values;
}

function programOf(named) {
  const built = BUILDS.map((preset) => path.join(ROOT, 'build', preset, 'dstap'));
  const program = named ? path.resolve(named) : built.find(existsSync);
  if (!program || !existsSync(program)) {
    throw new UsageError(`no ${program ?? built[0]}: build it, or name one with --dstap PROGRAM`);
  }
  return program;
}

function putIntoPage(text) {
  const page = readFileSync(PAGE, 'utf8');
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) {
    throw new Error(`${PAGE}: a line "${BEGIN}" and a line "${END}" must be there`);
  }
  writeFileSync(PAGE, `${page.slice(0, from + BEGIN.length)}\n\n${text}\n${page.slice(to)}`);
}

async function textOf({ latency, dstap }, explanations) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dstap-compare-'));
  try {
    const lab = new Lab(programOf(dstap), folder);
    const parts = [];
    if (latency !== 'reference') {
      parts.push(...liveTables(lab, explanations), ...notMeasured(lab));
    }
    if (latency !== 'default') {
      parts.push(...referenceTables(lab, explanations));
    }
    return parts.map((part) => `${part}\n`).join('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function main(words) {
  try {
    const options = optionsOf(words);
    const explanations = new Explanations();
    const text = await textOf(options, explanations);
    if (!options.write) {
      process.stdout.write(text);
    } else if (explanations.missing.length === 0) {
      putIntoPage(text);
    }
    for (const what of explanations.missing) {
      console.error(`compare-with-live: ${what} differs, and explanations.json does not say why`);
    }
    process.exitCode = explanations.missing.length > 0 ? 1 : 0;
  } catch (error) {
    console.error(`compare-with-live: ${error.message}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
