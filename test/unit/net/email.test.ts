import { expect, it } from 'vitest';
import { readEmail } from '../../../src/base/net/email.ts';

it.each([
  ['a+b@example.com', 'a+b@example.com'],
  ["O'Neil@Example.com", "o'neil@example.com"],
])('accepts %s', (text, email) => {
  expect(readEmail(text)).toBe(email);
});

it.each([
  'user%other.com@example.com',
  'other.com!user@example.com',
  '"user"@example.com',
  '"user@other.com"@example.com',
  '@other.com:user@example.com',
])('refuses the local part of %s, which may name another domain', (text) => {
  expect(readEmail(text)).toBeUndefined();
});
