// Runs what tests/bench/capture measures and prints its table.
//
//   node tests/bench/capture.mjs CALLS FOLDER

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

const [callsGiven, folder] = process.argv.slice(2);
const calls = Number(callsGiven);
const tenth = Math.floor(calls / 10);
const hundredth = Math.floor(calls / 100);

const BUILD = 'build/bench';
const DSTAP = `${BUILD}/dstap`;
const PARTS = `${BUILD}/tests/bench`;
const NO_SUCH_COMMAND = 127;
const at = (name) => join(folder, name);
const size = (name) => statSync(at(name)).size;

function run(command, ...words) {
  const { status, stdout, stderr, error } = spawnSync(command, words.map(String),
    { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) {
    console.error(stderr ?? '');
    throw Object.assign(error ?? new Error(`${command} ${words.join(' ')}: status ${status}`),
      { status });
  }
  return stdout;
}

function say(what) {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`);
}

const json = (...words) => JSON.parse(run(...words));
// The least of three runs of a command, on these processors; its output stays in `out`.
const measured = (processors, ...words) =>
  json(`${PARTS}/measured`, 3, processors, at('out'), ...words);
const duckdb = (...words) => run('node', 'tests/bench/duckdb/job.mjs', ...words);

function pack(from, to, ...options) {
  run(DSTAP, 'pack', at(from), '-o', at(to), ...options);
  return size(to);
}

// Of the text that a command printed last: calls by method and step.
function checkCounts(what, expected, counts) {
  const sum = counts.reduce((a, b) => a + b, 0);
  if (sum !== expected) throw new Error(`${what} counted ${sum} of ${expected} calls`);
}

const table = [];
const sig = (number) => (number >= 100 ? Math.round(number).toLocaleString('en-US')
  : number.toPrecision(3));
const speed = (n) => (n >= 1e6 ? `${(n / 1e6).toPrecision(3)} M/s`
  : `${Number(n.toPrecision(3)).toLocaleString('en-US')} /s`);
function row(what, here, against = '', there = '', ratio = '', reach = '') {
  table.push([what, here, against, there, ratio === '' ? '' : sig(ratio), reach]);
}

say(`makes ${calls} calls`);
run(`${PARTS}/capture_bench`, 'make', folder, calls);

// The recorder.
say('recorder');
run(`${PARTS}/dstap_bench`, '--benchmark_filter=(recorder|JSON lines)/(no value|values of 100)',
  '--benchmark_repetitions=3', '--benchmark_min_time=0.3', `--benchmark_out=${at('recorder.json')}`,
  '--benchmark_out_format=json');
// Google Benchmark writes NaN, which is no JSON, as the spread of a counter that is 0.
const recorder = JSON.parse(readFileSync(at('recorder.json'), 'utf8').replaceAll(/: NaN\b/g, ': null'))
  .benchmarks.filter(({ run_type: type }) => type === 'iteration');
for (const what of ['no value', 'values of 100 bytes']) {
  const best = (name) => recorder.filter(({ run_name: n }) => n === name)
    .reduce((a, b) => (b.cpu_time < a.cpu_time ? b : a));
  const ours = best(`recorder/${what}`);
  const theirs = best(`as JSON lines/${what}`);
  row(`recorder, a call, ${what}`, `${(ours.cpu_time / 1e3).toFixed(2)} µs`,
    'one JSON line a call', `${(theirs.cpu_time / 1e3).toFixed(2)} µs`,
    theirs.cpu_time / ours.cpu_time, '1 µs');
  row(`recorder, allocations a call, ${what}`, ours.allocations_per_call.toFixed(1),
    'one JSON line a call', theirs.allocations_per_call.toFixed(1), '', '0');
}

// Writing and reading.
say('lines written and read');
const lines = json(`${PARTS}/capture_bench`, 'lines', hundredth);
const linesWritten = lines.calls / lines.write_s;
const linesRead = lines.calls / lines.read_s;
say('writer');
for (const [what, codec] of [['not compressed', 'none'], ['zstd level 9', 9]]) {
  const { calls: n, cpu_s: seconds } = json(`${PARTS}/capture_bench`, 'write', tenth, codec);
  row(`writer, ${what}`, speed(n / seconds), 'JSON lines', speed(linesWritten),
    n / seconds / linesWritten, '2 M/s');
}
say('packs');
const packed = measured('0', DSTAP, 'pack', at('calls.dstap'), '-o', at('packed.dstap'), '--force');
row('`dstap pack`', speed(calls / packed.cpu_s));
say('reader');
for (const [what, file] of [['not compressed', 'calls.dstap'], ['packed', 'packed.dstap']]) {
  const { calls: n, cpu_s: seconds } = json(`${PARTS}/capture_bench`, 'read', at(file), at('sums'));
  row(`all columns read, ${what}`, speed(n / seconds), 'JSON lines', speed(linesRead),
    n / seconds / linesRead, '20 M/s');
}

// The report, and the same count by others.
say('report');
const report = measured('0', DSTAP, 'report', at('packed.dstap'));
const counted = JSON.parse(run(DSTAP, 'report', '--format', 'json', at('packed.dstap')));
checkCounts('dstap report', calls, counted.captures.map(({ calls: n }) => n));
const reportTwo = cpus().length > 1 ? measured('0,1', DSTAP, 'report', at('packed.dstap')) : null;
const perSecond = calls / report.cpu_s;

say('Parquet');
duckdb('parquet', at('calls.jsonl'), at('steps.parquet'), 'steps');
say('counts: DuckDB on lines');
const others = [
  ['calls by method and step: DuckDB, JSON lines',
    calls / JSON.parse(duckdb('count', 'lines', at('calls.jsonl'), calls)).cpu_s],
  ['calls by method and step: DuckDB, two columns of Parquet',
    calls / JSON.parse(duckdb('count', 'parquet', at('steps.parquet'), calls)).cpu_s],
];
say('counts: jq');
const JQ = 'reduce inputs as $call ({}; .["\\($call.method) \\($call.step)"] += 1)';
const jq = measured('0', 'jq', '-n', JQ, at('tenth.jsonl'));
checkCounts('jq', tenth, Object.values(JSON.parse(readFileSync(at('out'), 'utf8'))));
others.push(['calls by method and step: jq, a tenth of the JSON lines', tenth / jq.cpu_s]);
say('counts: tshark');
try {
  const tshark = measured('0', 'tshark', '-r', at('http.pcap'), '-Y', 'http.request', '-T',
    'fields', '-e', 'http.request.uri.query');
  const counts = new Map();
  for (const query of readFileSync(at('out'), 'utf8').trim().split('\n')) {
    counts.set(query, (counts.get(query) ?? 0) + 1);
  }
  checkCounts('tshark', hundredth, [...counts.values()]);
  others.push(['calls by method and step: tshark, a hundredth as HTTP', hundredth / tshark.cpu_s]);
} catch (error) {
  if (error.status !== NO_SUCH_COMMAND) throw error;
  others.push(['calls by method and step: tshark is not installed', 0]);
}

row('`dstap report`, one core', speed(perSecond), others[0][0], speed(others[0][1]),
  perSecond / others[0][1], '5 M/s');
for (const [what, theirs] of others.slice(1)) {
  row('`dstap report`, one core', speed(perSecond), what, theirs ? speed(theirs) : '',
    theirs ? perSecond / theirs : '');
}
row('`dstap report`, one core, by the wall clock', speed(calls / report.wall_s));
if (reportTwo) {
  row('`dstap report`, two cores, by the wall clock', speed(calls / reportTwo.wall_s),
    'one core', speed(calls / report.wall_s), report.wall_s / reportTwo.wall_s, 'over 1');
}

// Memory.
say('memory');
pack('tenth.dstap', 'tenth-packed.dstap');
const small = measured(reportTwo ? '0,1' : '0', DSTAP, 'report', at('tenth-packed.dstap'));
const large = reportTwo ?? report;
row(`\`dstap report\`, peak memory, ${calls.toLocaleString('en-US')} calls`,
  `${large.peak_mb.toFixed(0)} MB`, `${tenth.toLocaleString('en-US')} calls`,
  `${small.peak_mb.toFixed(0)} MB`, large.peak_mb / small.peak_mb, 'under 300 MB, and flat');

// Sizes.
const perCall = (bytes, n) => `${(bytes / n).toFixed(1)} B`;
function sizes(what, ours, against, theirs, n, reach) {
  row(what, perCall(ours, n), against, perCall(theirs, n), theirs / ours, reach);
}
say('sizes of all');
duckdb('parquet', at('calls.jsonl'), at('all.parquet'), 'all');
sizes('packed, bytes a call', size('packed.dstap'), 'Parquet, zstd', size('all.parquet'), calls,
  'at least 1');
run('zstd', '-q', '-T1', at('calls.jsonl'), '-o', at('calls.jsonl.zst'));
sizes('packed, bytes a call', size('packed.dstap'), 'JSON lines, zstd', size('calls.jsonl.zst'),
  calls);
sizes('packed, bytes a call', size('packed.dstap'), 'JSON lines', size('calls.jsonl'), calls);
for (const name of ['calls.jsonl', 'calls.jsonl.zst', 'steps.parquet', 'all.parquet']) rmSync(at(name));
for (const [level, name] of [[undefined, 'level as by default'], [19, 'level 19']]) {
  for (const [columns, file, which] of [['all', 'tenth.dstap', 'all columns'],
    ['small', 'tenth-small.dstap', 'no hashes, no version ids']]) {
    if (!level && columns === 'all') continue;
    say(`sizes: ${which}, ${name}`);
    const ours = pack(file, 'sized.dstap', '--force', ...(level ? ['--level', level] : []));
    duckdb('parquet', at('tenth.jsonl'), at('tenth.parquet'), columns, ...(level ? [level] : []));
    sizes(`packed, bytes a call, a tenth, ${which}, ${name}`, ours, 'Parquet, zstd, the same level',
      size('tenth.parquet'), tenth, columns === 'small' ? 'about 16 B' : 'at least 1');
  }
}

const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
console.log(`${calls.toLocaleString('en-US')} calls; ${cpus().length} processors, ` +
  `${cpus()[0].model.trim()}, ${memory} of memory\n`);
for (const cells of [['what', 'here', 'against', 'there', 'ratio', 'to reach'],
  Array(6).fill('---'), ...table]) {
  console.log(`| ${cells.join(' | ')} |`);
}
