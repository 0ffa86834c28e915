// The nesting depth of JSON texts, measured without parsing.
import { expect } from 'vitest';
import { isNestedTooDeeply } from '../../../src/base/limits/json-nesting.ts';
import { itHoldsFor } from '../../support/rule.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

itHoldsFor([
  ['100 lists', nested(100), false],
  ['100 objects', '{"a":'.repeat(100) + 1 + '}'.repeat(100), false],
  ['many lists side by side', `[${nested(10).concat(',').repeat(1_000)}1]`, false],
  ['brackets in a string', JSON.stringify('['.repeat(1_000)), false],
  ['brackets after an escaped quote', JSON.stringify(`\\"${'{'.repeat(1_000)}`), false],
  ['an unterminated string', `"${'['.repeat(1_000)}`, false],
  ['no JSON', ']'.repeat(1_000), false],
  ['nothing', '', false],
  ['101 lists', nested(101), true],
  ['101 objects and lists', '{"a":['.repeat(51), true],
  ['lists after a string that ends with a backslash', `["\\\\",${nested(100)}]`, true],
])('only texts with more than 100 levels are too deep', (_what, text, isTooDeep) => {
  expect(isNestedTooDeeply(text)).toBe(isTooDeep);
});
