import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsByStep, runLab } from './support.mjs';

const GET = 1;
const UPDATE = 3;
const ARGS = ['--library', 'datastore2', '--scenario', 'load-save-release'];

test('DataStore2 reads with one GetAsync and writes with one UpdateAsync', async () => {
  const { proxy, status, stderr } = await runLab([...ARGS, '--samples', '2']);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.deepEqual(callsByStep(proxy), {
    'load-new': [[GET], [GET]],
    save: [[UPDATE], [UPDATE]],
    release: [[UPDATE], [UPDATE], [UPDATE], [UPDATE]],
    'load-stored': [[GET], [GET]],
  });
  assert.ok(proxy.all('stepEnd').every(({ ok }) => ok));
});

test('the loads see nothing and what the release before them wrote', async () => {
  const { proxy } = await runLab([...ARGS, '--samples', '1']);
  const observed = proxy.all('stepEnd').map((end) => end.observed);
  assert.deepEqual(observed, ['0', undefined, undefined, '888', undefined]);
  const stored = JSON.parse(proxy.store.get('PlayerData/global/100001').value);
  assert.equal(stored.coins, 999);
  assert.equal(stored.inventory.length, 50);
});

test('a step begins 8 s after the one before it ended, and ends with its request', async () => {
  const { proxy } = await runLab([...ARGS, '--samples', '1']);
  const begins = proxy.all('stepBegin').map(({ nowNs }) => nowNs);
  const ends = proxy.all('stepEnd').map(({ nowNs }) => nowNs);
  for (let at = 1; at < begins.length; at += 1) {
    assert.ok(begins[at] - ends[at - 1] >= 8e9);
  }
  assert.equal(ends[0] - begins[0], 50_000_000);
  const [, , release] = begins;
  assert.ok(ends[2] - release >= 250_000_000, 'the release waits for its write');
});

test('the source says where the library came from', async () => {
  const { proxy } = await runLab([...ARGS, '--samples', '1', '--players', '3']);
  const [source] = proxy.all('sourceInfo');
  assert.equal(source.library.name, 'datastore2');
  assert.equal(source.library.version, '1.4.0-ts.0');
  assert.equal(source.library.origin, 'npm @rbxts/datastore2@1.4.0-ts.0');
  assert.equal(source.players, 3);
  assert.match(source.jobId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
});

test('one seed gives the same bytes, another seed another server id', async () => {
  const run = (seed) => runLab([...ARGS, '--samples', '2', '--seed', seed]);
  const [first, again, other] = await Promise.all([run('7'), run('7'), run('8')]);
  assert.ok(first.proxy.bytes.length > 1000);
  assert.ok(first.proxy.bytes.equals(again.proxy.bytes));
  const jobId = ({ proxy }) => proxy.all('sourceInfo')[0].jobId;
  assert.notEqual(jobId(first), jobId(other));
});

test('a read that fails is repeated until it works', async () => {
  let left = 3;
  const { proxy, status } = await runLab([...ARGS, '--samples', '1'], (fake) => {
    fake.failing = ({ method }) => (method === GET && left-- > 0 ? '502: no' : undefined);
  });
  assert.equal(status, 0);
  assert.deepEqual(callsByStep(proxy)['load-new'], [[GET, GET, GET, GET]]);
});

test('a release whose write fails is a failed step with the error of the service', async () => {
  let writes = 0;
  const { proxy, status, lines } = await runLab([...ARGS, '--samples', '1'], (fake) => {
    fake.failing = ({ method }) =>
      (method === UPDATE && ++writes === 2 ? '502: API Services rejected request' : undefined);
  });
  assert.equal(status, 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0], /datastore2: step release, sample 1: 502: API Services rejected request/);
  const end = proxy.all('stepEnd').at(-1);
  assert.equal(end.ok, false);
  assert.match(end.text, /502: API Services/);
});
