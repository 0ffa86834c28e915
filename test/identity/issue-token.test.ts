import type { MessageInitShape } from '@bufbuild/protobuf';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  IssuanceService,
  type IssueTokenRequestSchema,
} from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { describeApp } from '../support/app-suite.ts';
import {
  mistype,
  unknownCredential,
  withDirectory,
  wrongSecret,
} from '../support/invalid-credentials.ts';
import { comparableAnswers } from '../support/json-calls.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeOneTransport, describeTransports, type TransportName } from '../support/matrix.ts';
import { type Added, addClient } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';

const { issueToken } = IssuanceService.method;

type Request = MessageInitShape<typeof IssueTokenRequestSchema>;

type Clients = {
  readonly good: Added;
  readonly other: Added;
  readonly disabled: Added;
  readonly revoked: Added;
  readonly expired: Added;
};

const granted = 'accounts:read accounts:write payments:write';

/** Bad credentials. All are rejected alike. */
const badCredentials: [string, (clients: Clients) => Request][] = [
  ['an unknown client', ({ good }) => from({ ...good, ownerId: 'cli_0000000000000000000000' })],
  ['a wrong secret', ({ good }) => from({ ...good, text: wrongSecret('cs', good) })],
  ['an unknown secret', ({ good }) => from({ ...good, text: unknownCredential('cs') })],
  ["another client's secret", ({ good, other }) => from({ ...good, text: other.text })],
  ['a mistyped secret', ({ good }) => from({ ...good, text: mistype(good.text) })],
  ['text that is not a secret', ({ good }) => from({ ...good, text: 'hunter2' })],
  ["a customer's key for a secret", ({ good }) => from({ ...good, text: unknownCredential('ck') })],
  ['a disabled client', ({ disabled }) => from(disabled)],
  ['a revoked secret', ({ revoked }) => from(revoked)],
  ['an expired secret', ({ expired }) => from(expired)],
];

const badScopes: [string, string][] = [
  ['missing', ''],
  ['not granted', 'payments:read'],
  ['granted in part', 'accounts:read payments:read'],
  ['only a space', ' '],
  ['separated by two spaces', 'accounts:read  accounts:write'],
  ['separated by a tab', 'accounts:read\taccounts:write'],
  ['separated by a comma', 'accounts:read,accounts:write'],
  ['separated by a line break', 'accounts:read\naccounts:write'],
  ['separated by a no-break space', 'accounts:read\u00a0accounts:write'],
  ['with an invisible character', 'accounts\u200b:read'],
  ['in full-width letters', 'ａccounts:read'],
  ['followed by a space', 'accounts:read '],
  ['preceded by a space', ' accounts:read'],
  ['not ASCII', 'accounts:rеad'],
  ['in capitals', 'Accounts:read'],
  ['without an access', 'accounts'],
  ['of another access', 'accounts:delete'],
  ['of two accesses', 'accounts:read:write'],
  ['a wildcard', '*:read'],
  ['an area of 65 characters', `${'a'.repeat(65)}:read`],
];

