// The token exchange (RFC 8693): what a new token contains, and when it stops working.
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { IssuanceService } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { OAuthService } from '../../../gen/latchkey/identity/v1/oauth_pb.js';
import { VerificationService } from '../../../gen/latchkey/identity/v1/verification_pb.js';
import type { Executor } from '../../../src/storage/schema.ts';
import { describeApp } from '../../support/app-suite.ts';
import { managerCredential, messageOf } from '../../support/manager-calls.ts';
import { describeTransports } from '../../support/matrix.ts';
import { addMember } from '../../support/member-rows.ts';
import {
  type Added,
  addClient,
  addCustomer,
  changeAsOtherProcess,
  revoke,
} from '../../support/owner-rows.ts';
import { itHoldsFor } from '../../support/rule.ts';
import { signToken } from '../../support/signed-tokens.ts';
import {
  accessTokenType,
  actorFields,
  customerToken,
  exchangedToken,
  exchangeGrant,
  ownToken,
} from '../../support/token-exchange.ts';

const { issueToken } = IssuanceService.method;
const { verifyToken, revokeToken } = VerificationService.method;
const { introspect } = OAuthService.method;

const scopes = 'payments:read payments:write';
const accounts = ['acc_1', 'acc_2'];
const soon = { timeout: 10_000, interval: 20 };

