// Decision records have the same sections, are short, and the index lists them all.
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

  itHoldsFor(records, 20)('has at most 350 words', (name) => {
    expect(read(name).trim().split(/\s+/).length).toBeLessThanOrEqual(350);
  });

  test('has the number that follows the previous one', () => {
    const numbers = records.map((name) => Number(name.slice(0, 4)));
    expect(numbers).toEqual(records.map((_, index) => index + 1));
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
