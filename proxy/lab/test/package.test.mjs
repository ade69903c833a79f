// What the package promises about itself: its lock file, its module rules, its memory.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readModules } from '../host/module_files.mjs';
import { withMemory } from '../host/wasm_memory.mjs';
import { folder } from './support.mjs';

const PACKAGE = new URL('../', import.meta.url);

test('the lock file records versions and hashes, and no download addresses', () => {
  const lock = JSON.parse(readFileSync(new URL('package-lock.json', PACKAGE), 'utf8'));
  for (const [name, entry] of Object.entries(lock.packages)) {
    assert.equal(entry.resolved, undefined, name);
    assert.ok(name === '' || entry.integrity, name);
  }
});

test('no library is named outside its own folder', () => {
  const names = readdirSync(new URL('libraries/', PACKAGE), { withFileTypes: true })
    .filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  for (const part of ['.', 'host', 'luau', 'scenarios', 'session']) {
    for (const file of readdirSync(new URL(`${part}/`, PACKAGE))) {
      if (/\.(mjs|luau)$/.test(file)) {
        const text = readFileSync(new URL(`${part}/${file}`, PACKAGE), 'utf8').toLowerCase();
        for (const name of names) {
          assert.ok(!text.includes(name), `${part}/${file} names ${name}`);
        }
      }
    }
  }
});

test('an init file is its folder, and tests and scripts are no modules', () => {
  const root = folder({
    'init.lua': '', 'B.luau': '', 'A.lua': '', 'A.spec.lua': '', 'Main.server.lua': '',
    'Ui.story.luau': '', 'notes.md': '',
  });
  mkdirSync(path.join(root, 'Parts'));
  writeFileSync(path.join(root, 'Parts', 'C.luau'), '');
  mkdirSync(path.join(root, 'node_modules'));
  writeFileSync(path.join(root, 'node_modules', 'D.luau'), '');
  const paths = readModules(root, 'Root', 'lib').map((module) => [module.path, module.file]);
  assert.deepEqual(paths, [
    ['Root', 'lib/init.lua'],
    ['Root/A', 'lib/A.lua'],
    ['Root/B', 'lib/B.luau'],
    ['Root/Parts/C', 'lib/Parts/C.luau'],
  ]);
});

test('a single file is a library', () => {
  const root = folder({ 'Single.luau': 'return 1' });
  assert.deepEqual(readModules(path.join(root, 'Single.luau'), 'Root', 'lib'),
    [{ path: 'Root', file: 'lib/Single.luau', source: 'return 1' }]);
});

test('a WebAssembly memory is raised and never lowered', () => {
  // A module with one memory of 1 page, at most 1.
  const binary = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 5, 4, 1, 1, 1, 1]);
  const raised = withMemory(binary, 300);
  assert.ok(WebAssembly.validate(raised));
  assert.deepEqual([...raised.subarray(8)], [5, 6, 1, 1, 0xac, 2, 0xac, 2]);
  assert.equal(withMemory(raised, 299), raised);
  assert.equal(withMemory(raised, 300), raised);
});
