// Rejected sign-ins: every reason gets the same answer.
import { describe, expect, it } from 'vitest';
import { createPasswords, type Passwords } from '../../src/credentials/passwords.ts';
import { createSignInCheck } from '../../src/identity/sessions/sign-in-check.ts';
import { recoveryCodeDigest } from '../../src/identity/users/recovery-codes.ts';
import type { UserRow } from '../../src/storage/schema/schema.ts';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient, forgetAttempts, type SignInRequest } from '../support/cookie-client.ts';
import { comparableAnswers } from '../support/json-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addTotp, addUser } from '../support/user-rows.ts';

const password = 'correct horse battery staple';

type People = {
  readonly known: UserRow;
  readonly disabled: UserRow;
  readonly withApp: UserRow;
  readonly code: (timestamp: number) => string;
};

/** Bad proofs. All are rejected alike. */
const badProofs: [string, (people: People) => SignInRequest][] = [
  ['an unknown address', () => ({ email: 'nobody@example.com', password })],
  ['text that is not an address', () => ({ email: 'nobody', password })],
  ['a wrong password', ({ known }) => ({ email: known.email, password: 'correct horse' })],
  ['a password in capitals', ({ known }) => ({ ...from(known), password: password.toUpperCase() })],
  ['a disabled user', ({ disabled }) => from(disabled)],
  [
    'a good code with a wrong password',
    ({ withApp, code }) => ({ email: withApp.email, password: 'wrong', otp: code(Date.now()) }),
  ],
];

describeApp('signing in', (suite) => {
  const db = () => suite.app.inside.db;
  const add = (disabled = false) => addUser(db(), { scopes: 'users:read', password, disabled });

  forgetAttempts(suite);

  async function addPeople(): Promise<People> {
    const withApp = await add();
    const code = await addTotp(suite.testApp, withApp.id);
    return { known: await add(), disabled: await add(true), withApp, code };
  }

  describeOneTransport(suite, (name) => {
    const browser = () => new CookieClient(suite.transport(name));

    it('asks for the code after a right password, and records no failure', async () => {
      const { withApp, code } = await addPeople();
      const ada = browser();
      expect(await ada.signIn(from(withApp))).toMatchObject({
        ok: false,
        error: { code: 'identity.code_required' },
      });
      expect(ada.set).toEqual([]);
      for (const otp of ['abcdef', code(0)]) {
        expect(await ada.signIn({ ...from(withApp), otp })).toMatchObject({
          ok: false,
          error: { code: 'identity.code_invalid' },
        });
      }
      const codes = async () => {
        const events = db().selectFrom('audit_events').select('code');
        const rows = await events.where('target', '=', withApp.id).execute();
        return [...new Set(rows.map((row) => row.code))];
      };
      await expect.poll(codes).toEqual(['identity.code_invalid']);
      const otp = code(Date.now());
      expect(await ada.signIn({ ...from(withApp), otp })).toMatchObject({ ok: true });
    });
  });

  it('gives the same answer for every bad proof, except for the request id', async () => {
    const people = await addPeople();
    const proofs = badProofs.map(([, proof]) => proof(people));
    const answers = await comparableAnswers(suite.app, '/sessions', proofs);

    expect(answers[0]).toMatchObject({
      status: 401,
      body: { code: 'identity.credential_invalid', error: 'invalid_client' },
    });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  describe('the time of a rejection', () => {
    it('includes one query and one slow hash for every bad proof', async () => {
      const people = await addPeople();
      let queries = 0;
      const counted = db().withPlugin({
        transformQuery({ node }) {
          queries++;
          return node;
        },
        transformResult: ({ result }) => Promise.resolve(result),
      });
      let hashes = 0;
      const passwords = countingPasswords(() => hashes++);
      const check = createSignInCheck({
        db: counted,
        passwords,
        matchTotpStep: () => undefined,
        recoveryCodeDigest,
        localPasswords: true,
      });

      for (const [what, proof] of badProofs) {
        queries = 0;
        hashes = 0;
        const { email = '', password = '', otp = '' } = proof(people);
        const from = { network: '192.0.2.1', isKnownBrowser: false };
        await expect(check({ email, password, otp, ...from }), what).rejects.toThrow('is wrong');
        expect([queries, hashes], what).toEqual([1, 1]);
      }
    });
  });
});

function from({ email }: UserRow) {
  return { email, password };
}

/** The real implementation; counts the slow hashes. */
function countingPasswords(count: () => void): Passwords {
  const passwords = createPasswords();
  return {
    ...passwords,
    verify(stored, text) {
      count();
      return passwords.verify(stored, text);
    },
  };
}
