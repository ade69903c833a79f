// The models over a proxy that keeps no local copies: what they send, and when. What the copies do
// to them is tested with the simulator.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { callsByStep, callsOf, folder, runLab, stepsOf } from './support.mjs';

const GET = 1;
const UPDATE = 3;
const PAST_CACHE = 2;
const MODELS = ['geode', 'geode-mailbox', 'geode-before'];
const REFERENCE = ['--latency', 'reference', '--samples', '1'];

function run(library, scenario, prepare) {
  return runLab(['--library', library, '--scenario', scenario, ...REFERENCE], prepare);
}

// One word a call, with its start: "U 0.00", "past 0.60", "mail 0.00" and "G 0.00".
function calls(proxy, step) {
  return callsOf(proxy, step).map(({ method, useCache, store, nowNs }) => {
    const word = method === UPDATE ? 'U'
      : useCache === PAST_CACHE ? 'past' : store.name.endsWith('_mailbox') ? 'mail' : 'G';
    return `${word} ${((nowNs - step.nowNs) / 1e9).toFixed(2)}`;
  });
}

test('there is one version of a model', async () => {
  const { status, lines } = await run('geode@0.6.1', 'load-save-release');
  assert.equal(status, 2);
  assert.match(lines[0], /^dstap lab: --library geode@0\.6\.1: geode is a model that is part of/);
});

test('loads, saves and releases are one UpdateAsync, with the mailbox beside or behind it, and ' +
  'captures call them models', async () => {
  const expected = {
    geode: { load: [UPDATE], seconds: 0.25 },
    'geode-mailbox': { load: [GET, UPDATE], seconds: 0.25 },
    'geode-before': { load: [UPDATE, GET], seconds: 0.3 },
  };
  for (const name of MODELS) {
    const { proxy, stderr } = await run(name, 'load-save-release');
    assert.equal(stderr, '');
    const [{ library }] = proxy.all('sourceInfo');
    assert.deepEqual([library.name, library.isModel, library.origin],
      [name, true, 'model of the lab']);
    const { load, seconds } = expected[name];
    assert.deepEqual(callsByStep(proxy), {
      'load-new': [load], save: [[UPDATE]], release: [[UPDATE], [UPDATE]], 'load-stored': [load],
    });
    const steps = stepsOf(proxy);
    assert.deepEqual(steps.map((step) => step.seconds), [seconds, 0.25, 0.25, seconds, 0.25]);
    assert.deepEqual(steps.map(({ observed }) => observed),
      ['0', undefined, undefined, '888', undefined]);
  }
});

test('a conflict asks the old server, waits for its word, and reads once past the cache',
  async () => {
    // Refused after 0.05 s, asked until 0.20 s, written until 0.45 s, announced until 0.60 s.
    const expected = {
      geode: ['U 0.00', 'past 0.60', 'U 0.65'],
      'geode-mailbox': ['mail 0.00', 'U 0.00', 'past 0.60', 'mail 0.65', 'U 0.65'],
      'geode-before': ['U 0.00', 'U 0.60', 'mail 0.85'],
    };
    for (const name of MODELS) {
      const { proxy, stderr } = await run(name, 'hop-keeps');
      assert.equal(stderr, '');
      const steps = stepsOf(proxy);
      assert.equal(steps.length, 2);
      for (const hop of steps) {
        assert.deepEqual(calls(proxy, hop), expected[name]);
        assert.deepEqual([hop.observed, hop.seconds], ['999', 0.9]);
      }
      assert.ok(proxy.all('notice').some(({ source, text }) =>
        source === 1 && text === 'The profile of user 100001 was taken: released'));
    }
  });

test('a lease of a server that died ends after 300 s', async () => {
  const file = path.join(folder({ 'own.luau': `
    local lab = ...
    local old = lab:server({ name = "old", role = "old server" })
    local new = lab:server({ name = "new", role = "new server" })
    lab:wait(8)
    local profile = lab:profile()
    local before, after = lab:hold(old, profile), lab:hold(new, profile)
    lab:run(old, 1, profile, before.load)
    lab:wait(5)
    lab:crash(old)
    lab:step(new, 1, "takeover", profile, after.load)` }), 'own.luau');
  // The older one tries every 2.1 s, 0.05 s of which are the request's.
  for (const [name, sent] of [['geode', 3], ['geode-before', 142]]) {
    const { proxy, stderr } = await run(name, file);
    assert.equal(stderr, '');
    const [step] = stepsOf(proxy);
    assert.equal(callsOf(proxy, step).filter(({ method }) => method === UPDATE).length +
      callsOf(proxy, step).filter(({ useCache }) => useCache === PAST_CACHE).length, sent, name);
    assert.ok(step.seconds >= 294 && step.seconds < 299, `${step.seconds}`);
    assert.equal(step.observed, '0');
  }
});

test('requests are held back while the budget is 0, which is looked at every 1.01 s', async () => {
  const { proxy } = await run('geode-mailbox', 'load-save-release', (fake) => {
    fake.budgetAt = (now) => (now >= 13e9 ? 1 : 0);
  });
  const [load] = stepsOf(proxy);
  // The step begins at 8 s. 61 frames a look: the fifth is the first after 13 s.
  assert.deepEqual(calls(proxy, load), ['mail 5.08', 'U 5.08']);
});

test('a scenario about what a model does not have is said to be that', async () => {
  const { proxy, lines } = await run('geode', 'autosave');
  const said = 'scenario autosave is about what the model does not have';
  assert.ok(lines.some((line) => line.includes(said)), lines.join('\n'));
  assert.ok(proxy.all('notice').some(({ text }) => text.startsWith?.(said)));
  const modelled = await run('geode', 'load-save-release');
  assert.deepEqual(modelled.lines, []);
});
