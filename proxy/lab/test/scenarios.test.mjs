// The scenarios that live benches could not measure, over the proxy whose reads take 0.05 s and
// whose writes take 0.20 s, without local copies and budgets. Expected figures: what the libraries'
// own constants say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedCopy } from './copies.mjs';
import { callsOf, libraryFolder, runLab, stepsOf } from './support.mjs';

const UPDATE = 3;

// One sample of a scenario; its proxy, its steps by name and the starts of their calls in seconds.
async function run(library, scenario, prepare = undefined) {
  const result = await runLab(
    ['--library', library, '--scenario', scenario, '--samples', '1'], prepare,
  );
  assert.equal(result.status, 0, result.stderr);
  const { proxy, lines } = result;
  const steps = Object.fromEntries(stepsOf(proxy).map((step) => [step.name, step]));
  const starts = (name) =>
    callsOf(proxy, steps[name]).map(({ nowNs }) => (nowNs - steps[name].nowNs) / 1e9);
  return { proxy, steps, starts, lines };
}

function assertNear(actual, expected, tolerance) {
  assert.equal(actual.length, expected.length, `${actual} is not ${expected}`);
  actual.forEach((value, at) => {
    assert.ok(Math.abs(value - expected[at]) <= tolerance, `${actual} is not near ${expected}`);
  });
}

function every(seconds, count) {
  return Array.from({ length: count }, (_, at) => at * seconds);
}

test('ProfileStore steals from a dead server after 40 s, and at once after 630 s', async () => {
  const { steps, starts } = await run('profile-store', 'takeover');
  assertNear(starts('takeover-5s'), [0, 5.25, 15.5, 25.75, 36, 46.25], 0.15);
  assert.ok(Math.abs(steps['takeover-5s'].seconds - 46.5) < 0.5, steps['takeover-5s'].seconds);
  assert.deepEqual(starts('takeover-700s'), [0]);
  for (const { observed, expected } of Object.values(steps)) {
    assert.deepEqual([observed, expected], ['777', '777']);
  }
});

test('ProfileService steals in its tenth try, however long a server is dead', async () => {
  const { steps, starts } = await run('profile-service', 'takeover');
  for (const name of ['takeover-5s', 'takeover-700s']) {
    assertNear(starts(name), every(7.02, 10), 0.15);
    assert.ok(Math.abs(steps[name].seconds - 63.4) < 0.2, steps[name].seconds);
  }
});

test('Lapis has the profile when the lock has expired, if the app repeats its loads until then',
  async () => {
  // Two minutes here: half an hour is as many tries again as it is longer.
  const copy = changedCopy('@rbxts/lapis', 'out/lapis/Collection.luau', '30 * 60', '2 * 60');
  const { steps, starts } = await run(`lapis=${copy}`, 'takeover');
  // The save was answered 8 s before the crash, and a load gives up after some 22 s.
  const { seconds, observed } = steps['takeover-5s'];
  assert.ok(seconds > 120 - 13 && seconds < 120 - 13 + 2.5, `${seconds}`);
  assert.equal(observed, '777');
  assert.ok(starts('takeover-5s').length > 4 * 20);
  assert.deepEqual(starts('takeover-700s').length, 1);
});

for (const [library, requests] of [['datastore2', 1], ['datastore2-backups', 2]]) {
  test(`${library} has no lock to wait for`, async () => {
    const { steps, starts } = await run(library, 'takeover');
    for (const name of ['takeover-5s', 'takeover-700s']) {
      assert.equal(starts(name).length, requests);
      assert.ok(steps[name].seconds < 0.15);
      assert.equal(steps[name].observed, '777');
    }
  });
}

