// The same calls in DuckDB: the size of its Parquet files, and how fast it counts calls by method and
// step in them and in JSON lines.
//
//   npm ci --prefix tests/bench/duckdb
//   node tests/bench/duckdb/main.mjs build/bench/tests/bench/column_sizes [CALLS]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DuckDBInstance } from '@duckdb/node-api';

const [program, calls = '500000'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'dstap-duckdb-'));

// Times as a capture has them: microseconds, those of a call counted from its issue.
const CALLS = (file) => `
  SELECT id, source, caller, method::UTINYINT AS method, store, scope,
    store_kind::UTINYINT AS store_kind, key, use_cache::UTINYINT AS use_cache,
    list.page_size AS page_size, list.items AS items, issued // 1000 AS issued,
    (admitted - issued) // 1000 AS admitted, (completed - issued) // 1000 AS completed,
    times_queued, queued // 1000 AS queued, served_by::UTINYINT AS served_by,
    list_transform(transform_runs, r -> {outcome: r.outcome::UTINYINT,
      started: (r.started - issued) // 1000, took: r.took // 1000}) AS runs,
    outcome::UTINYINT AS outcome, error_code, error_name, error_text,
    read.bytes AS read_bytes, read.hash::UBIGINT AS read_hash,
    written.bytes AS written_bytes, written.hash::UBIGINT AS written_hash, version,
    budgets[1].type::UTINYINT AS first_type, budgets[1].before AS first_before,
    budgets[1].after AS first_after, budgets[1].taken AS first_taken,
    budgets[2].type::UTINYINT AS second_type, budgets[2].before AS second_before,
    budgets[2].after AS second_after, budgets[2].taken AS second_taken, step
  FROM read_json('${file}', format = 'newline_delimited', sample_size = -1)`;
const NO_HASHES = '* EXCLUDE (read_hash, written_hash, version, step)';

try {
  const lines = join(folder, 'calls.jsonl');
  const made = spawnSync(program, [calls, '--json-lines'], {
    stdio: ['ignore', openSync(lines, 'w'), 'inherit'],
  });
  if (made.status !== 0) throw new Error(`${program} ended with ${made.status}`);

  const duckdb = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  await duckdb.run(`CREATE TABLE calls AS ${CALLS(lines)}`);
  const bytesPerCall = async (columns, options) => {
    const file = join(folder, 'calls.parquet');
    await duckdb.run(`COPY (SELECT ${columns} FROM calls) TO '${file}'
      (FORMAT parquet, COMPRESSION zstd${options})`);
    return (statSync(file).size / Number(calls)).toFixed(1);
  };
  console.log('| Parquet by DuckDB, bytes a call | all columns | without hashes and version ids |');
  console.log('| --- | --- | --- |');
  for (const [name, options] of [
    ['zstd', ''],
    ['zstd, Parquet version 2', ', PARQUET_VERSION v2'],
    ['zstd, level 19', ', COMPRESSION_LEVEL 19'],
  ]) {
    const all = await bytesPerCall('* EXCLUDE (step)', options);
    const small = await bytesPerCall(NO_HASHES, options);
    console.log(`| ${name} | ${all} | ${small} |`);
  }

  const parquet = join(folder, 'with-steps.parquet');
  await duckdb.run(`COPY calls TO '${parquet}' (FORMAT parquet, COMPRESSION zstd)`);
  console.log('\n| calls by method and step, one thread | calls a processor second |');
  console.log('| --- | --- |');
  for (const [name, from] of [
    ['DuckDB on JSON lines', `read_json('${lines}', format = 'newline_delimited',
      columns = {method: 'UTINYINT', step: 'VARCHAR'})`],
    ['DuckDB on Parquet', `'${parquet}'`],
  ]) {
    let best = Infinity;
    for (let run = 0; run < 3; ++run) {
      const before = process.cpuUsage();
      const counted = await duckdb.runAndReadAll(
        `SELECT sum(n) FROM (SELECT method, step, count(*) AS n FROM ${from} GROUP BY ALL)`);
      if (Number(counted.getRows()[0][0]) !== Number(calls)) throw new Error(`${name}: miscounted`);
      const { user, system } = process.cpuUsage(before);
      best = Math.min(best, (user + system) / 1e6);
    }
    console.log(`| ${name} | ${(Number(calls) / best / 1e6).toPrecision(3)} M |`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
