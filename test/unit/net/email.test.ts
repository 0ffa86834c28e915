import { expect, it } from 'vitest';
import { mailboxOf, readEmail } from '../../../src/base/net/email.ts';
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

it.each([
  ['a@example.com', 'a@example.com'],
  ['a+b@example.com', 'a@example.com'],
  ['a+b+c@example.com', 'a@example.com'],
  ['+b@example.com', '+b@example.com'],
  ['a-b@example.com', 'a-b@example.com'],
])('the mailbox of %s is that of %s', (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox);
});
