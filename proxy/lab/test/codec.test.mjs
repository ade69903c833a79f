import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCodec } from '../session/codec.mjs';
import { parseAddress } from '../session/connection.mjs';

const codec = loadCodec();

test('a value comes through as the very text it was', () => {
  const value = '{"a":[1.0,1e3,"\\u0041\u00e9"],"b":  null}';
  const bytes = codec.encodeServer({
    source: 1, nowNs: 5, kind: 'reply', body: { call: 7, outcome: 1, value },
  });
  assert.equal(codec.decodeServer(bytes).body.value, value);
});

test('bytes that are not UTF-8 come through as they were', () => {
  const body = { id: 1, method: 1, key: { hex: 'ff00fe' } };
  const got = codec.decodeClient(codec.encodeClient({ source: 1, nowNs: 0, kind: 'call', body }));
  assert.deepEqual(got.body.key, { hex: 'ff00fe' });
});

test('absent is not empty', () => {
  const send = (body) => codec.decodeServer(codec.encodeServer({ kind: 'reply', body })).body;
  assert.equal('value' in send({ call: 1 }), false);
  assert.equal(send({ call: 1, value: '' }).value, '');
});

test('nanoseconds up to 2^53 are exact', () => {
  const body = { nextWakeNs: Number.MAX_SAFE_INTEGER };
  const bytes = codec.encodeClient({ source: 0, nowNs: 9007199254740991, kind: 'idle', body });
  const got = codec.decodeClient(bytes);
  assert.equal(got.nowNs, 9007199254740991);
  assert.equal(got.body.nextWakeNs, 9007199254740991);
});

test('addresses are unix:PATH or tcp:HOST:PORT', () => {
  assert.deepEqual(parseAddress('unix:/a/b'), { path: '/a/b' });
  assert.deepEqual(parseAddress('tcp:127.0.0.1:65535'), { host: '127.0.0.1', port: 65535 });
  assert.throws(() => parseAddress('tcp:127.0.0.1:65536'), /not an address/);
  assert.throws(() => parseAddress('/a/b'), /not an address/);
});