describeApp('an exchanged token', (suite) => {
  let manager: { readonly authorization: string };
  let customer: Added;
  let agent: Added;
  let second: Added;
  beforeAll(async () => {
    const { db } = suite.app.inside;
    manager = await managerCredential(suite.app, 'tokens:read tokens:write customers:write');
    customer = await addCustomer(db, scopes, { accounts });
    agent = await addClient(db, `${scopes} other:read`, { mayAct: [customer.ownerId] });
    second = await addClient(db, scopes, { mayAct: ['customer'] });
  });

  const verdict = async (token: string, fields = {}) => {
    const request = { token, ...fields };
    return messageOf(await suite.transport('grpc').call(verifyToken, request, manager));
  };

  describeTransports(suite, (name) => {
    it('represents the subject and names the client that acts for it', async () => {
      const subjectToken = await customerToken(suite.app, customer);
      const subject = decodeJwt(subjectToken);
      const actorToken = await ownToken(suite.app, agent, scopes);
      const answer = messageOf(
        await suite.transport(name).call(issueToken, {
          ...{ clientId: agent.ownerId, clientSecret: agent.text, grantType: exchangeGrant },
          ...{ subjectToken, subjectTokenType: accessTokenType, scope: 'payments:read' },
          ...{ actorToken, actorTokenType: accessTokenType, requestedTokenType: accessTokenType },
          ...{ accounts: ['acc_2'], resource: String(subject.aud) },
        }),
      );
      const { accessToken: token } = answer;
      expect(answer).toMatchObject({
        ...{ tokenType: 'Bearer', issuedTokenType: accessTokenType, scope: 'payments:read' },
      });
      const claims = decodeJwt(token);
      expect(claims).toMatchObject({
        ...{ sub: customer.ownerId, client_id: agent.ownerId, principal_type: 'customer' },
        ...{ aud: subject.aud, scope: 'payments:read', accounts: ['acc_2'] },
        act: { sub: agent.ownerId },
        parent_ids: [subject.jti, decodeJwt(actorToken).jti],
      });
      expect(claims.exp).toBe(Math.min(subject.exp ?? 0, (claims.iat ?? 0) + 300));
      expect(claims.exp).toBe((claims.iat ?? 0) + answer.expiresIn);
      const verified = await suite.transport(name).call(verifyToken, { token }, manager);
      const known = { active: true, sub: customer.ownerId, act: { sub: agent.ownerId } };
      expect(messageOf(verified)).toMatchObject({ ...known, allowed: true });
      const request = { token, clientId: agent.ownerId, clientSecret: agent.text };
      const introspected = await suite.transport(name).call(introspect, request);
      expect(messageOf(introspected)).toMatchObject(known);
    });
  });

  it('covers what the subject and the client have in common', async () => {
    const token = await exchangedToken(suite.app, agent, await customerToken(suite.app, customer));
    expect(decodeJwt(token)).toMatchObject({ scope: scopes, accounts });
    expect(await verdict(token, { accountId: 'acc_1', scope: scopes })).toMatchObject({
      allowed: true,
    });
    expect(await verdict(token, { accountId: 'acc_3' })).toMatchObject({ allowed: false });
    const part = await exchangedToken(suite.app, agent, await customerToken(suite.app, customer), {
      ...actorFields(await ownToken(suite.app, agent, 'payments:read')),
      accounts: 'acc_2 acc_1 acc_2',
    });
    expect(decodeJwt(part)).toMatchObject({ scope: 'payments:read', accounts: ['acc_2', 'acc_1'] });
  });

  it('keeps the claims of the subject, not those of the client or of a sign-in', async () => {
    const { db } = suite.app.inside;
    const subject = await addClient(db, scopes);
    const actor = await addClient(db, `${scopes} documents:read`, {
      mayAct: ['service', 'member'],
    });
    const set = (id: string, claims: object) => (trx: Executor) =>
      trx
        .updateTable('clients')
        .set({ claims: JSON.stringify(claims), token_seconds: 100 })
        .where('id', '=', id)
        .execute();
    await changeAsOtherProcess(db, set(subject.ownerId, { tenant: 'acme' }));
    await changeAsOtherProcess(db, set(actor.ownerId, { tenant: 'evil', role: 'admin' }));
    const subjectToken = await ownToken(suite.app, subject, scopes);
    const token = await exchangedToken(suite.app, actor, subjectToken);
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({ tenant: 'acme', sub: subject.ownerId });
    expect(claims).not.toHaveProperty('role');
    expect(claims.exp).toBe(decodeJwt(subjectToken).exp);
    const sub = await addMember(db, suite.testApp.env.WORKSPACE_ID, 'member');
    const member = await signToken(suite.app, { type: 'member', scope: 'documents:read', sub });
    const delegated = decodeJwt(await exchangedToken(suite.app, actor, member));
    expect(delegated.sid).toBe(decodeJwt(member).sid);
    expect(Object.keys(delegated)).not.toEqual(expect.arrayContaining(['auth_time']));
    expect(Object.keys(delegated)).not.toEqual(expect.arrayContaining(['amr']));
  });

  it('names up to five actors, of which each can be disabled', async () => {
    const { db } = suite.app.inside;
    const chain = await Promise.all(
      Array.from({ length: 5 }, () => addClient(db, scopes, { mayAct: [customer.ownerId] })),
    );
    let token = await customerToken(suite.app, customer);
    for (const client of chain) token = await exchangedToken(suite.app, client, token);
    const ids = chain.map(({ ownerId }) => ownerId);
    let actor: { sub: string; act?: object | undefined } = (await verdict(token)).act as never;
    const named: string[] = [];
    for (; actor !== undefined; actor = actor.act as never) named.unshift(actor.sub);
    expect(named).toEqual(ids);
    expect(decodeJwt(token).parent_ids).toHaveLength(5);
    const disable = (trx: Executor) =>
      trx
        .updateTable('clients')
        .set({ disable_time: Date.now() })
        .where('id', '=', ids[2] ?? '')
        .execute();
    await changeAsOtherProcess(db, disable);
    await expect.poll(async () => (await verdict(token)).active, soon).toBe(false);
  });

  describe('of a chain stops working', () => {
    type Parties = { customer: Added; first: Added; last: Added; tokens: Record<string, string> };
    const set =
      (table: 'clients' | 'customers', id: string, change: object) =>
      async ({ app }: { app: typeof suite.app }) =>
        changeAsOtherProcess(app.inside.db, (trx) =>
          trx.updateTable(table).set(change).where('id', '=', id).execute(),
        );
    const revokeNamed =
      (name: string, requestOf: (token: string) => object = (token) => ({ token })) =>
      async (_: unknown, { tokens }: Parties) => {
        const request = requestOf(tokens[name] ?? '');
        return messageOf(await suite.transport('http').call(revokeToken, request, manager));
      };
    const idOf = (token: string) => ({ tokenId: String(decodeJwt(token).jti) });
    const now = Date.now();
    const ends: [string, (place: { app: typeof suite.app }, parties: Parties) => unknown][] = [
      ['the token of the customer', revokeNamed('customer')],
      ['the token of the customer, by its id', revokeNamed('customer', idOf)],
      ['the token of the first actor', revokeNamed('first')],
      ['the own token of the last actor', revokeNamed('own')],
      [
        'the customer',
        (p, { customer: c }) => set('customers', c.ownerId, { disable_time: now })(p),
      ],
      ['the first actor', (p, { first: c }) => set('clients', c.ownerId, { disable_time: now })(p)],
      ['the last actor', (p, { last: c }) => set('clients', c.ownerId, { disable_time: now })(p)],
      [
        'may_act of the first actor',
        (p, { first: c }) => set('clients', c.ownerId, { may_act: null })(p),
      ],
      [
        'may_act of the last actor',
        (p, { last: c }) => set('clients', c.ownerId, { may_act: 'service' })(p),
      ],
      [
        'the audience of the last actor',
        (p, { last: c }) => set('clients', c.ownerId, { audience_ids: 'aud_other' })(p),
      ],
      [
        'the API key of the customer',
        ({ app }, { customer: c }) =>
          changeAsOtherProcess(app.inside.db, (trx) => revoke(trx, c.credentialId)),
      ],
    ];
    itHoldsFor(ends, 11)('without one of its parts', async (_name, end) => {
      const { app } = suite;
      const { db } = app.inside;
      const own = await addCustomer(db, scopes, { accounts });
      const first = await addClient(db, scopes, { mayAct: ['customer'] });
      const last = await addClient(db, scopes, { mayAct: [own.ownerId] });
      const tokens: Record<string, string> = { customer: await customerToken(app, own) };
      tokens.first = await exchangedToken(app, first, tokens.customer ?? '');
      tokens.own = await ownToken(app, last, scopes);
      const token = await exchangedToken(app, last, tokens.first, actorFields(tokens.own));
      expect((await verdict(token)).active).toBe(true);
      await end({ app }, { customer: own, first, last, tokens });
      await expect.poll(async () => (await verdict(token)).active, soon).toBe(false);
    });
  });

  it('covers only the scopes and accounts that each party still has', async () => {
    const { app } = suite;
    const { db } = app.inside;
    const own = await addCustomer(db, scopes, { accounts });
    const first = await addClient(db, scopes, { mayAct: ['customer'] });
    const token = await exchangedToken(
      app,
      second,
      await exchangedToken(app, first, await customerToken(app, own)),
    );
    expect(await verdict(token)).toMatchObject({ scope: scopes, accounts });
    const narrow = (trx: Executor) =>
      trx
        .updateTable('clients')
        .set({ scopes: 'payments:write' })
        .where('id', '=', first.ownerId)
        .execute();
    await changeAsOtherProcess(db, narrow);
    await expect.poll(async () => (await verdict(token)).scope, soon).toBe('payments:write');
    const request = { customerId: own.ownerId, accountIds: ['acc_2'] };
    const { putAccounts } = CustomerService.method;
    messageOf(await suite.transport('grpc').call(putAccounts, request, manager));
    expect(await verdict(token)).toMatchObject({ accounts: ['acc_2'] });
  });
});