test('a step of many profiles ends with the last, and players raise the budgets', async () => {
  const { proxy, steps, starts } = await run('profile-store', 'players');
  assert.deepEqual(proxy.all('players').map(({ source, players = 0 }) => [source, players]),
    [[1, 1], [1, 0], [2, 10], [2, 0], [3, 40], [3, 0]]);
  for (const size of [1, 10, 40]) {
    for (const name of [`join-${size}`, `leave-${size}`]) {
      assertNear(starts(name), Array(size).fill(0), 1 / 60);
      assert.equal(new Set(callsOf(proxy, steps[name]).map(({ key }) => key)).size, size);
      assert.ok(steps[name].ok && steps[name].seconds >= 0.25, steps[name].text);
    }
  }
  // The releases are sent while the players still count.
  const [left] = callsOf(proxy, steps['leave-40']);
  const [none] = proxy.all('players').slice(-1);
  assert.equal(left.nowNs, none.nowNs);
  assert.ok(left.order < none.order);
});

test('an hour of ProfileStore is 12 saves a profile, less what it leaves out', async () => {
  const { proxy, steps } = await run('profile-store', 'autosave');
  // One of 20 profiles every 15 s, and none in the 150 s after it was loaded, 8 of which are over.
  for (const [size, saves] of [[1, 12], [20, 240 - 9]]) {
    const step = steps[`autosave-${size}`];
    assert.equal(step.seconds, 3600);
    const calls = callsOf(proxy, step);
    assert.equal(calls.length, saves);
    assert.ok(calls.every(({ method }) => method === UPDATE));
  }
});

for (const library of ['profile-store', 'profile-service', 'lapis', 'datastore2']) {
  test(`${library} writes all it holds in one frame of a shutdown, and loses nothing`, async () => {
    const { proxy, steps, starts } = await run(library, 'shutdown');
    const calls = callsOf(proxy, steps.shutdown);
    assert.equal(new Set(calls.map(({ key }) => key)).size, 3);
    assertNear(starts('shutdown'), [0, 0, 0], 2 / 60);
    assert.ok(steps.shutdown.seconds < 0.4, steps.shutdown.seconds);
    assert.equal(steps['load-after-shutdown'].observed, '888');
  });
}

test('a shutdown that takes longer than 30 s is a step that failed', async () => {
  const root = libraryFolder('game:BindToClose(function() task.wait(31) end)\nreturn {}');
  const { steps } = await run(`mine=${root}`, 'shutdown');
  assert.equal(steps.shutdown.ok, false);
  assert.equal(steps.shutdown.text, 'the BindToClose functions did not return within 30 s');
  assert.equal(steps.shutdown.seconds, 30);
});

test('of two servers that update one key at once a lock makes one wait', async () => {
  const { steps } = await run('profile-store', 'conflict');
  const { 'conflict-first': first, 'conflict-second': second } = steps;
  assert.equal(first.nowNs, second.nowNs);
  assert.notEqual(first.source, second.source);
  assert.deepEqual([first.observed, second.observed].sort(), ['1', '2']);
  assert.equal(steps['conflict-seen'].observed, '2');
});

test('without a lock one of the two updates is lost', async () => {
  const { steps } = await run('datastore2', 'conflict');
  assert.deepEqual([steps['conflict-first'].observed, steps['conflict-second'].observed],
    ['1', '1']);
  assert.equal(steps['conflict-seen'].observed, '1');
});

// Fails the first calls of each step as its name says, as the fault plan does.
function failAsNamed(proxy) {
  let current;
  let count = 0;
  proxy.failing = () => {
    const last = proxy.frames.findLast(({ kind }) => kind === 'stepBegin' || kind === 'stepEnd');
    if (last !== current) {
      current = last;
      count = 0;
    }
    const often = last?.kind === 'stepBegin' ? last.body.name.split('-').at(-1) : '0';
    count += 1;
    return often === 'always' || count <= Number(often) ? '502: API Services rejected' : undefined;
  };
}

