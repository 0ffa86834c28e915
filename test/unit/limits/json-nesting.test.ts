// The nesting depth of JSON texts, measured without parsing.
import { expect, test } from 'vitest';
import { isNestedTooDeeply } from '../../../src/base/limits/json-nesting.ts';
import { itHoldsFor } from '../../support/rule.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

itHoldsFor(
  [
    ['100 lists', nested(100)],
    ['100 objects', '{"a":'.repeat(100) + 1 + '}'.repeat(100)],
    ['many lists side by side', `[${nested(10).concat(',').repeat(1_000)}1]`],
    ['brackets in a string', JSON.stringify('['.repeat(1_000))],
    ['brackets after an escaped quote', JSON.stringify(`\\"${'{'.repeat(1_000)}`)],
    ['an unterminated string', `"${'['.repeat(1_000)}`],
    ['no JSON', ']'.repeat(1_000)],
    ['nothing', ''],
  ],
  8,
)('these texts are not too deep', (_what, text) => {
  expect(isNestedTooDeeply(text)).toBe(false);
});

test.each([
  ['101 lists', nested(101)],
  ['101 objects and lists', '{"a":['.repeat(51)],
  ['lists after a string that ends with a backslash', `["\\\\",${nested(100)}]`],
])('%s are too deep', (_what, text) => {
  expect(isNestedTooDeeply(text)).toBe(true);
});
