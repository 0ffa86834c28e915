import { expect } from 'vitest';
import { mailboxOf, readEmail } from '../../../src/base/net/email.ts';
import { itHoldsFor } from '../../support/rule.ts';

itHoldsFor([
  ['a+b@example.com', 'a+b@example.com'],
  ["O'Neil@Example.com", "o'neil@example.com"],
])('accepts valid addresses', (text, email) => {
  expect(readEmail(text)).toBe(email);
});

itHoldsFor([
  'user%other.com@example.com',
  'other.com!user@example.com',
  '"user"@example.com',
  '"user@other.com"@example.com',
  '@other.com:user@example.com',
])('refuses a local part that may name another domain', (text) => {
  expect(readEmail(text)).toBeUndefined();
});

itHoldsFor([
  ['a@example.com', 'a@example.com'],
  ['a+b@example.com', 'a@example.com'],
  ['a+b+c@example.com', 'a@example.com'],
  ['+b@example.com', '+b@example.com'],
  ['a-b@example.com', 'a-b@example.com'],
])('the mailbox of an address has no subaddress', (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox);
});
