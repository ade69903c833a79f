// How figures are written: requests as in docs/lab.md, seconds, tables.

// A letter a method; what is not here keeps its name.
const LETTERS = {
  UpdateAsync: 'U',
  GetAsync: 'G',
  past: 'P',
  SetAsync: 'S',
  GetSortedAsync: 'GS',
  'MemorySortedMap.UpdateAsync': 'M',
};
// Messages are no DataStore requests, and the live figures do not count them.
const MESSAGES = /^Messaging/;

export const LEGEND =
  'Requests of one sample: *U* UpdateAsync, *G* GetAsync, *P* GetAsync past the cache, ' +
  '*S* SetAsync, *GS* GetSortedAsync, *M* an update of a MemoryStore sorted map.';

const NONE = 'none';
const COLUMNS_MAX = 120;

// The words of `texts` in lines, each but the first indented.
export function paragraph(texts, indent = '') {
  const lines = [];
  for (const word of texts.join(' ').split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : undefined;
    if (longer !== undefined && longer.length <= COLUMNS_MAX) {
      lines[lines.length - 1] = longer;
    } else {
      lines.push(lines.length > 0 ? indent + word : word);
    }
  }
  return lines.join('\n');
}

export function bullet(text) {
  return paragraph([`- ${text}`], '  ');
}

export function range(low, high) {
  return low === high ? `${low}` : `${low}-${high}`;
}

// Of a Map or object method -> [low, high].
export function counts(requests) {
  const shown = Object.entries(requests).map(
    ([method, [low, high]]) => `${range(low, high)} ${LETTERS[method] ?? method}`);
  return shown.join(' ') || NONE;
}

// What a step of a report sent, with calls of MemoryStore.
export function requestsOf(step) {
  const all = { ...step.requests, ...step.services };
  return Object.fromEntries(
    Object.entries(all).filter(([method]) => !MESSAGES.test(method))
      .map(([method, { min, max }]) => [method, [min, max]]));
}

// The same as text, and how many of it never left the server.
export function sent(step) {
  const local = counts(Object.fromEntries(Object.entries(step.local_requests ?? {})
    .map(([method, { min, max }]) => [method, [min, max]])));
  return counts(requestsOf(step)) + (local === NONE ? '' : ` (${local} local)`);
}

export function table(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
