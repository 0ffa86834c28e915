// Decision records have the same sections, and the index lists them all.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { itHoldsFor } from '../support/rule.ts';

const folder = path.resolve(import.meta.dirname, '../../docs/decisions');
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');

describe('a decision record', () => {
  const records = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));

  itHoldsFor(records, 20)('has a title, a context, a decision and consequences', (name) => {
    const headings = read(name).match(/^##? .*$/gm);
    const title = expect.stringMatching(new RegExp(`^# ${name.slice(0, 4)} [A-Z]`));
    expect(headings).toEqual([title, '## Context', '## Decision', '## Consequences']);
  });

  test('is listed in the index with its title', () => {
    const rows = read('README.md').matchAll(/^\| \[(\d{4})\]\((\S+)\) \| (.*?) \|/gm);
    const listed = [...rows].map(([, number, name, title]) => [name, `${number} ${title}`]);
    const titled = records.map((name) => {
      const [, title] = /^# (.*)$/m.exec(read(name)) ?? [];
      return [name, title];
    });
    expect(listed).toEqual(titled);
  });
});
