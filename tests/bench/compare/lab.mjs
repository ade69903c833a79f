// Runs of the lab, and what `dstap report` makes of them.

import { spawnSync } from 'node:child_process';
import path from 'node:path';

const SEED = '1';

function repeated(option, values) {
  return values.flatMap((value) => [option, value]);
}

export class Lab {
  #program;
  #folder;
  #runs = 0;

  constructor(program, folder) {
    this.#program = program;
    this.#folder = folder;
  }

  // Runs `libraries` in `scenarios`; gives a Map of each library's figures by name, and the lines
  // that the run said. Raises when a run fails that should not.
  run(libraries, scenarios, { samples = 1, options = [] } = {}) {
    this.#runs += 1;
    const out = path.join(this.#folder, String(this.#runs));
    const said = this.#dstap([
      'lab', ...repeated('--library', libraries), ...repeated('--scenario', scenarios),
      '--samples', String(samples), '--seed', SEED, '-o', out, ...options,
    ]).stderr;
    const figures = new Map();
    for (const library of libraries) {
      const { stdout } = this.#dstap(
        ['report', '--format', 'json', path.join(out, `${library}.dstap`)]);
      const report = JSON.parse(stdout);
      const subject = report.subjects.find(({ name }) => name === library);
      figures.set(library, {
        version: subject?.version ?? '',
        model: subject?.model ?? false,
        steps: new Map((subject?.steps ?? []).map((step) => [step.name, step])),
        retries: report.retries,
      });
    }
    return { figures, lines: said.split('\n') };
  }

  #dstap(words) {
    const ran = spawnSync(this.#program, words, {
      encoding: 'utf8', cwd: this.#folder, maxBuffer: 1 << 30,
    });
    if (ran.status !== 0) {
      const why = ran.error?.message ?? ran.stderr.trim();
      throw new Error(`dstap ${words.join(' ')}: status ${ran.status}\n${why}`);
    }
    return ran;
  }
}
