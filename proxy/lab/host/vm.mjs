// The Luau VM with the lab's own modules in it. Only strings, numbers and functions cross: one
// string in and one out for each pump.

import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { raiseMemory } from './wasm_memory.mjs';

const LUAU_FOLDER = new URL('../luau/', import.meta.url);
const MEMORY_MIB = 256;

// V8's optimizing compiler takes most of a second for the interpreter's loop, and its code is no
// faster than the baseline's: an idle hour took 3.8 s of processor time with it and 2.0 s without.
setFlagsFromString('--liftoff-only');

// With these, newer versions of Node would load another build of the VM than older ones.
delete WebAssembly.Suspending;
delete WebAssembly.promising;
raiseMemory(MEMORY_MIB * 1024 * 1024);

const { LuauState, InternalLuauWasmModule } = await import('luau-web');
InternalLuauWasmModule.options.set('LUA_IMPLICIT_ARRAYS_TO_JS_ARRAYS', false);

// The file as a function inside a function, on the same lines: each server gets a copy of its own.
const wrapped = (source) => `return function(...) ${source}\nend`;

// A string goes into the VM over its stack, with four bytes for a character: one of 1.2 million
// characters ends the VM. No piece ends inside a surrogate pair.
const PIECE = 250_000;
function piecesOf(text) {
  const pieces = [];
  let at = 0;
  while (text.length - at > PIECE) {
    const isHighSurrogate = (text.charCodeAt(at + PIECE - 1) & 0xfc00) === 0xd800;
    const end = at + PIECE - (isHighSurrogate ? 1 : 0);
    pieces.push(text.slice(at, end));
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces;
}

/**
 * What an error says, in one line and without the VM's own source.
 * @param {unknown} error
 */
export function oneLine(error) {
  const text = error instanceof Error ? error.message : String(error);
  if (text.includes('Cannot enlarge memory')) {
    return `the VM's memory of ${MEMORY_MIB} MiB is full`;
  }
  return text.split('\n').map((line) => line.trim()).filter(Boolean).slice(0, 2).join(' ')
    .slice(0, 500);
}

/**
 * A VM with the lab's own modules in it. `need` is the Luau function that gives one by name.
 * @param {Record<string, Function>} [globals] JavaScript functions that Luau can call
 */
export async function createState(globals = {}) {
  const state = await LuauState.createAsync(globals);
  const load = (file) =>
    state.loadstring(readFileSync(new URL(file, LUAU_FOLDER), 'utf8'), `=lab/${file}`, true);
  const [add, need] = await load('boot.luau')();
  for (const file of readdirSync(LUAU_FOLDER).sort()) {
    await add(file.replace(/\.luau$/, ''), load(file));
  }
  return { state, need };
}

export class Vm {
  #state;
  #add;
  #start;
  #more;
  #pump;

  /**
   * @param {(text: string) => Promise<string>} ask answers a query while the VM waits
   * @param {(text: string) => void} trace hears what is being run
   */
  static async create(ask, trace) {
    const vm = new Vm();
    const { state, need } = await createState({ labAsk: ask, labTrace: trace });
    vm.#state = state;
    const doors = state.loadstring(
      'local need = ... local lab = need("lab") ' +
        'local ask, trace = labAsk, labTrace ' +
        'return lab.add, function(options) lab.start(options, ask, trace) end, lab.more, lab.pump',
      '=lab/doors',
      true,
    );
    [vm.#add, vm.#start, vm.#more, vm.#pump] = await doors(need);
    // Scripts cannot see the lab's own globals; what is not there cannot be found either.
    state.env.set('labAsk', undefined, true);
    state.env.set('labTrace', undefined, true);
    return vm;
  }

  /**
   * Adds a file of the library or its steps. A file that does not compile is an error with its
   * place.
   * @param {'file' | 'steps'} what
   * @param {string} name of the module, from the root module down, joined by /
   * @param {string} file as errors name it
   * @param {string} source
   */
  async addFile(what, name, file, source) {
    await this.#add(what, name, file, this.#state.loadstring(wrapped(source), `=${file}`, true));
  }

  async addScenario(name, file, source) {
    await this.#add('scenario', name, file, this.#state.loadstring(source, `=${file}`, true));
  }

  /** @param {object} options see luau/lab.luau */
  async start(options) {
    await this.#start(JSON.stringify(options));
  }

  /**
   * One instant, or many as long as nothing has to be sent; luau/lab.luau says what goes in and
   * what comes out.
   */
  async pump(input) {
    const pieces = piecesOf(JSON.stringify(input));
    const last = pieces.pop();
    for (const piece of pieces) {
      await this.#more(piece);
    }
    const [text] = await this.#pump(last);
    return JSON.parse(text);
  }
}
