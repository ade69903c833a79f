// Why figures differ: explanations.json, and which of it is needed.

import { readFileSync } from 'node:fs';
import { bullet } from './text.mjs';

const FILE = new URL('../explanations.json', import.meta.url);

export class Explanations {
  // What differs and has no explanation.
  missing = [];

  #all = JSON.parse(readFileSync(FILE, 'utf8'));

  // The lines to print under a table whose `rows` are { library, step, differs }, where `differs`
  // names what does: a line for each explanation, with the rows it is for. A note, which belongs to
  // a row that differs in nothing too, is used with `notes`.
  linesFor(rows, { notes = false } = {}) {
    const rowsOf = new Map();
    const use = (explanation, row) => {
      rowsOf.set(explanation, [...(rowsOf.get(explanation) ?? []), row]);
    };
    for (const row of rows) {
      const about = this.#all.filter(({ libraries, steps }) =>
        libraries.includes(row.library) && steps.includes(row.step));
      if (notes) {
        about.filter(({ differs }) => differs === 'note').forEach((each) => use(each, row));
      }
      for (const what of row.differs) {
        const found = about.find(({ differs }) => differs === what);
        if (found) {
          use(found, row);
        } else {
          this.missing.push(`${row.library}, ${row.step}, ${what}`);
        }
      }
    }
    return [...rowsOf].map(([{ text }, used]) => bullet(`${namesOf(used)}: ${text}`));
  }
}

function namesOf(rows) {
  const libraries = [...new Set(rows.map(({ library }) => library))];
  const steps = [...new Set(rows.map(({ step }) => step))];
  const quoted = (names) => names.map((name) => `\`${name}\``).join(', ');
  return `${quoted(libraries)} in ${quoted(steps)}`;
}
