// `--list`: everything there is, in a width that terminals have.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownLibraries } from '../host/library.mjs';
import { listing, table } from '../host/listing.mjs';
import { knownScenarios } from '../host/scenarios.mjs';

test('every library and every scenario is listed, in 100 columns', () => {
  const lines = listing();
  for (const name of [...knownLibraries(), ...knownScenarios()]) {
    assert.equal(lines.filter((line) => line.startsWith(`${name} `)).length, 1, name);
  }
  for (const line of lines) {
    assert.ok(line.length <= 100, line);
  }
});

test('a library has its version, licence, package and what runs', () => {
  assert.ok(listing().some((line) =>
    /^lapis +0\.3\.8 +MIT +npm @rbxts\/lapis +its own source$/.test(line)));
});

test("a scenario's first comment line says what it does, in one line", () => {
  const lines = listing();
  for (const name of knownScenarios()) {
    const line = lines.find((each) => each.startsWith(`${name} `));
    assert.match(line, /^[a-z-]+ +[A-Z0-9].*\.$/);
  }
});

test('a long cell is broken between words and nothing of it is lost', () => {
  const words = Array.from({ length: 40 }, (_, at) => `word${at}`);
  const lines = table([['a', 'b', 'c'], ['x', words.join(' '), 'z']], 1);
  assert.ok(lines.length > 3);
  for (const line of lines) {
    assert.ok(line.length <= 100, line);
  }
  assert.deepEqual(lines.slice(1).join(' ').split(/ +/).filter((each) => each.startsWith('word')),
    words);
  assert.match(lines[1], /^x  word0 .* z$/);
});
