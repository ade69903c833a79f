// Runs Luau over the lab's own modules, in this process.

import { createState } from '../host/vm.mjs';

const { state, need } = await createState();

/**
 * Runs `source`, which gets `need` as its argument, and gives what it returns.
 * @param {string} source
 */
export async function luau(source) {
  const results = await state.loadstring(`local need = ...\n${source}`, '=test', true)(need);
  return results?.[0];
}
