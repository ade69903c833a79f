// The scenarios are the files of the folder; a path to a file is a scenario of the user's own.

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from './usage_error.mjs';

const FOLDER = new URL('../scenarios/', import.meta.url);
const EXTENSION = '.luau';

/** Names of all scenarios. */
export function knownScenarios() {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => path.basename(file, EXTENSION))
    .sort();
}

function readOwn(file) {
  try {
    return { name: path.basename(file, EXTENSION), file, source: readFileSync(file, 'utf8') };
  } catch (error) {
    throw new UsageError(`--scenario ${file}: ${error.message}`);
  }
}

/** @param {string} name of a scenario, or a path that ends with .luau */
export function readScenario(name) {
  if (name.endsWith(EXTENSION)) {
    return readOwn(name);
  }
  const known = knownScenarios();
  if (!known.includes(name)) {
    throw new UsageError(`unknown scenario "${name}"; known: ${known.join(', ')}`);
  }
  const file = name + EXTENSION;
  return { name, file: `scenarios/${file}`, source: readFileSync(new URL(file, FOLDER), 'utf8') };
}
