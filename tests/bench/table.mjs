// Makes Markdown of what the benchmarks measured. Called by tests/bench/run.

import { readFileSync } from 'node:fs';

const [labFile, ...benchFiles] = process.argv.slice(2);

// Google Benchmark writes NaN, which is no JSON, as the spread of a counter that is 0.
const benchmarks = benchFiles.flatMap((file) =>
  JSON.parse(readFileSync(file, 'utf8').replaceAll(/: NaN\b/g, ': null')).benchmarks);

function linesOf(file) {
  return readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
}

// The fastest run of a benchmark.
function fastest(name) {
  const runs = benchmarks.filter((each) => each.run_name === name && each.run_type === 'iteration');
  const failed = runs.find((each) => each.error_occurred);
  if (runs.length === 0 || failed) {
    throw new Error(`${name}: ${failed?.error_message ?? 'did not run'}`);
  }
  return runs.reduce((a, b) => (b.items_per_second > a.items_per_second ? b : a));
}

function shown(perSecond) {
  return perSecond >= 1e6
    ? `${(perSecond / 1e6).toPrecision(3)} M/s`
    : `${Number(perSecond.toPrecision(3)).toLocaleString('en-US')} /s`;
}

function ratio(ours, baseline) {
  const value = ours / baseline;
  return value >= 10 ? value.toFixed(0) : value.toPrecision(2);
}

function print(title, head, rows) {
  console.log(`${title}\n`);
  for (const cells of [head, head.map(() => '---'), ...rows]) {
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log('');
}

// [what, benchmark, what it is measured against, its benchmark, to reach]
const SPEEDS = [
  ['recorder, no value', 'recorder/no value', 'one JSON line a call', 'as JSON lines/no value',
    '1 µs a call'],
  ['recorder, values of 100 bytes', 'recorder/values of 100 bytes', 'one JSON line a call',
    'as JSON lines/values of 100 bytes', '1 µs a call'],
  ['recorder, values of 2,000 bytes', 'recorder/values of 2000 bytes', 'one JSON line a call',
    'as JSON lines/values of 2000 bytes', '1 µs a call'],
  ['writer, packed', 'writer/packed', 'JSON lines', 'as JSON lines/written', '2 M/s'],
  ['writer, not compressed', 'writer/not compressed', 'JSON lines', 'as JSON lines/written',
    '2 M/s'],
  ['writer, as while recording', 'writer/while recording', 'JSON lines', 'as JSON lines/written',
    '2 M/s'],
  ['reader, packed', 'reader/packed', 'JSON lines', 'as JSON lines/read', '20 M/s'],
  ['reader, not compressed', 'reader/not compressed', 'JSON lines', 'as JSON lines/read', '20 M/s'],
  ['reader, packed, without hashes and version ids', 'reader/packed, small', '', '', '20 M/s'],
  ['reader, not compressed, without hashes and version ids', 'reader/not compressed, small', '', '',
    '20 M/s'],
  ['reader, as while recording', 'reader/while recording', 'JSON lines', 'as JSON lines/read',
    '20 M/s'],
  ['columns, packed', 'columns/packed', 'JSON lines', 'as JSON lines/read', '20 M/s'],
  ['columns, not compressed', 'columns/not compressed', 'JSON lines', 'as JSON lines/read',
    '20 M/s'],
  ['columns, packed, without hashes and version ids', 'columns/packed, small', '', '', '20 M/s'],
  ['columns, not compressed, without hashes and version ids', 'columns/not compressed, small', '',
    '', '20 M/s'],
  ['report, all views', 'report/all', 'calls by method and step, of JSON lines',
    'as JSON lines/counted', '5 M/s'],
  ['report, all views, two threads, wall clock', 'report/all, two threads/real_time', '', '', ''],
  ['report, timeline alone', 'report/timeline alone', 'calls by method and step, of JSON lines',
    'as JSON lines/counted', ''],
  ['simulator', 'simulator/mixed calls', 'a hash map without rules', 'hash map/mixed calls', ''],
];

const labFigures = linesOf(labFile);

print(
  'Calls a second on one core, and the ratio to what is named, measured in the same run:',
  ['what', 'speed', 'against', 'its speed', 'ratio', 'to reach'],
  [
    ...SPEEDS.map(([what, name, against, baseline, reach]) => {
      const ours = fastest(name).items_per_second;
      if (!baseline) {
        return [what, shown(ours), '', '', '', reach];
      }
      const theirs = fastest(baseline).items_per_second;
      return [what, shown(ours), against, shown(theirs), ratio(ours, theirs), reach];
    }),
    ...labFigures.filter(({ perSecond }) => perSecond).map(({ name, perSecond, baseline }) => [
      name === 'round trips/lab' ? 'round trips of the lab' : 'round trips of a bare client',
      shown(perSecond), 'an echo over a Unix socket in Node', shown(baseline),
      ratio(perSecond, baseline), '',
    ]),
  ],
);

print(
  'Time and allocations a call in the recorder, once warm:',
  ['what', 'ns a call', 'allocations a call'],
  SPEEDS.slice(0, 3).map(([what, name]) => {
    const { items_per_second: speed, allocations_per_call: allocations } = fastest(name);
    return [what, (1e9 / speed).toFixed(0), allocations.toFixed(1)];
  }),
);

const WITHOUT = '_without_hashes_and_versions';
function sizes(what, name, counter = 'bytes_per_call') {
  const run = fastest(name);
  return [what, run[counter].toFixed(1), run[counter + WITHOUT].toFixed(1)];
}
print(
  'Bytes a call:',
  ['what', 'all columns', 'without hashes and version ids'],
  [
    sizes('capture, packed', 'writer/packed'),
    sizes('capture, not compressed', 'writer/not compressed'),
    sizes('capture, as while recording', 'writer/while recording'),
    sizes('JSON lines', 'as JSON lines/written'),
    sizes('JSON lines, one zstd frame', 'as JSON lines/written', 'zstd_bytes_per_call'),
  ],
);

print(
  'A virtual hour with one profile loaded, in the lab (to reach: about 3 s):',
  ['library', 'hour, s', 'a minute, s', 'ratio', 'calls', 'round trips'],
  labFigures.filter(({ minute }) => minute).map((each) => [
    each.name.split('/')[1], each.seconds.toFixed(2), each.minute.toFixed(2),
    ratio(each.seconds, each.minute), each.calls, each.roundTrips]),
);
