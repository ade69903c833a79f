// The throttle scenario over a proxy that throttles nothing: what it sends, and when.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsOf, runLab, stepsOf } from './support.mjs';

const UPDATE = 3;
const ARGS = ['--library', 'datastore2', '--scenario', 'throttle'];

test('the burst is 40 UpdateAsync more than the budget shows, in one instant, and writes nothing',
  async () => {
    const { proxy, status } = await runLab([...ARGS, '--samples', '1'], (fake) => {
      fake.budget = 7;
    });
    assert.equal(status, 0);
    const [burst] = stepsOf(proxy);
    assert.equal(burst.name, 'throttle-burst');
    const calls = callsOf(proxy, burst);
    assert.equal(calls.length, 47);
    assert.equal(new Set(calls.map(({ key }) => key)).size, 47);
    for (const call of calls) {
      assert.equal(call.method, UPDATE);
      assert.equal(call.nowNs, burst.nowNs);
    }
    assert.equal(burst.ok, true);
    assert.equal(burst.seconds, 0.05, 'it ends with its last answer');
    assert.deepEqual([...proxy.store.keys()], ['PlayerData/global/100001']);
  });

test('budgets are asked for before the burst and behind it, in its instant', async () => {
  const { proxy } = await runLab([...ARGS, '--samples', '1']);
  const [burst] = stepsOf(proxy);
  const kinds = proxy.frames
    .filter(({ kind, nowNs, body }) => nowNs === burst.nowNs && (kind === 'budgetQuery' ||
      (kind === 'call' && body.store.name === burst.about[0].store)))
    .map(({ kind }) => kind);
  assert.equal(kinds.filter((kind) => kind === 'call').length, 160);
  assert.deepEqual([kinds.indexOf('call'), kinds.length - kinds.lastIndexOf('call') - 1], [4, 4]);
});

test('load, save and release follow back to back, the load in the burst\'s instant', async () => {
  const { proxy } = await runLab([...ARGS, '--samples', '2']);
  const all = stepsOf(proxy);
  assert.equal(all.length, 8);
  for (const sample of [1, 2]) {
    const [burst, load, save, release] = all.filter((step) => step.sample === sample);
    assert.deepEqual([load.name, save.name, release.name],
      ['throttle-load', 'throttle-save', 'throttle-release']);
    assert.equal(load.nowNs, burst.nowNs);
    assert.equal(save.nowNs, load.endNs);
    assert.equal(release.nowNs, save.endNs);
  }
  const [first, second] = proxy.all('sourceInfo');
  assert.notEqual(first.jobId, second.jobId);
  assert.deepEqual(all.map(({ source }) => source), [1, 1, 1, 1, 2, 2, 2, 2]);
});

test('the server is less than a second old, so that its budgets are those of a new one', async () => {
  const { proxy } = await runLab([...ARGS, '--samples', '2']);
  const bursts = stepsOf(proxy).filter(({ name }) => name === 'throttle-burst');
  proxy.all('sourceInfo').forEach(({ nowNs }, index) => {
    const age = (bursts[index].nowNs - nowNs) / 1e9;
    assert.ok(age > 0 && age < 1, `${age}`);
  });
});

test('a minute lies between two samples, so that they share no limit of all servers', async () => {
  const { proxy } = await runLab([...ARGS, '--samples', '2']);
  const all = stepsOf(proxy);
  const end = Math.max(...all.filter(({ sample }) => sample === 1).map(({ endNs }) => endNs));
  assert.ok(all.find(({ sample }) => sample === 2).nowNs - end >= 60e9);
});

test('a library that gives up under throttling fails its step and not the run', async () => {
  const { proxy, status, stderr } = await runLab(
    ['--library', 'lapis', '--scenario', 'throttle', '--samples', '1'], (fake) => {
      fake.failing = ({ store }) => (store.name === 'PlayerData' ? '502: no' : undefined);
    });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  const steps = stepsOf(proxy);
  assert.deepEqual(steps.map(({ name, ok }) => [name, ok]),
    [['throttle-burst', true], ['throttle-load', false]]);
  assert.match(steps[1].text, /502: no/);
});
