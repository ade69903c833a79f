// The scenarios are the files of the folder.

import { readFileSync, readdirSync } from 'node:fs';
import { UsageError } from './usage_error.mjs';

const FOLDER = new URL('../scenarios/', import.meta.url);

/** Names of all scenarios. */
export function knownScenarios() {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.luau'))
    .map((file) => file.replace(/\.luau$/, ''))
    .sort();
}

/** @param {string} name */
export function readScenario(name) {
  const known = knownScenarios();
  if (!known.includes(name)) {
    throw new UsageError(`unknown scenario "${name}"; known: ${known.join(', ')}`);
  }
  const file = `${name}.luau`;
  return { name, file: `scenarios/${file}`, source: readFileSync(new URL(file, FOLDER), 'utf8') };
}
