// Runs main.mjs against the fake proxy, and Luau code against the lab's own modules.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { FakeProxy } from './fake_proxy.mjs';
import { temporaryFolder } from './temporary.mjs';

const MAIN = fileURLToPath(new URL('../main.mjs', import.meta.url));

/** A folder of its own with these files in it. */
export function folder(files) {
  const root = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(root, name), text);
  }
  return root;
}

/**
 * Runs the lab with `args`.
 * @param {string[]} args
 * @param {(proxy: FakeProxy) => void} [prepare]
 */
export async function runLab(args, prepare = () => {}) {
  const proxy = await new FakeProxy().start();
  prepare(proxy);
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, DSTAP_SOCKET: proxy.address },
  });
  let stderr = '';
  child.stderr.on('data', (text) => { stderr += text; });
  const status = await new Promise((resolve) => child.on('close', resolve));
  await proxy.stop();
  return { proxy, status, stderr, lines: stderr.split('\n').filter(Boolean) };
}

const WIRING = JSON.stringify({ module: 'Library' });

/** A library whose whole source is `library`, with steps that do nothing unless given. */
export function libraryFolder(library, steps = '') {
  return folder({
    'wiring.json': WIRING,
    'init.luau': library,
    'steps.luau': `
local library, lab = ...
local steps = {}
function steps.keys(profile)
  return { { store = profile.store, scope = "global", key = tostring(profile.userId) } }
end
function steps.load(profile) return profile end
function steps.read(session) return { coins = 0 } end
function steps.write() end
function steps.save() end
function steps.release() end
${steps}
return steps
`,
  });
}

/** Runs the scenario load-save-release over such a library. */
export function runLibrary(library, steps, args = [], prepare = undefined) {
  const root = libraryFolder(library, steps);
  return runLab(
    ['--library', `mine=${root}`, '--scenario', 'load-save-release', '--samples', '1', ...args],
    prepare,
  );
}

/**
 * What a library prints while it loads: a test of the environment in Luau.
 * @param {string} source
 */
export async function printed(source) {
  const result = await runLibrary(`${source}\nreturn {}`);
  return result.proxy.all('notice').map(({ text }) => text);
}

/** Steps with their begin and end, in the order in which they began. */
export function stepsOf(proxy) {
  const ends = new Map(proxy.all('stepEnd').map((end) => [end.id, end]));
  return proxy.all('stepBegin').map((begin) => {
    const { nowNs, order, ok, text, observed } = ends.get(begin.id);
    return {
      ...begin,
      endNs: nowNs,
      endOrder: order,
      seconds: (nowNs - begin.nowNs) / 1e9,
      ok,
      text,
      observed,
    };
  });
}

/** The calls of one step: its server's, about its keys, issued while it was open. */
export function callsOf(proxy, step) {
  const isAbout = (call) => step.about.some(({ store, key }) =>
    store === call.store.name && (!key || key === call.key));
  return proxy.all('call').filter((call) => call.source === step.source && isAbout(call) &&
    call.order > step.order && call.order < step.endOrder);
}

/** The methods of the calls that each step made, by the step's name. */
export function callsByStep(proxy) {
  const steps = {};
  for (const step of stepsOf(proxy)) {
    (steps[step.name] ??= []).push(callsOf(proxy, step).map(({ method }) => method));
  }
  return steps;
}
