import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAME_BYTES_MAX, FrameReader, frame } from '../session/framing.mjs';

test('frames split at every byte come out whole and in order', () => {
  const bodies = [Buffer.alloc(0), Buffer.from('a'), Buffer.alloc(300, 'b'), Buffer.from('c')];
  const all = Buffer.concat(bodies.map(frame));
  for (let at = 0; at <= all.length; at += 1) {
    const reader = new FrameReader();
    const got = [...reader.push(all.subarray(0, at)), ...reader.push(all.subarray(at))];
    assert.deepEqual(got, bodies, `split at byte ${at}`);
    assert.equal(reader.pending, 0);
  }
});

test('frames that arrive byte by byte come out whole', () => {
  const all = Buffer.concat([frame(Buffer.alloc(200, 'x')), frame(Buffer.from('yz'))]);
  const reader = new FrameReader();
  const got = [...all].flatMap((byte) => reader.push(Buffer.from([byte])));
  assert.deepEqual(got.map(String), ['x'.repeat(200), 'yz']);
});

test('a frame at the limit is taken and one byte more is refused', () => {
  const body = Buffer.alloc(FRAME_BYTES_MAX);
  assert.equal(new FrameReader().push(frame(body))[0].length, FRAME_BYTES_MAX);
  assert.throws(() => frame(Buffer.alloc(FRAME_BYTES_MAX + 1)), /over the limit/);
  const length = Buffer.from([0x81, 0x80, 0x80, 0x04]);
  assert.throws(() => new FrameReader().push(length), /over the limit/);
});

test('a length that never ends is refused', () => {
  assert.throws(() => new FrameReader().push(Buffer.alloc(8, 0x80)), /over the limit/);
});
