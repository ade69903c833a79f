// Finds a library: its wiring and steps here, its source in npm's folder, in the cache of other
// versions, or where the user says.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync }
  from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readModules } from './module_files.mjs';
import { UsageError } from './usage_error.mjs';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const LIBRARIES = path.join(PACKAGE, 'libraries');
const CACHE = path.join(PACKAGE, '.cache');
const WIRING = 'wiring.json';
const STEPS = 'steps.luau';
const MANUAL = 'docs/adding-a-library.md';

/** Names of the libraries that have a wiring here. */
export function knownLibraries() {
  return readdirSync(LIBRARIES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(path.join(LIBRARIES, entry.name, WIRING)))
    .map((entry) => entry.name)
    .sort();
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file}: ${error.message}`);
  }
}

// The folder of wiring.json and steps.luau: ours, or the user's own beside the source.
function wiringFolder({ name, path: given }) {
  if (given && existsSync(path.join(given, WIRING))) {
    return given;
  }
  if (!knownLibraries().includes(name)) {
    const remedy = given
      ? `; put a ${WIRING} and a ${STEPS} into ${given} (${MANUAL})`
      : '';
    throw new UsageError(
      `unknown library "${name}"; known: ${knownLibraries().join(', ')}${remedy}`,
    );
  }
  return path.join(LIBRARIES, name);
}

function readWiring(folder) {
  const file = path.join(folder, WIRING);
  const wiring = readJson(file);
  if (typeof wiring.module !== 'string') {
    throw new UsageError(`${file}: "module", the root module's name, is missing (${MANUAL})`);
  }
  return wiring;
}

function readSteps(folder) {
  const file = path.join(folder, STEPS);
  if (!existsSync(file)) {
    throw new UsageError(`${file}: there is no such file beside ${WIRING} (${MANUAL})`);
  }
  return readFileSync(file, 'utf8');
}

// npm's first line that says why, without its prefix.
function firstReason(stderr) {
  const reasons = stderr.split('\n')
    .map((line) => line.replace(/^npm (error|ERR!) (notarget |404 )?/, '').trim())
    .filter((line) => line && !line.startsWith('code ') && !line.startsWith('npm '));
  return reasons[0] ?? 'npm gave no reason';
}

// Another version than the locked one: fetched once, without running anything of it.
function fetchVersion(npmName, version) {
  const folder = path.join(CACHE, `${npmName.replace('/', '+')}@${version}`);
  const installed = path.join(folder, 'node_modules', npmName);
  if (existsSync(installed)) {
    return installed;
  }
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(path.join(CACHE, 'draft-'));
  const { status, error, stderr } = spawnSync(
    'npm',
    ['install', '--prefix', draft, '--ignore-scripts', '--no-save', '--no-audit', '--no-fund',
      '--no-package-lock', `${npmName}@${version}`],
    { encoding: 'utf8' },
  );
  if (status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    const why = error?.message ?? firstReason(stderr);
    throw new Error(`npm could not install ${npmName}@${version}: ${why}`);
  }
  try {
    renameSync(draft, folder);
  } catch {
    // Another process was faster.
    rmSync(draft, { recursive: true, force: true });
  }
  return installed;
}

function lockedFolder(npmName) {
  const locked = path.join(PACKAGE, 'node_modules', npmName);
  if (!existsSync(locked)) {
    throw new Error(`${npmName} is not installed; run "npm ci" in ${PACKAGE}`);
  }
  return locked;
}

function packageFolder(wiring, version) {
  const locked = path.join(PACKAGE, 'node_modules', wiring.npm, 'package.json');
  if (version && !(existsSync(locked) && readJson(locked).version === version)) {
    return fetchVersion(wiring.npm, version);
  }
  return lockedFolder(wiring.npm);
}

// Modules that the library expects as siblings of its own.
function besideModules({ beside = [] }, shown) {
  return beside.flatMap(({ npm, root, module }) =>
    readModules(path.join(lockedFolder(npm), root), module, `${shown} beside`));
}

function fromPath(spec, wiring) {
  const root = path.resolve(spec.path);
  return {
    root: wiring.root && existsSync(path.join(root, wiring.root))
      ? path.join(root, wiring.root)
      : root,
    version: spec.version ?? '',
    commit: '',
    licence: '',
    origin: 'path',
  };
}

function fromNpm(spec, wiring) {
  const folder = packageFolder(wiring, spec.version);
  const { version, license = '' } = readJson(path.join(folder, 'package.json'));
  return {
    root: path.join(folder, wiring.root),
    version,
    commit: wiring.commits?.[version] ?? '',
    licence: wiring.licence ?? license,
    origin: `npm ${wiring.npm}@${version}`,
  };
}

// A model: its source is here, and there is one version of it.
function fromHere(spec, folder, wiring) {
  if (spec.version) {
    throw new UsageError(`--library ${spec.name}@${spec.version}: ${spec.name} is a model that ` +
      'is part of the lab; write it without a version');
  }
  const { version = '', licence = '' } = wiring;
  return {
    root: path.join(folder, wiring.root), version, commit: '', licence, origin: 'model of the lab',
  };
}

function fromWiring(spec, folder, wiring) {
  if (spec.path) {
    return fromPath(spec, wiring);
  }
  return wiring.npm ? fromNpm(spec, wiring) : fromHere(spec, folder, wiring);
}

// A path without a module is the user's to put right, and leaves an earlier capture alone.
function ownModules({ name, path: given }, root, wiring) {
  try {
    return readModules(root, wiring.module, name);
  } catch (error) {
    throw given ? new UsageError(`--library ${name}: ${error.message}`) : error;
  }
}

// A version for source that has none: two states of one folder are two versions in a report.
function sourceVersion(files) {
  const hash = createHash('sha256');
  for (const { path: module, source } of files) {
    hash.update(`${module}\0${source.length}\0${source}`);
  }
  return `source-${hash.digest('hex').slice(0, 8)}`;
}

/**
 * @param {{name: string, version?: string, path?: string}} spec
 */
export function findLibrary(spec) {
  if (spec.path && !existsSync(spec.path)) {
    throw new UsageError(`--library ${spec.name}=${spec.path}: there is no such file or folder`);
  }
  const folder = wiringFolder(spec);
  const wiring = readWiring(folder);
  const { root, ...about } = fromWiring(spec, folder, wiring);
  const own = ownModules(spec, root, wiring);
  return {
    library: {
      name: spec.name,
      ...about,
      version: about.version || (spec.path ? sourceVersion(own) : ''),
      isModel: wiring.isModel ?? false,
      notModelled: wiring.notModelled ?? [],
      files: [...own, ...besideModules(wiring, spec.name)],
    },
    steps: {
      file: `libraries/${spec.name}/${STEPS}`,
      source: readSteps(folder),
    },
  };
}
