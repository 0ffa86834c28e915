import { expect, it } from 'vitest';
import { readEmail } from '../../../src/base/net/email.ts';
import { itHoldsFor } from '../../support/rule.ts';

it.each([
  ['a+b@example.com', 'a+b@example.com'],
  ["O'Neil@Example.com", "o'neil@example.com"],
])('accepts %s', (text, email) => {
  expect(readEmail(text)).toBe(email);
});

itHoldsFor(
  [
    'user%other.com@example.com',
    'other.com!user@example.com',
    '"user"@example.com',
    '"user@other.com"@example.com',
    '@other.com:user@example.com',
  ],
  5,
)('refuses a local part that may name another domain', (text) => {
  expect(readEmail(text)).toBeUndefined();
});
