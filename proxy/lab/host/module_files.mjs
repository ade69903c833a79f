// The modules of a library's folder, by Rojo's rules: init.lua[u] is its folder's module, a file is
// a module of its name, tests and scripts are left out.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const MODULE = /^(.+)\.luau?$/;
const NOT_MODULES = /\.(spec|test|server|client|story|stories)$/;

function moduleName(file) {
  const name = MODULE.exec(file)?.[1];
  return name && !NOT_MODULES.test(name) ? name : undefined;
}

function sourceOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file}: cannot be read: ${error.message}`);
  }
}

function collect(folder, modulePath, shown, out) {
  const entries = readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const add = (file, at) => out.push({
    path: at,
    file: `${shown}/${file}`,
    source: sourceOf(path.join(folder, file)),
  });
  const init = entries.find((entry) => entry.isFile() && moduleName(entry.name) === 'init');
  if (init) {
    add(init.name, modulePath);
  }
  for (const entry of entries) {
    const below = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) {
      collect(below, `${modulePath}/${entry.name}`, `${shown}/${entry.name}`, out);
    } else if (entry.isFile() && entry !== init && moduleName(entry.name)) {
      add(entry.name, `${modulePath}/${moduleName(entry.name)}`);
    }
  }
  return Boolean(init);
}

/**
 * The files below `root`, the root module first.
 * @param {string} root a folder with an init file, or a file
 * @param {string} module name of the root module
 * @param {string} shown how errors name the root
 * @returns {{path: string, file: string, source: string}[]}
 */
export function readModules(root, module, shown) {
  let stat;
  try {
    stat = statSync(root);
  } catch {
    throw new Error(`${root}: there is no such file or folder`);
  }
  if (stat.isFile()) {
    const file = `${shown}/${path.basename(root)}`;
    return [{ path: module, file, source: sourceOf(root) }];
  }
  const files = [];
  if (!collect(root, module, shown, files)) {
    throw new Error(`${root}: has no init.luau or init.lua, so it is not a module`);
  }
  return files;
}
