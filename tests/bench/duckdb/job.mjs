// The same calls in DuckDB, on one thread. A process for each job:
//
//   npm ci --prefix tests/bench/duckdb
//   node tests/bench/duckdb/job.mjs parquet LINES OUT COLUMNS [LEVEL]    # COLUMNS: all, small, steps
//   node tests/bench/duckdb/job.mjs count lines|parquet FILE CALLS
//
// `count` counts calls by method and step and prints one JSON line with the least processor time of
// three runs, without DuckDB's start.

import { DuckDBInstance } from '@duckdb/node-api';

const [job, ...words] = process.argv.slice(2);
const duckdb = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();

const VALUE = 'STRUCT(bytes UBIGINT, hash UBIGINT)';
// Of tests/bench/json_lines.cc.
const LINE = {
  id: 'UBIGINT', source: 'UINTEGER', caller: 'VARCHAR', method: 'UTINYINT', store: 'VARCHAR',
  scope: 'VARCHAR', store_kind: 'UTINYINT', key: 'VARCHAR', use_cache: 'UTINYINT',
  list: 'STRUCT(page_size UINTEGER, items UINTEGER)', issued: 'BIGINT', admitted: 'BIGINT',
  completed: 'BIGINT', times_queued: 'UINTEGER', queued: 'BIGINT', served_by: 'UTINYINT',
  transform_runs: 'STRUCT(outcome UTINYINT, started BIGINT, took BIGINT)[]', outcome: 'UTINYINT',
  error_code: 'UINTEGER', error_name: 'VARCHAR', error_text: 'VARCHAR', read: VALUE,
  written: VALUE, version: 'VARCHAR',
  budgets: 'STRUCT(type UTINYINT, before UBIGINT, after UBIGINT, taken UINTEGER)[]',
  step: 'VARCHAR',
};

function linesOf(file, columns) {
  const types = columns.map((column) => `${column}: '${LINE[column]}'`).join(', ');
  return `read_json('${file}', format = 'newline_delimited', columns = {${types}})`;
}

// What a call is, with times as a capture has them: microseconds, those of a call counted from its
// issue.
const ROW = `id, source, caller, method, store, scope, store_kind, key, use_cache,
  list.page_size AS page_size, list.items AS items, issued // 1000 AS issued,
  (admitted - issued) // 1000 AS admitted, (completed - issued) // 1000 AS completed,
  times_queued, queued // 1000 AS queued, served_by,
  list_transform(transform_runs, r -> {outcome: r.outcome,
    started: (r.started - issued) // 1000, took: r.took // 1000}) AS runs,
  outcome, error_code, error_name, error_text,
  read.bytes AS read_bytes, written.bytes AS written_bytes,
  budgets[1].type AS first_type, budgets[1].before AS first_before,
  budgets[1].after AS first_after, budgets[1].taken AS first_taken,
  budgets[2].type AS second_type, budgets[2].before AS second_before,
  budgets[2].after AS second_after, budgets[2].taken AS second_taken`;
const HASHES = 'read.hash AS read_hash, written.hash AS written_hash, version';
const COLUMNS = { small: ROW, all: `${ROW}, ${HASHES}`, steps: `${ROW}, ${HASHES}, step` };

async function parquet(lines, out, columns, level) {
  await duckdb.run(`COPY (SELECT ${COLUMNS[columns]} FROM ${linesOf(lines, Object.keys(LINE))})
    TO '${out}' (FORMAT parquet, COMPRESSION zstd${level ? `, COMPRESSION_LEVEL ${level}` : ''})`);
}

async function count(kind, file, calls) {
  const from = kind === 'lines' ? linesOf(file, ['method', 'step']) : `'${file}'`;
  let least = Infinity;
  for (let run = 0; run < 3; ++run) {
    const before = process.cpuUsage();
    const counted = await duckdb.runAndReadAll(
      `SELECT sum(n) FROM (SELECT method, step, count(*) AS n FROM ${from} GROUP BY ALL)`);
    const { user, system } = process.cpuUsage(before);
    if (Number(counted.getRows()[0][0]) !== Number(calls)) throw new Error(`${file}: miscounted`);
    least = Math.min(least, (user + system) / 1e6);
  }
  console.log(JSON.stringify({ cpu_s: least }));
}

await { parquet, count }[job](...words);
