// A library whose lock is in MemoryStore, with the latencies that its reference figures were made
// with: a map's update 0.05 s, a GetAsync 0.05 s, a SetAsync 0.20 s.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { callsByStep, callsOf, folder, runLab, stepsOf } from './support.mjs';

const GET = 1;
const SET = 2;
const MAP_UPDATE = 47;
const CANCELLED = 2;
const ARGS = ['--library', 'suphi', '--latency', 'reference', '--samples', '1', '--scenario'];

test('Suphi\'s module locks in a sorted map and keeps the plain value', async () => {
  const { proxy, status, stderr } = await runLab([...ARGS, 'load-save-release']);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.deepEqual(callsByStep(proxy), {
    'load-new': [[MAP_UPDATE, GET]],
    save: [[SET]],
    release: [[SET, MAP_UPDATE], [SET, MAP_UPDATE]],
    'load-stored': [[MAP_UPDATE, GET]],
  });
  assert.deepEqual(stepsOf(proxy).map(({ seconds, observed }) => [seconds, observed]),
    [[0.1, '0'], [0.2, undefined], [0.25, undefined], [0.1, '888'], [0.25, undefined]]);
  const [lock] = proxy.all('call');
  assert.deepEqual([lock.store.name, lock.store.kind, lock.key],
    ['PlayerData/global/Player_100001', 4, 'Id']);
  assert.equal(JSON.parse(proxy.store.get('PlayerData/global/Player_100001').value).coins, 999);
});

test('Suphi\'s module gets a released profile with its second try', async () => {
  const { proxy, stderr } = await runLab([...ARGS, 'hop-releases']);
  assert.equal(stderr, '');
  const [hop] = stepsOf(proxy);
  assert.deepEqual(callsOf(proxy, hop).map(({ method, nowNs }) =>
    [method, (nowNs - hop.nowNs) / 1e9]), [[MAP_UPDATE, 0], [MAP_UPDATE, 6.05], [GET, 6.1]]);
  assert.equal(hop.observed, '888');
});

test('Suphi\'s module is refused a kept profile: the old server renews its lock', async () => {
  const { proxy, status, stderr } = await runLab([...ARGS, 'hop-keeps']);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  for (const hop of stepsOf(proxy)) {
    assert.equal(hop.ok, false);
    assert.match(hop.text, /^Open gave Locked: /);
    const calls = callsOf(proxy, hop);
    assert.deepEqual(calls.map(({ method }) => method), [MAP_UPDATE, MAP_UPDATE]);
    for (const { id } of calls) {
      const end = proxy.all('ownReply').find(({ call }) => call === id);
      assert.equal(end.outcome, CANCELLED);
    }
  }
});

test('Suphi\'s module saves every 30 s, renews its lock every 60 s, and a dead server\'s lock ' +
  'ends 330 s after it was renewed last', async () => {
  const file = path.join(folder({ 'own.luau': `
    local lab = ...
    local old = lab:server({ name = "old", role = "old server" })
    local new = lab:server({ name = "new", role = "new server" })
    lab:wait(8)
    local profile = lab:profile()
    local before, after = lab:hold(old, profile), lab:hold(new, profile)
    lab:run(old, 1, profile, before.load)
    lab:wait(100)
    lab:crash(old)
    local loaded = false
    while not loaded do
      lab:wait(3)
      loaded = lab:step(new, 1, "takeover", profile, after.load, { mayFail = true })
    end` }), 'own.luau');
  const { proxy, stderr } = await runLab([...ARGS, file]);
  assert.equal(stderr, '');
  const ofOld = (method) => proxy.all('call').filter((call) =>
    call.source === 1 && call.method === method).map(({ nowNs }) => nowNs / 1e9);
  const saves = ofOld(SET);
  assert.equal(saves.length, 3);
  saves.forEach((at, index) => assert.ok(Math.abs(at - (8.1 + 30 + index * 30.2)) < 0.1, `${at}`));
  const [locked, renewed, ...more] = ofOld(MAP_UPDATE);
  assert.equal(locked, 8);
  assert.ok(Math.abs(renewed - 68) < 0.1, `${renewed}`);
  assert.deepEqual(more, []);
  const tries = proxy.all('call').filter(({ source, method }) =>
    source === 2 && method === MAP_UPDATE);
  const taken = tries.at(-1).nowNs / 1e9 - (renewed + 0.05);
  assert.ok(taken >= 330 && taken < 340, `${taken}`);
  assert.equal(stepsOf(proxy).at(-1).ok, true);
});
