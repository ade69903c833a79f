// The command line of main.mjs.

import { UsageError } from './usage_error.mjs';

const DEFAULTS = { samples: 5, seed: 1, players: 0, timeLimit: 120, latency: 'default' };

// Of what is the lab's own: luau/own_latency.luau.
const LATENCIES = ['default', 'reference'];

export const USAGE = 'usage: node main.mjs [--socket ADDR] --library NAME[@VERSION][=PATH] ' +
  '--scenario NAME... [--samples N] [--seed N] [--players N] [--latency default|reference] ' +
  '[--time-limit SECONDS] | --list';

function number(flag, text, least, most) {
  const value = Number(text);
  if (!/^\d+$/.test(text ?? '') || value < least || value > most) {
    throw new UsageError(`${flag} ${text ?? ''}: must be a whole number from ${least} to ${most}`);
  }
  return value;
}

// NAME[@VERSION][=PATH]
function librarySpec(text) {
  const parts = /^([A-Za-z0-9][A-Za-z0-9_-]*)(?:@([A-Za-z0-9][A-Za-z0-9.+-]*))?(?:=(.+))?$/
    .exec(text ?? '');
  if (!parts) {
    throw new UsageError(`--library ${text ?? ''}: write NAME, NAME@VERSION or NAME=PATH`);
  }
  return { name: parts[1], version: parts[2], path: parts[3] };
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export function parseOptions(args, env) {
  if (args.includes('--list')) {
    return { list: true };
  }
  const options = { ...DEFAULTS, address: env.DSTAP_SOCKET, library: undefined, scenarios: [] };
  const flags = {
    '--socket': (text) => { options.address = text; },
    '--library': (text) => {
      if (options.library) {
        throw new UsageError('--library: one process runs one library');
      }
      options.library = librarySpec(text);
    },
    '--scenario': (text) => { options.scenarios.push(...(text ?? '').split(',').filter(Boolean)); },
    '--samples': (text) => { options.samples = number('--samples', text, 1, 10000); },
    '--seed': (text) => {
      options.seed = number('--seed', text, 0, Number.MAX_SAFE_INTEGER);
    },
    '--players': (text) => { options.players = number('--players', text, 0, 700); },
    '--latency': (text) => {
      if (!LATENCIES.includes(text)) {
        throw new UsageError(`--latency ${text ?? ''}: must be ${LATENCIES.join(' or ')}`);
      }
      options.latency = text;
    },
    '--time-limit': (text) => {
      options.timeLimit = number('--time-limit', text, 1, 86400);
    },
  };
  for (let at = 0; at < args.length; at += 1) {
    const [flag, inline] = args[at].split(/=(.*)/s);
    const take = flags[flag];
    if (!take) {
      throw new UsageError(`${args[at]}: unknown option; ${USAGE}`);
    }
    if (inline === undefined) {
      at += 1;
    }
    take(inline ?? args[at]);
    // --scenario takes several names.
    while (flag === '--scenario' && args[at + 1] && !args[at + 1].startsWith('-')) {
      at += 1;
      take(args[at]);
    }
  }
  if (!options.address) {
    throw new UsageError('--socket is missing, and DSTAP_SOCKET is not set');
  }
  if (!options.library) {
    throw new UsageError(`--library is missing; ${USAGE}`);
  }
  if (options.scenarios.length === 0) {
    throw new UsageError(`--scenario is missing; ${USAGE}`);
  }
  return options;
}
