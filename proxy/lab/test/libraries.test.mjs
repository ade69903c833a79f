// The libraries with a lock through load, save, release and hops, over a proxy whose reads take
// 0.05 s and whose writes take 0.20 s and that keeps no local copies.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedCopy } from './copies.mjs';
import { callsByStep, callsOf, runLab, stepsOf } from './support.mjs';

const UPDATE = 3;
const PROFILE_STORE_FILE = ['@rbxts/profile-store', 'src/init.luau'];
const PROFILE_SERVICE_FILE = ['@rbxts/profileservice', 'src/init.lua'];

// Runs one sample of a scenario; gives its proxy and its steps by name.
async function run(library, scenario, status = 0) {
  const result = await runLab(['--library', library, '--scenario', scenario, '--samples', '1']);
  assert.equal(result.stderr, '');
  assert.equal(result.status, status);
  const { proxy } = result;
  const steps = Object.fromEntries(stepsOf(proxy).map((step) => [step.name, step]));
  const starts = (name) =>
    callsOf(proxy, steps[name]).map(({ nowNs }) => (nowNs - steps[name].nowNs) / 1e9);
  return { proxy, steps, starts };
}

function assertNear(actual, expected, tolerance) {
  assert.equal(actual.length, expected.length, `${actual}`);
  actual.forEach((value, at) => {
    const rest = Math.abs(value - expected[at]);
    assert.ok(rest <= tolerance, `${actual} is not near ${expected}`);
  });
}

for (const library of ['profile-store', 'profile-service', 'lapis']) {
  test(`${library} sends one UpdateAsync for each load, save and release`, async () => {
    const { proxy, steps } = await run(library, 'load-save-release');
    assert.deepEqual(callsByStep(proxy), {
      'load-new': [[UPDATE]],
      save: [[UPDATE]],
      release: [[UPDATE], [UPDATE]],
      'load-stored': [[UPDATE]],
    });
    assert.equal(steps['load-new'].observed, '0');
    assert.equal(steps['load-stored'].observed, '888');
    assert.equal(steps['load-stored'].expected, '888');
    assert.ok(!steps['load-new'].expected, 'nothing was saved yet');
    assert.ok(steps.save.seconds >= 0.25, 'a save ends when its write is answered');
    assert.ok(steps.release.seconds >= 0.25, 'so does a release');
  });

  test(`${library} sees the old server's last change after a hop, and the old server's own ` +
    'requests are not the step\'s', async () => {
    const { proxy, steps } = await run(library, 'hop-releases');
    const hop = steps['hop-releases'];
    assert.equal(hop.observed, '888');
    assert.equal(hop.expected, '888');
    assert.deepEqual(callsByStep(proxy), { 'hop-releases': [[UPDATE, UPDATE]] });
    const sources = proxy.all('sourceInfo').map(({ id, role }) => [id, role]);
    assert.deepEqual(sources, [[1, 'old server'], [2, 'new server']]);
    assert.equal(hop.source, 2);
    const release = proxy.all('call').filter(({ source }) => source === 1).at(-1);
    const after = (release.nowNs - hop.nowNs) / 1e9;
    assert.ok(after >= 0.05 && after <= 0.4 + 2 / 60, `released ${after} s after the load began`);
  });
}

test('ProfileStore repeats a load 5 s after a conflict, and gets the kept profile', async () => {
  const { proxy, steps, starts } = await run('profile-store', 'hop-keeps');
  // Answered after 0.25 s; PublishAsync takes a frame, and waits end on frames.
  assertNear(starts('hop-keeps'), [0, 0.25 + 1 / 60 + 5], 0.02);
  assert.equal(steps['hop-keeps'].observed, '999');
  assert.ok(proxy.all('notice').some(({ source, text }) =>
    source === 1 && text === 'The profile of user 100001 was taken: OnLastSave "External"'));
});

test('ProfileStore repeats after 3 s when its copy says so', async () => {
  const copy = changedCopy(...PROFILE_STORE_FILE, 'FIRST_LOAD_REPEAT = 5', 'FIRST_LOAD_REPEAT = 3');
  const { steps, starts } = await run(`profile-store=${copy}`, 'hop-keeps');
  assertNear(starts('hop-keeps'), [0, 0.25 + 1 / 60 + 3], 0.02);
  assert.equal(steps['hop-keeps'].observed, '999');
});

test('ProfileService tries every 7 s until the autosave 30 s after the save', async () => {
  const { proxy, steps, starts } = await run('profile-service', 'hop-keeps');
  // A load 9.2 s after the save: the autosave 20.55 s after it began comes before its fourth try.
  assertNear(starts('hop-keeps'), [0, 7, 14, 21], 0.1);
  // One 8 s after the save: the fourth try comes at 21 s, the autosave 21.75 s after it began.
  assertNear(starts('hop-keeps-early'), [0, 7, 14, 21, 28], 0.1);
  for (const step of Object.values(steps)) {
    assert.equal(step.observed, '999');
    assert.equal(step.expected, '999');
  }
  assert.ok(proxy.all('notice').some(({ text }) => text.endsWith('was taken: ListenToRelease')));
});

test('ProfileService tries every 4 s when its copy says so', async () => {
  const copy = changedCopy(...PROFILE_SERVICE_FILE,
    'RobloxWriteCooldown = 7', 'RobloxWriteCooldown = 4');
  const { steps, starts } = await run(`profile-service=${copy}`, 'hop-keeps');
  // The first multiples of 4 s after 20.55 s and 21.75 s.
  assertNear(starts('hop-keeps'), [0, 4, 8, 12, 16, 20, 24], 0.15);
  assertNear(starts('hop-keeps-early'), [0, 4, 8, 12, 16, 20, 24], 0.15);
  assert.equal(steps['hop-keeps'].observed, '999');
  const releases = await run(`profile-service=${copy}`, 'hop-releases');
  assertNear(releases.starts('hop-releases'), [0, 4], 0.05);
});

test('Lapis is refused a kept profile after 20 tries, which fails the step and not the run',
  async () => {
    const { steps, starts } = await run('lapis', 'hop-keeps');
    const kept = steps['hop-keeps'];
    assert.equal(kept.ok, false);
    assert.match(kept.text, /Could not acquire lock/);
    assert.equal(kept.observed, undefined);
    const at = starts('hop-keeps');
    assert.equal(at.length, 20);
    // Each try waits 1 s after its answer, and leaves from a PostSimulation.
    assertNear(at.slice(1).map((start, index) => start - at[index]), Array(19).fill(1.1), 0.05);
  });

test('Lapis finds the modules it needs beside its own', async () => {
  const { proxy } = await run('lapis@0.3.8', 'load-save-release');
  const [{ library }] = proxy.all('sourceInfo');
  assert.equal(library.version, '0.3.8');
  assert.equal(library.commit, 'f140aca');
  assert.equal(library.licence, 'MIT');
});
