// What `--list` prints: the libraries and the scenarios there are.

import { findLibrary, knownLibraries } from './library.mjs';
import { knownScenarios, readScenario } from './scenarios.mjs';

const WIDTH = 100;
const GAP = '  ';

// `text` in lines of at most `width`, broken between words.
function wrapped(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line && line.length + 1 + word.length > width) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = line ? `${line} ${word}` : word;
    }
  }
  return lines;
}

/**
 * A table in lines of at most WIDTH; the cells of column `elastic` take as many lines as they need.
 * @param {string[][]} rows the headings first
 * @param {number} elastic
 */
export function table(rows, elastic) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  const others = widths.reduce((sum, width, at) => sum + (at === elastic ? 0 : width), 0);
  widths[elastic] = Math.min(widths[elastic], WIDTH - others - GAP.length * (widths.length - 1));
  return rows.flatMap((row) => {
    const cells = row.map((text, at) => (at === elastic ? wrapped(text, widths[at]) : [text]));
    return cells[elastic].map((_, line) =>
      cells.map((lines, at) => (lines[line] ?? '').padEnd(widths[at])).join(GAP).trimEnd());
  });
}

function libraryRow(name) {
  const { version, licence, origin, isModel } = findLibrary({ name }).library;
  const from = origin.replace(`@${version}`, '');
  return [name, version || '-', licence || '-', from || '-', isModel ? 'model' : 'its own source'];
}

// The first line of a scenario's comment says what it is.
function scenarioRow(name) {
  const [, about = ''] = /^--+ *(.*)/.exec(readScenario(name).source) ?? [];
  return [name, about];
}

/** All of it, as lines. */
export function listing() {
  return [
    ...table([
      ['library', 'version', 'licence', 'from', 'runs'],
      ...knownLibraries().map(libraryRow),
    ], 2),
    '',
    ...table([
      ['scenario', 'what it does'],
      ...knownScenarios().map(scenarioRow),
    ], 1),
  ];
}
