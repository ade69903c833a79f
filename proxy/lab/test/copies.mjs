// Copies of npm's libraries with one text changed.

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './temporary.mjs';

const MODULES = fileURLToPath(new URL('../node_modules/', import.meta.url));

/**
 * The folder of a copy of `npmName` in which `from`, which must stand there once, is `to`.
 * @param {string} npmName
 * @param {string} file below the package
 */
export function changedCopy(npmName, file, from, to) {
  const root = temporaryFolder();
  cpSync(path.join(MODULES, npmName), root, { recursive: true });
  const target = path.join(root, file);
  const parts = readFileSync(target, 'utf8').split(from);
  if (parts.length !== 2) {
    throw new Error(`${npmName}/${file}: "${from}" stands there ${parts.length - 1} times`);
  }
  writeFileSync(target, parts.join(to));
  return root;
}