// Seconds at which the tries of a load begin, when each fails after 0.05 s.
test('ProfileStore repeats a failed load and release after 1, 2, 4, 8, 16 and 20 s', async () => {
  const { steps, starts } = await run('profile-store', 'failures', failAsNamed);
  const tries = [0, 1.05, 3.1, 7.15, 15.2, 31.25, 51.3, 71.35, 91.4, 111.45];
  assertNear(starts('load-fails-1'), tries.slice(0, 2), 0.1);
  assertNear(starts('load-fails-3'), tries.slice(0, 4), 0.1);
  assertNear(starts('load-fails-always').slice(0, 10), tries, 0.3);
  assert.ok(steps['load-fails-3'].ok);
  assert.equal(steps['load-fails-always'].text, 'StartSessionAsync gave no profile');
  assert.deepEqual(starts('save-fails-1'), [0]);
  assert.equal(steps['save-fails-1'].ok, false);
  assertNear(starts('release-fails-3'), tries.slice(0, 4), 0.1);
  assert.ok(steps['release-fails-3'].ok);
  assert.equal(steps['release-fails-always'].text, 'did not finish within 140 s');
});

test('Lapis repeats a failed load 20 times and a failed save five times', async () => {
  const { steps, starts } = await run('lapis', 'failures', failAsNamed);
  assert.equal(starts('load-fails-3').length, 4);
  assert.equal(starts('load-fails-always').length, 20);
  assert.equal(steps['load-fails-always'].ok, false);
  assert.equal(starts('save-fails-3').length, 4);
  assert.equal(starts('save-fails-always').length, 5);
  assert.equal(starts('release-fails-always').length, 5);
  assert.ok(steps['release-fails-3'].ok);
});

test('a step that sends without end ends within a second after its 200th request', async () => {
  const { steps, starts } = await run('datastore2', 'failures', failAsNamed);
  const { ok, text } = steps['load-fails-always'];
  assert.deepEqual([ok, text], [false, 'did not finish with 200 requests']);
  const count = starts('load-fails-always').length;
  assert.ok(count > 200 && count <= 260, `${count}`);
});

test('memory and edit print a line and leave no step', async () => {
  const result = await runLab(['--library', 'datastore2', '--samples', '2',
    '--scenario', 'memory', 'edit']);
  assert.equal(result.status, 0);
  assert.deepEqual(result.proxy.all('stepBegin'), []);
  assert.equal(result.lines.length, 2);
  assert.match(result.lines[0], new RegExp('^dstap lab: datastore2: memory: ([\\d.]+) KB a ' +
    'loaded profile \\(\\1 to [\\d.]+, 2 samples of 20; in this VM\\), its data ' +
    'alone [\\d.]+ KB$'));
  assert.match(result.lines[1],
    /edit: [\d.]+ us an edit \([\d.]+ to [\d.]+, 2 batches of 1000; on this machine\)$/);
});

test('memory counts what a profile keeps and no garbage', async () => {
  const root = libraryFolder('return {}', `
    local kept = {}
    function steps.load(profile)
      for _ = 1, 100 do buffer.create(10000) end
      kept[profile] = buffer.create(100 * 1024)
      return profile
    end`);
  const { lines } = await run(`mine=${root}`, 'memory');
  const [, kilobytes] = /memory: ([\d.]+) KB/.exec(lines[0]);
  assert.ok(kilobytes >= 100 && kilobytes < 101, `${kilobytes}`);
});

test('what a library says it cannot do is left out and said', async () => {
  const root = libraryFolder('return {}', `
    steps.save = nil
    steps.cannot = { save = "it saves when a player leaves" }`);
  const { proxy, steps, lines } = await run(`mine=${root}`, 'load-save-release');
  assert.deepEqual(Object.keys(steps), ['load-new', 'release', 'load-stored']);
  assert.deepEqual(lines, ['dstap lab: mine: it cannot save, which is left out: ' +
    'it saves when a player leaves']);
  assert.ok(proxy.all('notice').some(({ text }) => text === 'step save, sample 1 is left out: ' +
    'the library cannot save: it saves when a player leaves'));
});

test('only save and release can be left out', async () => {
  const root = libraryFolder('return {}', 'steps.cannot = { load = "no" }');
  const { status, lines } = await runLab(
    ['--library', `mine=${root}`, '--scenario', 'load-save-release'],
  );
  assert.equal(status, 1);
  assert.match(lines[0], /cannot\.load: only save and release, each with a reason/);
});
