import { expect, test } from 'vitest';
import { readAccountClaims } from '../../../src/identity/providers/account-claims.ts';

const provider = { groups_claim: 'groups', email_verified_claim: 'email_verified' };
const base = { iss: 'https://id.example.com', aud: 'x', sub: 's', iat: 1, exp: 2 };
const nameOf = (name: unknown) =>
  readAccountClaims({ idToken: { ...base, name } as never }, provider).name;

test('a long name of a provider is cut between characters', () => {
  expect(nameOf(`${'a'.repeat(254)}😀😀`)).toBe(`${'a'.repeat(254)}😀`);
  expect(nameOf('😀'.repeat(300))).toBe('😀'.repeat(255));
});

test('the cut of a name leaves no space at its end', () => {
  expect(nameOf(` ${'a'.repeat(254)} ${'b'.repeat(9)}`)).toBe('a'.repeat(254));
});
