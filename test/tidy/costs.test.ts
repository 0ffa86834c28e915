// Documents and the console name the costs that bench/README.md has.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { itHoldsFor } from '../support/rule.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The multiples of the plain way in the table of the bench, such as `2.8 to 3.8`. */
function costOf(way: string): string {
  const row = read('bench/README.md').match(new RegExp(`^\\| ${way} \\|[^|]*\\| ([^|]*) \\|`, 'm'));
  const multiples = (row?.[1] ?? '').split(' and ').map((one) => Number(one).toFixed(1));
  return multiples.join(' to ');
}

const texts = [
  ['ES256 audience', 'docs/guides/one-token-per-service.md'],
  ['RS256 audience', 'docs/guides/one-token-per-service.md'],
  ['ES256 audience', 'web/console/audiences/algorithm-field.tsx'],
  ['RS256 audience', 'web/console/audiences/algorithm-field.tsx'],
  ['RS256 audience', 'docs/decisions/0030-signing-algorithms.md'],
  ['DPoP', 'docs/guides/client-keys.md'],
  ['private_key_jwt', 'docs/guides/client-keys.md'],
  ['private_key_jwt', 'docs/decisions/0026-audiences-and-assertions.md'],
] as const;

itHoldsFor(texts, 8)('a text names the measured cost of a token request', (way, file) => {
  expect(costOf(way)).toMatch(/^\d\.\d to \d\.\d$/);
  expect(read(file)).toContain(costOf(way));
});
