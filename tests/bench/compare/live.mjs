// What the live benchmark measured beside what the lab shows, a table a step.

import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { counts, LEGEND, paragraph, range, requestsOf, sent, table } from './text.mjs';

const LIVE = JSON.parse(readFileSync(new URL('../live.json', import.meta.url), 'utf8'));
// Those that were measured live, in its order, and those that were not.
const LIBRARIES = [...Object.keys(LIVE.libraries), 'lapis', 'suphi', 'datastore2-backups'];
const SCENARIOS = ['load-save-release', 'hop-releases', 'hop-keeps', 'throttle'];
const SAMPLES = 5;
const FRAME_SECONDS = 1 / 60;

// [step, title]
const STEPS = [
  ['load-new', 'Load, new profile'],
  ['load-stored', 'Load, stored profile'],
  ['save', 'Save'],
  ['release', 'Release'],
  ['hop-releases', 'Server hop, the old server releases'],
  ['hop-keeps', 'Server hop, the old server keeps the profile'],
  ['throttle-load', 'Load with a used-up budget'],
  ['throttle-save', 'Save behind it'],
  ['throttle-release', 'Release behind it'],
];
const BURST = 'throttle-burst';

function fixed(seconds) {
  return seconds.toFixed(2);
}

function timesText({ median, min, max, n }) {
  return median === undefined
    ? `${fixed(min)} to ${fixed(max)}, ${n}`
    : `${fixed(median)} (${fixed(min)} to ${fixed(max)}, ${n})`;
}

function ourTimes({ seconds, failed_seconds: refused }) {
  return [
    seconds ? timesText(seconds) : undefined,
    refused ? `refused after ${timesText(refused)}` : undefined,
  ].filter(Boolean).join('; ') || 'none';
}

// What a hop saw. A kept profile has no final save, so there it is the value.
function seenLive({ value_seen: value, saw_final_save: saw }) {
  const { seen, samples } = saw ?? { seen: value.samples, samples: value.samples };
  return `${saw ? '' : `${value.value} in `}${seen} of ${samples}`;
}

function seenHere(name, { values_seen: values, last_save: last, samples, failed }) {
  if (name === 'hop-releases') {
    return last ? `${last.seen} of ${last.samples}` : 'none';
  }
  const seen = Object.entries(values).map(([value, count]) => `${value} in ${count} of ${samples}`);
  return [...seen, ...(failed > 0 ? [`refused in ${failed} of ${samples}`] : [])].join(', ');
}

// Whether `step` saw in every sample what the live one saw in every sample.
function sawTheSame(live, step) {
  if (!live.value_seen) {
    return true;
  }
  const all = step.values_seen[live.value_seen.value] === step.samples;
  const saw = live.saw_final_save;
  const { seen, samples } = step.last_save ?? {};
  return all && (!saw || seen * saw.samples === saw.seen * samples);
}

function sameCounts(live, here) {
  const methods = new Set([...Object.keys(live), ...Object.keys(here)]);
  return [...methods].every((method) => `${live[method]}` === `${here[method]}`);
}

// What differs from the live figures: exact counts, a median outside of all that was seen by more
// than a frame, a value.
export function differences(live, step) {
  const out = [];
  const failed = step.failed_calls;
  const failedAlike = failed.min === live.failed_calls && failed.max === live.failed_calls;
  if (!sameCounts(live.requests, requestsOf(step)) || !failedAlike) {
    out.push('requests');
  }
  const median = step.seconds?.median;
  const low = live.seconds.min - FRAME_SECONDS;
  const high = live.seconds.max + FRAME_SECONDS;
  if (median === undefined || median < low || median > high) {
    out.push('seconds');
  }
  if (step.failed > 0 || !sawTheSame(live, step)) {
    out.push('value');
  }
  return out;
}

function withFailed(text, low, high) {
  return high > 0 ? `${text}, ${range(low, high)} failed` : text;
}

