// Runs with fixed latencies beside an earlier run of the same libraries that had the same ones.

import { readFileSync } from 'node:fs';
import { NPM_LIBRARIES } from './not_measured.mjs';
import { counts, paragraph, requestsOf, sent, table } from './text.mjs';

const REFERENCE = JSON.parse(readFileSync(new URL('../reference.json', import.meta.url), 'utf8'));
const SCENARIOS = [
  'load-save-release', 'hop-releases', 'hop-keeps', 'throttle', 'takeover', 'autosave', 'shutdown',
  'failures',
];
const FRAMES_PER_SECOND = 60;
const LATENCY = ['--latency', 'reference'];

// What a figure written as `text` may be off by rounding, in seconds: 0.05 for "46.5".
function roundingOf(text) {
  const decimals = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
  return 10 ** -decimals / 2;
}

// Frames by which `seconds` is later than `text`, 0 within its rounding.
function framesOff(text, seconds) {
  const off = seconds - Number(text);
  const beyond = Math.max(0, Math.abs(off) - roundingOf(text));
  return Math.round(Math.sign(off) * beyond * FRAMES_PER_SECOND * 10) / 10;
}

function startsOf(retries, name, count) {
  const schedules = retries.find(({ step }) => step === name)?.schedules ?? [];
  const ofDataStores = schedules.find(({ attempts }) => !attempts[0].method.startsWith('Memory'));
  return (ofDataStores?.attempts ?? []).slice(0, count).map(({ at }) => at);
}

// What one run shows of a row of the reference: its text, and what differs by more than a frame.
function shownBy({ steps, retries }, name, reference) {
  const step = steps.get(name);
  if (!step) {
    throw new Error(`the step ${name} is not in its capture`);
  }
  const parts = [];
  const off = [];
  if (reference.requests) {
    const here = requestsOf(step);
    const methods = new Set([...Object.keys(here), ...Object.keys(reference.requests)]);
    const same = [...methods].every((method) => {
      const [low, high] = reference.requests[method] ?? [0, 0];
      const [least, most] = here[method] ?? [0, 0];
      return least >= low && most <= high;
    });
    parts.push(sent(step));
    if (!same) {
      off.push('requests');
    }
  }
  let frames = 0;
  if (reference.seconds) {
    const times = reference.refused ? step.failed_seconds : step.seconds;
    if (times) {
      parts.push(`${reference.refused ? 'refused after ' : ''}${times.median.toFixed(2)} s`);
      frames = framesOff(reference.seconds, times.median);
    } else {
      parts.push(reference.refused ? 'not refused' : 'refused');
      off.push('outcome');
    }
  }
  if (reference.starts) {
    const starts = startsOf(retries, name, reference.starts.length);
    parts.push(`tries at ${starts.map((at) => Number(at.toFixed(2))).join(', ')}`);
    if (starts.length < reference.starts.length) {
      off.push('tries');
    }
    const each = starts.map((at, index) => framesOff(reference.starts[index], at));
    frames = [frames, ...each].reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most));
  }
  if (reference.seconds || reference.starts) {
    off.push(...(Math.abs(frames) > 1 ? [`${frames} frames`] : []));
  }
  return { text: parts.join('; '), off };
}

function referenceText({ requests, seconds, starts, refused }) {
  return [
    requests ? counts(requests) : undefined,
    seconds ? `${refused ? 'refused after ' : ''}${seconds} s` : undefined,
    starts ? `tries at ${starts.join(', ')}` : undefined,
  ].filter(Boolean).join('; ');
}

// Adds to `off` how many of its rows differ without copies.
function libraryTable(library, without, copies, explanations, off) {
  const judged = [];
  const rows = Object.entries(REFERENCE.libraries[library]).map(([name, reference]) => {
    const one = shownBy(without.get(library), name, reference);
    const other = shownBy(copies.get(library), name, reference);
    const differs = one.off.length > 0 ? ['reference'] : [];
    off.rows += 1;
    off.without += differs.length;
    judged.push({ library, step: name, differs: other.off.length > 0 ? ['reference'] : differs });
    return [
      `\`${name}\``, referenceText(reference), one.text, one.off.join(', '),
      other.text === one.text ? 'the same' : other.text,
      other.text === one.text ? '' : other.off.join(', '),
    ];
  });
  return [
    `#### \`${library}\`, fixed latencies`,
    table(['step', 'reference', 'without copies', 'off by', 'with copies', 'off by'], rows),
    explanations.linesFor(judged).join('\n'),
  ].filter(Boolean);
}

// The paragraphs of this part.
export function referenceTables(lab, explanations) {
  const withoutCopies = { options: [...LATENCY, '--rule', 'cache_ms=0'] };
  const without = lab.run(NPM_LIBRARIES, SCENARIOS, withoutCopies).figures;
  const copies = lab.run(NPM_LIBRARIES, SCENARIOS, { options: LATENCY }).figures;
  const off = { rows: 0, without: 0 };
  const tables = Object.keys(REFERENCE.libraries)
    .flatMap((library) => libraryTable(library, without, copies, explanations, off));
  return [
    '### Beside an earlier run with fixed latencies',
    paragraph([
      'The same libraries ran before over a plain stand-in with fixed latencies: *reference*.',
      '`--latency reference` has the same ones. The stand-in kept no copies of keys, and neither',
      'does the simulator with `--rule cache_ms=0`: *without copies*. *With copies* is `--latency',
      'reference` alone. *Off by* is empty where requests are the same and times agree to a frame,',
      'beyond the digits that the reference was written down with. Times of tries are from the',
      `first one. Without copies ${off.without} of ${off.rows} rows are off; under each table stands`,
      'why.',
    ]),
    ...tables,
  ];
}