describeApp('issuing a service token', (suite) => {
  let clients: Clients;
  beforeAll(async () => {
    const { db } = suite.app.inside;
    clients = {
      good: await addClient(db, granted),
      other: await addClient(db, granted),
      disabled: await addClient(db, granted, { disabled: true }),
      revoked: await addClient(db, granted, { revoked: true }),
      expired: await addClient(db, granted, { expireTime: Date.now() - 1 }),
    };
  });

  function callsThrough(name: TransportName) {
    const issue = (request: Request) => suite.transport(name).call(issueToken, request);
    const issued = async (request: Request) => {
      return messageOf(await issue(request));
    };
    return { issue, issued };
  }

  describeTransports(suite, (name) => {
    const { issued } = callsThrough(name);

    it('issues a token with exactly the documented claims', async () => {
      const before = Math.floor(Date.now() / 1000);
      const answer = await issued({ ...from(clients.good), scope: 'accounts:read payments:write' });

      expect(answer).toMatchObject({
        tokenType: 'Bearer',
        expiresIn: 300,
        scope: 'accounts:read payments:write',
      });
      const { iat = 0, jti, ...claims } = decodeJwt(answer.accessToken);
      expect(iat).toBeGreaterThanOrEqual(before);
      expect(iat).toBeLessThanOrEqual(Date.now() / 1000);
      expect(jti).toMatch(/^[\w-]{22,}$/);
      expect(claims).toEqual({
        iss: suite.app.publicUrl,
        aud: suite.app.publicUrl,
        sub: clients.good.ownerId,
        client_id: clients.good.ownerId,
        exp: iat + 300,
        scope: 'accounts:read payments:write',
        principal_type: 'service',
      });
      const { kid, ...header } = decodeProtectedHeader(answer.accessToken);
      expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt' });
      expect(kid).toMatch(/^[\w-]{43}$/);
    });
  });

  describeOneTransport(suite, (name) => {
    const { issue, issued } = callsThrough(name);

    it('keeps the order of the scopes and drops repetitions', async () => {
      const scope = 'payments:write accounts:read payments:write accounts:read accounts:write';

      const answer = await issued({ ...from(clients.good), scope });

      expect(answer.scope).toBe('payments:write accounts:read accounts:write');
      expect(decodeJwt(answer.accessToken).scope).toBe(answer.scope);
    });

    it('issues a different token each time, even within one second', async () => {
      suite.clock.frozen = Date.now();
      onTestFinished(suite.clock.reset);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => issued(from(clients.good))),
      );

      const claims = answers.map(({ accessToken }) => decodeJwt(accessToken));
      expect(new Set(claims.map(({ iat }) => iat)).size).toBe(1);
      expect(new Set(claims.map(({ jti }) => jti)).size).toBe(20);
    });

    itHoldsFor(badScopes, 20)('rejects the whole request for a bad scope', async (_, scope) => {
      expect(await issue({ ...from(clients.good), scope })).toMatchObject({
        ok: false,
        error: { code: 'identity.scope_not_granted', fields: [] },
      });
    });

    it('reports a bad scope only to a caller with the secret', async () => {
      const request = { ...from(clients.good), clientSecret: wrongSecret('cs', clients.good) };

      expect(await issue({ ...request, scope: 'payments:read' })).toMatchObject({
        error: { code: 'identity.credential_invalid' },
      });
    });

    it('accepts 100 scopes', async () => {
      const client = await addClient(suite.app.inside.db, manyScopes(100));

      const answer = await issued({ ...from(client), scope: manyScopes(100) });
      expect(answer.scope.split(' ')).toHaveLength(100);
    });
  });

  it('gives the same answer for every bad credential, except for the request id', async () => {
    const asked = badCredentials.map(([, request]) => {
      const { clientId, clientSecret, scope } = request(clients);
      return { client_id: clientId, client_secret: clientSecret, scope };
    });
    const answers = await comparableAnswers(suite.app, '/tokens', asked);

    expect(answers[0]).toMatchObject({
      status: 401,
      body: { code: 'identity.credential_invalid', error: 'invalid_client' },
    });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  describe('the time of a rejection', () => {
    // Measured in the directory: HTTP and JSON would hide the time of a query.
    it('includes one query for every well-formed credential', async () => {
      await withDirectory(suite.app.inside.db, async ({ directory, queries }) => {
        const { good, other, disabled, revoked, expired } = clients;
        const attempts: [string, string][] = [
          [wrongSecret('cs', good), good.ownerId],
          [unknownCredential('cs'), good.ownerId],
          [other.text, good.ownerId],
          [disabled.text, disabled.ownerId],
          [revoked.text, revoked.ownerId],
          [expired.text, expired.ownerId],
        ];
        // Twice: the second time the credential may be cached.
        for (const [text, ownerId] of [...attempts, ...attempts]) {
          const before = queries();
          expect(await directory.authenticate('cs', text, { ownerId })).toBeUndefined();
          expect(queries() - before).toBe(1);
        }
      });
    });

    it('is the same for an unknown credential and a known one with a wrong secret', async () => {
      // Medians of interleaved attempts: other load on the machine slows both alike. One more query
      // changes a median by far more than a factor of 2 (the rest is two hashes of some
      // microseconds), a slow hash by a factor of hundreds.
      const { ownerId } = clients.good;
      const texts = [() => wrongSecret('cs', clients.good), () => unknownCredential('cs')];
      const times: number[][] = [[], []];
      await withDirectory(suite.app.inside.db, async ({ directory }) => {
        for (let attempt = 0; attempt < 800; attempt++) {
          const kind = (attempt + (attempt >> 1)) % 2;
          const text = texts[kind]?.() ?? '';
          const start = performance.now();
          await directory.authenticate('cs', text, { ownerId });
          times[kind]?.push(performance.now() - start);
        }
      });
      const [known = 0, unknown = 1] = times.map((all) => all.toSorted((a, b) => a - b)[200]);
      const ratio = known / unknown;
      expect(ratio).toBeGreaterThan(0.5);
      expect(ratio).toBeLessThan(2);
    });
  });
});

function from({ ownerId, text }: Pick<Added, 'ownerId' | 'text'>): Request {
  return { clientId: ownerId, clientSecret: text, scope: 'accounts:read' };
}

function manyScopes(count: number): string {
  return Array.from({ length: count }, (_, i) => `area${i}:read`).join(' ');
}
