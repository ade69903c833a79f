// What the live benchmark lists as not measured, as the lab shows it.

import { bullet, paragraph, requestsOf, sent, table } from './text.mjs';

export const NPM_LIBRARIES = [
  'profile-store', 'profile-service', 'lapis', 'datastore2', 'datastore2-backups', 'suphi',
];
const SCENARIOS = ['takeover', 'players', 'autosave', 'shutdown', 'failures', 'conflict'];
// Of the two that are of this machine.
const SAMPLES = 5;
const PLAYERS = ['join-1', 'join-10', 'join-40', 'leave-1', 'leave-10', 'leave-40'];
// Where a step of the failures ends that would go on, as its scenario says.
const STEP_SECONDS_MAX = 140;
const STEP_REQUESTS_MAX = 200;

// The one edit that the live page has.
const GEODE_EDIT = [
  'Geode, live page', '-',
  '11.22 us an edit (11.02 to 11.45, 5 batches of 1000; in Lune, on its machine)',
];

// [title, steps, whether the value that a step saw belongs to it, a remark]
const TABLES = [
  ['Taking over from a server that died', ['takeover-5s', 'takeover-700s'], true,
    'The load begins 5 or 700 s after the old server died, which had saved 777 and lost 999.'],
  ['Servers with players', PLAYERS, false,
    'So many players join in one frame, and leave in one. The step ends with the last of them. ' +
      'The rules of 2020 have no key info, without which three of these libraries take a load ' +
      'for failed.'],
  ['An hour of autosaves', ['autosave-1', 'autosave-20'], false,
    '1 and 20 profiles, each changed once a minute.'],
  ['Shutdown with three profiles', ['shutdown', 'load-after-shutdown'], true,
    'All three hold 888, unsaved, when BindToClose runs.'],
  ['Two servers at once', ['conflict-first', 'conflict-second', 'conflict-seen'], true,
    'Each loads, adds 1 and releases, in one frame. `conflict-seen` is what is stored then: 1 is ' +
      'a lost update.'],
  ['Requests that fail', ['load', 'save', 'release'].flatMap((what) =>
    ['1', '3', 'always'].map((often) => `${what}-fails-${often}`)), false,
  "The step's first request fails, its first three, or all. A step that would go on ends after " +
    `${STEP_SECONDS_MAX} s or ${STEP_REQUESTS_MAX} requests: *no end*.`],
];

function seconds(value) {
  return value >= 1000 ? value.toFixed(0) : value.toFixed(2);
}

function requestsAltogether(step) {
  return Object.values(requestsOf(step)).reduce((sum, [, high]) => sum + high, 0);
}

function howItEnded(step) {
  if (step.seconds) {
    return `${seconds(step.seconds.median)} s`;
  }
  const failedAfter = step.failed_seconds?.median;
  const limited = step.name.includes('-fails-') && requestsAltogether(step) > STEP_REQUESTS_MAX;
  const cut = failedAfter >= STEP_SECONDS_MAX || limited;
  if (failedAfter === undefined || cut) {
    return 'no end';
  }
  return `failed after ${seconds(failedAfter)} s`;
}

// One sample of a step: what it sent, how long it took, what it saw.
function cell(step, withValue) {
  if (!step) {
    return '-';
  }
  const values = withValue ? Object.keys(step.values_seen).map((value) => `saw ${value}`) : [];
  return [
    sent(step),
    ...(step.name.startsWith('autosave-') ? [] : [howItEnded(step)]),
    ...values,
  ].join(', ');
}

function withoutTimes(step) {
  return `${sent(step)}, ${howItEnded(step).replace(/[0-9.]+ s/, '')}`;
}

function tableOf([title, steps, withValue, remark], figures) {
  const head = ['step', ...NPM_LIBRARIES.map((library) => `\`${library}\``)];
  const rows = steps.map((name) => [
    `\`${name}\``,
    ...NPM_LIBRARIES.map((library) => cell(figures.get(library).steps.get(name), withValue)),
  ]);
  return [`#### ${title}`, paragraph([remark]), table(head, rows)];
}

// Where other rules give players something else than those of 2026; times vary anyway.
function otherRules(lab, figures, rules) {
  const other = lab.run(NPM_LIBRARIES, ['players'], { options: ['--rules', rules] }).figures;
  const lines = [];
  for (const library of NPM_LIBRARIES) {
    const before = figures.get(library).steps;
    const after = other.get(library).steps;
    const changed = PLAYERS.filter((name) => after.has(name) &&
      withoutTimes(before.get(name)) !== withoutTimes(after.get(name)));
    if (changed.length > 0) {
      const each = changed.map((name) => `\`${name}\` ${cell(after.get(name), false)}`);
      lines.push(bullet(`\`${library}\`, rules of ${rules}: ${each.join('; ')}.`));
    }
  }
  const same = `With the rules of ${rules} each of them does the same.`;
  return lines.length > 0 ? lines : [bullet(same)];
}

// What the lab said of memory and edits: "LIBRARY: memory: ..." somewhere in a line each.
function machineRows(lab, scenario) {
  return NPM_LIBRARIES.map((library) => {
    const { lines } = lab.run([library], [scenario], { samples: SAMPLES });
    const line = lines.find((each) => each.includes(`${scenario}: `));
    if (!line) {
      throw new Error(`${library}: the lab said nothing of ${scenario}`);
    }
    return line.slice(line.indexOf(`${scenario}: `) + scenario.length + 2);
  });
}

// The paragraphs of this part.
export function notMeasured(lab) {
  const { figures } = lab.run(NPM_LIBRARIES, SCENARIOS);
  const [takeover, players, ...others] = TABLES.map((each) => tableOf(each, figures));
  const memory = machineRows(lab, 'memory');
  const edit = machineRows(lab, 'edit');
  return [
    '### What could not be measured live',
    paragraph([
      "The live benchmark's list of what it did not measure: Lapis, in every part; the lock of a",
      "crashed server; DataStore2's OrderedBackups; servers with players; memory of a loaded",
      'profile; edit time in libraries other than Geode. Lapis and OrderedBackups are rows of the',
      'tables above. The rest is here, one sample each with the default latencies, of the',
      'libraries whose source there is. *Local* tries were answered by the copy of the key that',
      'the server kept. The models of Geode send only what was seen live: no figures here. Of its',
      'lease the live page says that it lasts 300 s, which is what a new server waits at most after',
      'a crash.',
    ]),
    ...takeover, ...players,
    [...otherRules(lab, figures, '2023'), ...otherRules(lab, figures, '2020')].join('\n'),
    ...others.flat(),
    '#### Memory and edits',
    'Of the machine and the VM that printed this page, and no capture\'s.',
    table(['library', 'memory', 'edit'],
      [...NPM_LIBRARIES.map((library, index) => [`\`${library}\``, memory[index], edit[index]]),
        GEODE_EDIT]),
  ];
}