function stepTable([name, title], figures, explanations) {
  const hops = name.startsWith('hop-');
  const rows = [];
  const judged = [];
  for (const library of LIBRARIES) {
    const step = figures.get(library).steps.get(name);
    if (!step) {
      throw new Error(`${library}: the step ${name} is not in its capture`);
    }
    const live = LIVE.libraries[library]?.[name];
    const differs = live ? differences(live, step) : [];
    judged.push({ library, step: name, differs });
    const failed = step.failed_calls;
    rows.push([
      `\`${library}\``,
      live ? withFailed(counts(live.requests), live.failed_calls, live.failed_calls) : '',
      withFailed(sent(step), failed.min, failed.max),
      live ? timesText(live.seconds) : '',
      ourTimes(step),
      ...(hops ? [live ? seenLive(live) : '', seenHere(name, step)] : []),
      live ? differs.join(', ') : 'not measured live',
    ]);
  }
  const saw = name === 'hop-releases' ? 'saw the final save' : 'saw';
  const head = [
    'library', 'requests, live', 'here', 'seconds, live', 'here',
    ...(hops ? [`${saw}, live`, 'here'] : []), 'differs',
  ];
  return [
    `#### ${title} (\`${name}\`)`, table(head, rows),
    explanations.linesFor(judged, { notes: true }).join('\n'),
  ].filter(Boolean);
}

// The burst is the scenario's own, so all libraries have the same.
function burstTable(figures, explanations) {
  const { burst } = LIVE;
  const steps = LIBRARIES.map((library) => figures.get(library).steps.get(BURST));
  const { throttling, samples, budgets, longest_queue: queue } = steps[0];
  const each = (total) => total / samples;
  // Other budgets are also spent by what the library does meanwhile.
  const ofTheBurst = (step) =>
    [step.throttling, ...Object.keys(burst.budget_after).map((type) => step.budgets[type])];
  const same = steps.every((step) => isDeepStrictEqual(ofTheBurst(step), ofTheBurst(steps[0])));
  const budget = (type) => range(budgets[type].after.min, budgets[type].after.max);
  const kept = burst.unchanged.every((type) => budgets[type].lowest >= budgets[type].before.min);
  const rows = [
    ['UpdateAsync in one frame', range(...burst.sent), each(throttling.sent)],
    ['of them at once', burst.admitted, each(throttling.admitted)],
    ['of them queued', burst.queued, each(throttling.queued)],
    ['of them dropped', burst.dropped, each(throttling.dropped)],
    ['budget seen before', range(...burst.budget_before),
      range(budgets.UpdateAsync.before.min, budgets.UpdateAsync.before.max)],
    ...Object.entries(burst.budget_after).map(([type, left]) =>
      [`${type} budget after`, left, budget(type)]),
    ...burst.unchanged.map((type) =>
      [`${type} budget after`, 'unchanged', kept ? 'unchanged' : budget(type)]),
  ];
  const within = (live, here) => {
    const [low, high = low] = String(live).split('-');
    return live === here || (Number(here) >= Number(low) && Number(here) <= Number(high));
  };
  const differs = rows.some(([, live, here]) => !within(live, here)) || !same ? ['requests'] : [];
  return [
    `#### The burst before that (\`${BURST}\`)`,
    table(['', 'live', 'here'], rows),
    paragraph([
      `The last of the queue waited ${queue.toFixed(0)} s.`,
      `The same for every library: ${same ? 'yes' : 'no'}.`,
    ]),
    explanations.linesFor([{ library: 'all', step: BURST, differs }]).join('\n'),
  ].filter(Boolean);
}

// The paragraphs of this part.
export function liveTables(lab, explanations) {
  const { figures } = lab.run(LIBRARIES, SCENARIOS, { samples: SAMPLES });
  const versions = [...figures].map(([library, { version, model }]) =>
    `\`${library}\` ${model ? '(a model)' : version}`);
  return [
    '### Beside the live figures',
    paragraph([
      `*Live* is a live benchmark of October 2026, *here* is \`dstap lab --samples ${SAMPLES}`,
      '--seed 1` with the default latencies. Seconds are the median, and in brackets the lowest,',
      'the highest and the number of samples; with live ones that have no median, the lowest, the',
      'highest and the number. *Differs* names what is not as it was live: requests that are not',
      'exactly those, a median outside of all samples seen live by more than a frame, a value.',
      LEGEND,
    ]),
    paragraph([`Libraries here: ${versions.join(', ')}.`]),
    ...STEPS.slice(0, 6).flatMap((step) => stepTable(step, figures, explanations)),
    ...burstTable(figures, explanations),
    ...STEPS.slice(6).flatMap((step) => stepTable(step, figures, explanations)),
  ];
}
