import { randomUUID } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { decodeJwt } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import {
  VerificationService,
  type VerifyTokenRequestSchema,
} from '../../gen/latchkey/identity/v1/verification_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { callJson } from '../support/json-calls.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeTransports } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import { inactive, signToken } from '../support/signed-tokens.ts';

const ownId = randomUUID();

const { verifyToken, revokeToken } = VerificationService.method;

type Request = MessageInitShape<typeof VerifyTokenRequestSchema>;

describeApp('verifying a token', (suite) => {
  let authorization: string;
  beforeAll(async () => {
    const own = {
      type: 'service',
      scope: 'tokens:read tokens:write',
      lifetimeSeconds: 3600,
    } as const;
    authorization = `Bearer ${await signToken(suite.app, own)}`;
  });

  describeTransports(suite, (name, isOwn) => {
    const call = suite.callsThrough(name, () => ({ authorization }));
    async function verdict(request: Request) {
      const { $typeName, $unknown, ...own } = messageOf(await call(verifyToken, request));
      return own;
    }

    it('returns the claims of a service token', async () => {
      const token = await signToken(suite.app, { type: 'service', scope: 'accounts:read a:write' });
      const { sub = '', iat = 0, exp = 0, jti } = decodeJwt(token);

      expect(await verdict({ token })).toEqual({
        active: true,
        allowed: true,
        code: '',
        sub,
        clientId: sub,
        scope: 'accounts:read a:write',
        aud: suite.app.publicUrl,
        iss: suite.app.publicUrl,
        iat,
        exp,
        jti,
        principalType: 'service',
        accounts: [],
        authTime: 0,
      });
    });

    it("returns a customer's accounts and a user's time of sign-in", async () => {
      const customer = { type: 'customer', scope: 'a:read', accounts: ['acc_1', 'acc_2'] } as const;
      const staff = { type: 'staff', scope: 'a:read', authTime: 1_700_000_000 } as const;

      expect(await verdict({ token: await signToken(suite.app, customer) })).toMatchObject({
        active: true,
        principalType: 'customer',
        accounts: ['acc_1', 'acc_2'],
        authTime: 0,
      });
      expect(await verdict({ token: await signToken(suite.app, staff) })).toMatchObject({
        active: true,
        principalType: 'staff',
        accounts: [],
        authTime: 1_700_000_000,
      });
    });

    itHoldsFor([
      ['the token', (token) => ({ token })],
      ['its id', (token) => ({ tokenId: String(decodeJwt(token).jti) })],
    ] satisfies [string, (token: string) => object][])(
      'revokes a token immediately, also as a credential',
      async (_, requestOf) => {
        const token = await signToken(suite.app, { type: 'service', scope: 'tokens:read' });
        const other = await signToken(suite.app, { type: 'service', scope: 'tokens:read' });
        const use = (credential: string) =>
          call(verifyToken, { token: other }, { authorization: `Bearer ${credential}` });
        expect(await use(token)).toMatchObject({ ok: true });

        expect(await call(revokeToken, requestOf(token))).toMatchObject({ ok: true });

        expect(await use(token)).toMatchObject({ ok: false, error: { code: 'unauthenticated' } });
        expect(await verdict({ token })).toEqual(inactive);
        expect(await use(other)).toMatchObject({ ok: true, message: { active: true } });
      },
    );

    const signed = (lifetimeSeconds: number) =>
      signToken(suite.app, { type: 'service', scope: 'tokens:read', lifetimeSeconds });

    itHoldsFor([
      ['an unknown token', () => 'no.such.token'],
      ['an expired token', () => signed(0)],
      ['a forged token', async () => `${(await signed(300)).slice(0, -4)}AAAA`],
    ] satisfies [string, () => string | Promise<string>][])(
      'has no effect on any other text',
      async (_, make) => {
        const { db } = suite.app.inside;
        const rows = () => db.selectFrom('revoked_tokens').select('jti').orderBy('jti').execute();
        const before = await rows();
        const request = { token: await make() };

        expect(await call(revokeToken, request)).toMatchObject({ ok: true });

        expect(await rows()).toEqual(before);
      },
    );

    itHoldsFor([
      ['neither', {}, 'token: is required without token_id'],
      ['both', { token: 'a', tokenId: ownId }, 'token: must not be set together with token_id'],
      ['an id in upper case', { tokenId: ownId.toUpperCase() }, 'token_id: must be a UUID'],
      ['a token as the id', { tokenId: 'a.b.c' }, 'token_id: must be a UUID'],
    ])('refuses to revoke', async (_, request, detail) => {
      const answer = await call(revokeToken, request);

      expect(answer).toMatchObject({ ok: false, error: { code: 'invalid_argument' } });
      expect(JSON.stringify(answer)).toContain(detail);
    });

    it('records the id by which a token was revoked', async () => {
      const { db } = suite.app.inside;
      const tokenId = randomUUID();
      await call(revokeToken, { tokenId });

      const events = db.selectFrom('audit_events').select(['action', 'code']);
      expect(await events.where('target', '=', tokenId).execute()).toEqual([
        { action: 'VerificationService.RevokeToken', code: 'ok' },
      ]);
      const revoked = db.selectFrom('revoked_tokens').select('expire_time');
      const { expire_time } = await revoked.where('jti', '=', tokenId).executeTakeFirstOrThrow();
      expect(expire_time).toBeGreaterThan(Date.now() + 3_590_000);
      expect(expire_time).toBeLessThanOrEqual(Date.now() + 3_600_000);
    });

    it('can revoke a token twice', async () => {
      const token = await signToken(suite.app, { type: 'service', scope: 'tokens:read' });
      const revoke = () => call(revokeToken, { token });

      expect(await Promise.all([revoke(), revoke()])).toMatchObject([{ ok: true }, { ok: true }]);
      expect(await revoke()).toMatchObject({ ok: true });
    });

    // The rules below do not depend on the wire format.
    if (!isOwn) return;

    itHoldsFor([
      ['accounts:read', true],
      ['payments:write accounts:read', true],
      ['accounts:write', false],
      ['payments:read', false],
      ['accounts:read accounts:write', false],
    ])('checks the scope', async (scope, allowed) => {
      const own = { type: 'service', scope: 'accounts:read payments:write' } as const;
      const token = await signToken(suite.app, own);

      expect(await verdict({ token, scope })).toMatchObject({
        active: true,
        allowed,
        code: allowed ? '' : 'forbidden',
      });
    });

    itHoldsFor([
      ['customer', 'acc_1', true],
      ['customer', 'acc_9', false],
      ['customer', 'acc_', false],
      ['service', 'acc_9', true],
      ['staff', 'acc_9', true],
    ] as const)('checks whether a token covers the account', async (type, accountId, allowed) => {
      const own = { type, scope: 'accounts:read', accounts: ['acc_1', 'acc_2'] };
      const token = await signToken(suite.app, own);

      expect(await verdict({ token, accountId })).toMatchObject({
        active: true,
        allowed,
        code: allowed ? '' : 'forbidden',
      });
      expect(await verdict({ token, accountId, scope: 'accounts:write' })).toMatchObject({
        allowed: false,
      });
    });
  });

  it('an inactive token has no claims in JSON (RFC 7662 §2.2)', async () => {
    const sent = { type: 'service', scope: 'accounts:read' } as const;
    const expired = await signToken(suite.app, { ...sent, lifetimeSeconds: 0 });
    const revoked = await signToken(suite.app, sent);
    await suite.transport('http').call(revokeToken, { token: revoked }, { authorization });
    const ask = async (token: string, scope = '') => {
      const own = { authorization };
      return (await callJson(suite.app, 'POST', '/tokens/verify', { token, scope }, own)).body;
    };
    const forged = `${await signToken(suite.app, sent)}A`;
    const texts = { expired, revoked, malformed: 'x', forged };
    for (const [name, token] of Object.entries(texts)) {
      const inactive = { active: false, code: 'unauthenticated' };
      expect(await ask(token, 'accounts:read'), name).toEqual(inactive);
    }

    // An active token has every field, also those with default values.
    const active = await signToken(suite.app, sent);
    expect(await ask(active, 'payments:read')).toMatchObject({
      ...{ active: true, allowed: false, code: 'forbidden', accounts: [], auth_time: 0 },
    });
  });
});
