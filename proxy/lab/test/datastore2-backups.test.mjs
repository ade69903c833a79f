import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsByStep, runLab } from './support.mjs';

const GET = 1;
const SET = 2;
const GET_SORTED = 12;
const ORDERED = 2;
const ARGS = ['--library', 'datastore2-backups', '--scenario', 'load-save-release',
  '--samples', '1'];

test('DataStore2 with OrderedBackups asks for the last key, and saves the data before its key',
  async () => {
    const { proxy, status, stderr } = await runLab(ARGS);
    assert.equal(stderr, '');
    assert.equal(status, 0);
    assert.deepEqual(callsByStep(proxy), {
      'load-new': [[GET_SORTED]],
      save: [[SET, SET]],
      release: [[SET, SET], [SET, SET]],
      'load-stored': [[GET_SORTED, GET]],
    });
    const writes = proxy.all('call').filter(({ method }) => method === SET);
    assert.deepEqual(writes.map(({ store, key }) => [store.kind === ORDERED, key]),
      [[false, '1'], [true, '1'], [false, '2'], [true, '2'], [false, '3'], [true, '3']]);
    assert.deepEqual(proxy.all('stepEnd').map(({ observed }) => observed),
      ['0', undefined, undefined, '888', undefined]);
  });

test('a release ends with its second write, or with the error of the one that failed', async () => {
  let writes = 0;
  const { proxy, status, lines } = await runLab(ARGS, (fake) => {
    fake.failing = ({ method }) => (method === SET && ++writes === 4 ? '502: no' : undefined);
  });
  assert.equal(status, 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0], /datastore2-backups: step release, sample 1: 502: no/);
  const [begin, end] = [proxy.all('stepBegin').at(-1), proxy.all('stepEnd').at(-1)];
  const seconds = (end.nowNs - begin.nowNs) / 1e9;
  assert.ok(seconds >= 0.25 && seconds < 0.3, `${seconds}`);
});
