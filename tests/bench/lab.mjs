#!/usr/bin/env node
// What the lab costs: round trips a second, and a virtual hour of each library with one profile
// loaded.
//
//   node tests/bench/lab.mjs DSTAP [REPETITIONS]
//
// Prints one JSON line a figure; the table is made of them. Of several runs the fastest counts.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const LAB = path.join(HERE, '../../proxy/lab/main.mjs');
const CALLS = path.join(HERE, 'scenarios/calls.luau');
const IDLE = path.join(HERE, 'scenarios/idle.luau');
const LIBRARIES = ['profile-store', 'profile-service', 'lapis', 'datastore2'];
const ROUND_TRIPS = 20_000;
const HUNDREDS = 20;  // Of calls, besides the first.
const MINUTES = 60;

const [program, repetitions = '3'] = process.argv.slice(2);
const dstap = path.resolve(program);
const folder = mkdtempSync(path.join(os.tmpdir(), 'dstap-bench-'));

function run(command, args) {
  return execFileSync(command, args, { encoding: 'utf8', cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
}

function fastest(measure) {
  const all = Array.from({ length: Number(repetitions) }, measure);
  return all.reduce((best, each) => (each.seconds < best.seconds ? each : best));
}

function timed(work) {
  const began = performance.now();
  work();
  return { seconds: (performance.now() - began) / 1000 };
}

function record(...command) {
  rmSync(path.join(folder, 'bench.dstap'), { force: true });
  return run(dstap, ['record', '-o', 'bench.dstap', '--', ...command]);
}

function lab(library, scenario, samples) {
  return fastest(() => timed(() => run(dstap, [
    'lab', '--library', library, '--scenario', scenario, '--samples', String(samples), '-o', 'lab',
  ]))).seconds;
}

// What the lab sends is the same in every run of a seed, so it is counted in a run of its own.
function countedFrames(library, scenario, samples) {
  const out = record(
    process.execPath, path.join(HERE, 'count_frames.mjs'), process.execPath, LAB,
    '--library', library, '--scenario', scenario, '--samples', String(samples),
  );
  return JSON.parse(out.trim().split('\n').at(-1));
}

function say(figure) {
  console.log(JSON.stringify(figure));
}

const client = path.join(HERE, 'round_trips.mjs');
const bare = fastest(() => JSON.parse(record(process.execPath, client, String(ROUND_TRIPS))));
const echo = fastest(() => JSON.parse(run(process.execPath, [client, String(ROUND_TRIPS), '--echo'])));
say({
  name: 'round trips/client', perSecond: bare.roundTrips / bare.seconds,
  baseline: echo.roundTrips / echo.seconds,
});

const startUp = lab(LIBRARIES[0], CALLS, 1);
const whole = lab(LIBRARIES[0], CALLS, HUNDREDS + 1);
const one = countedFrames(LIBRARIES[0], CALLS, 1);
const many = countedFrames(LIBRARIES[0], CALLS, HUNDREDS + 1);
const roundTrips = many.idles + many.queries - one.idles - one.queries;
say({
  name: 'round trips/lab', perSecond: roundTrips / (whole - startUp),
  baseline: echo.roundTrips / echo.seconds, perCall: roundTrips / (many.calls - one.calls),
});

for (const library of LIBRARIES) {
  const minute = lab(library, IDLE, 1);
  const hour = lab(library, IDLE, MINUTES);
  const frames = countedFrames(library, IDLE, MINUTES);
  say({
    name: `idle hour/${library}`, seconds: hour, minute, calls: frames.calls,
    roundTrips: frames.idles + frames.queries,
  });
}
rmSync(folder, { recursive: true });
