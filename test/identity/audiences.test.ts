// Tokens for other services: audiences, `resource` (RFC 8707) and `expected_audience`.
import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { AudienceService } from '../../gen/latchkey/identity/v1/audience_pb.js';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { OAuthService } from '../../gen/latchkey/identity/v1/oauth_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { newId } from '../../src/base/crypto/ids.ts';
import { describeApp, startPlace } from '../support/app-suite.ts';
import { codeOf, managerCredential, messageOf, useManager } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import {
  type Added,
  addAudience,
  addClient,
  addCustomer,
  changeAsOtherProcess,
} from '../support/owner-rows.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const { createAudience, getAudience, listAudiences, updateAudience, deleteAudience } =
  AudienceService.method;
const { issueToken, exchangeApiKey } = IssuanceService.method;
const { verifyToken } = VerificationService.method;
const { introspect } = OAuthService.method;
const { createClient, updateClient } = ClientService.method;
const { createCustomer, updateCustomer } = CustomerService.method;

const scopes = 'audiences:read audiences:write clients:write customers:write tokens:read';
const scope = 'payments:read';

let count = 0;
const newIdentifier = () => `https://service-${count++}.example`;

describeApp('audiences', (suite) => {
  const manager = useManager(suite, scopes);

  describeOneTransport(suite, (name) => {
    const transport = () => suite.transport(name);
    const create = async (identifier: string) =>
      transport().call(createAudience, { identifier, name: 'Payments' }, manager);

    it('an audience is created, read, listed, renamed and deleted', async () => {
      const identifier = newIdentifier();
      const { audience } = messageOf(await create(identifier));
      const audienceId = audience?.id ?? '';
      expect(audience).toMatchObject({ identifier, name: 'Payments' });
      const read = () => transport().call(getAudience, { audienceId }, manager);
      expect(messageOf(await read())).toMatchObject({ audience: { id: audienceId, identifier } });
      const found = await transport().call(listAudiences, { query: identifier }, manager);
      expect(messageOf(found)).toMatchObject({ audiences: [{ id: audienceId }], totalSize: 1 });
      const renamed = { audienceId, name: 'Ledger' };
      await transport().call(updateAudience, renamed, manager);
      expect(messageOf(await read())).toMatchObject({ audience: { name: 'Ledger', identifier } });
      expect(codeOf(await create(identifier))).toBe('conflict');
      expect(codeOf(await transport().call(deleteAudience, { audienceId }, manager))).toBe('ok');
      for (const method of [getAudience, updateAudience, deleteAudience]) {
        expect(codeOf(await transport().call(method, { audienceId }, manager))).toBe('not_found');
      }
    });

    it('an identifier is an absolute URI without a fragment', async () => {
      const refused = ['', 'payments', '/x', 'a:', 'https://a#b', 'https://a b', 'a:ä', 'a:"'];
      for (const identifier of [...refused, `a:${'b'.repeat(254)}`]) {
        expect(codeOf(await create(identifier)), identifier).toBe('invalid_argument');
      }
      const accepted = [
        'urn:example:payments',
        'api://1',
        'https://a.example/b?c=d%20e',
        'a:[::1]',
      ];
      for (const identifier of accepted) {
        expect(codeOf(await create(`${identifier}${name}`)), identifier).toBe('ok');
      }
    });

    it('the audience is the `aud` of tokens that name it as their resource', async () => {
      const { db } = suite.app.inside;
      const [one, two, other] = [newIdentifier(), newIdentifier(), newIdentifier()];
      const audienceIds = [await addAudience(db, one), await addAudience(db, two)];
      await addAudience(db, other);
      const client = await addClient(db, scope, { audienceIds });
      const customer = await addCustomer(db, scope, { audienceIds });
      const single = await addClient(db, scope, { audienceIds: audienceIds.slice(0, 1) });
      const plain = await addClient(db, scope);
      const ask = async ({ ownerId, text }: Added, resource: string) => {
        const given = { clientId: ownerId, clientSecret: text, scope, resource };
        const answer = ownerId.startsWith('cus')
          ? await transport().call(exchangeApiKey, { apiKey: text, resource })
          : await transport().call(issueToken, given);
        return answer.ok ? decodeJwt(answer.message.accessToken).aud : answer.error.code;
      };
      const own = suite.app.publicUrl;
      const refused = 'identity.invalid_target';
      const cases: [Added, string, string][] = [
        ...[client, customer].flatMap((owner): [Added, string, string][] => [
          [owner, one, one],
          [owner, two, two],
          [owner, '', refused],
          [owner, other, refused],
          [owner, own, refused],
          [owner, `${one}/`, refused],
          [owner, one.toUpperCase(), refused],
          [owner, 'https://unknown.example', refused],
        ]),
        [single, '', one],
        [single, two, refused],
        [plain, '', own],
        [plain, own, own],
        [plain, one, refused],
      ];
      // The last audience of a client: the service may have read the others before it was added.
      await expect.poll(() => ask(client, two)).toBe(two);
      for (const [owner, resource, expected] of cases) {
        expect([resource, await ask(owner, resource)]).toEqual([resource, expected]);
      }
      const withAudience = { apiKey: customer.text, audience: 'a' };
      expect(codeOf(await transport().call(exchangeApiKey, withAudience))).toBe(refused);
    });
  });

  it('an audience of clients or customers is not deleted before it is withdrawn', async () => {
    const transport = suite.transport('grpc');
    const audienceId = await addAudience(suite.app.inside.db);
    const audienceIds = [audienceId, audienceId];
    const owners = [
      messageOf(await transport.call(createClient, { name: 'A', audienceIds }, manager)).client,
      messageOf(await transport.call(createCustomer, { name: 'A', audienceIds }, manager)).customer,
    ];
    for (const owner of owners) expect(owner?.audienceIds).toEqual([audienceId]);
    const drop = async () => codeOf(await transport.call(deleteAudience, { audienceId }, manager));
    const updateMask = { paths: ['audience_ids'] };
    expect(await drop()).toBe('conflict');
    const clientId = owners[0]?.id ?? '';
    await transport.call(updateClient, { clientId, updateMask }, manager);
    expect(await drop()).toBe('conflict');
    const customerId = owners[1]?.id ?? '';
    await transport.call(updateCustomer, { customerId, updateMask }, manager);
    expect(await drop()).toBe('ok');
    for (const [method, request] of [
      [updateClient, { clientId }],
      [updateCustomer, { customerId }],
    ] as const) {
      const answer = await transport.call(method, { ...request, audienceIds }, manager);
      expect(answer).toMatchObject({ error: { fields: ['audience_ids'] } });
    }
  });

  it('there are at most 1,000 audiences', async () => {
    const { db } = suite.app.inside;
    const { count } = await db
      .selectFrom('audiences')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    const fields = { name: 'Limit', signing_alg: 'EdDSA' as const, create_time: 1 };
    const rows = Array.from({ length: 999 - count }, (_, i) => {
      const id = newId('aud', randomBytes);
      return { id, identifier: `urn:limit:${i}`, ...fields };
    });
    await changeAsOtherProcess(db, (trx) => trx.insertInto('audiences').values(rows).execute());
    const transport = suite.transport('grpc');
    const create = async () => {
      const request = { identifier: newIdentifier(), name: 'Limit' };
      return codeOf(await transport.call(createAudience, request, manager));
    };
    const codes = await Promise.all([create(), create(), create()]);
    expect(codes.sort()).toEqual(['conflict', 'conflict', 'ok']);
    await changeAsOtherProcess(db, (trx) =>
      trx.deleteFrom('audiences').where('identifier', 'like', 'urn:limit:%').execute(),
    );
    expect(await create()).toBe('ok');
  });

  it('a change of an audience limits the grants of its tokens within a second', async () => {
    const { db } = suite.app.inside;
    const [identifier, other] = [newIdentifier(), newIdentifier()];
    const audienceIds = [await addAudience(db, identifier), await addAudience(db, other)];
    const client = await addClient(db, scope, { audienceIds });
    const transport = suite.transport('grpc');
    const given = { clientId: client.ownerId, clientSecret: client.text };
    await expect
      .poll(async () =>
        codeOf(await transport.call(issueToken, { ...given, scope, resource: other })),
      )
      .toBe('ok');
    const issued = { ...given, scope, resource: identifier };
    const token = messageOf(await transport.call(issueToken, issued)).accessToken;
    const isActive = async (expectedAudience: string) =>
      messageOf(await transport.call(verifyToken, { token, expectedAudience }, manager)).active;
    expect(await isActive(identifier)).toBe(true);
    for (const wrong of ['', other, suite.app.publicUrl, 'x', `${identifier}/`]) {
      expect(await isActive(wrong), wrong).toBe(false);
    }
    const change = { clientId: client.ownerId, audienceIds: audienceIds.slice(1) };
    await transport.call(updateClient, change, manager);
    expect(await isActive(identifier)).toBe(false);
    await expectWithinOneSecond(
      db,
      async () => codeOf(await transport.call(issueToken, issued)),
      'identity.invalid_target',
    );
  });

  it('the audience decides who introspects its tokens', async () => {
    const { db } = suite.app.inside;
    const [identifier, other] = [newIdentifier(), newIdentifier()];
    const audienceIds = [await addAudience(db, identifier)];
    const caller = await addClient(db, scope, { audienceIds });
    const receiver = await addClient(db, '', { audienceIds });
    const stranger = await addClient(db, '', { audienceIds: [await addAudience(db, other)] });
    const plain = await addClient(db, '');
    const reader = await addClient(db, 'tokens:read');
    const transport = suite.transport('grpc');
    const issue = async () => {
      const given = { clientId: caller.ownerId, clientSecret: caller.text, scope };
      const answer = await transport.call(issueToken, given);
      return answer.ok ? answer.message.accessToken : '';
    };
    await expect.poll(issue).not.toBe('');
    const token = await issue();
    const answers = [receiver, caller, reader, stranger, plain].map(async ({ ownerId, text }) => {
      const request = { token, clientId: ownerId, clientSecret: text };
      return messageOf(await transport.call(introspect, request)).active;
    });
    expect(await Promise.all(answers)).toEqual([true, true, true, false, false]);
  });

  describe('grants', () => {
    it('a client can have this service as one of several audiences', async () => {
      const { db } = suite.app.inside;
      const audienceIds = [await addAudience(db, suite.app.publicUrl), await addAudience(db)];
      const client = await addClient(db, 'audiences:read', { audienceIds });
      const transport = suite.transport('grpc');
      const given = {
        ...{ clientId: client.ownerId, clientSecret: client.text },
        ...{ scope: 'audiences:read', resource: suite.app.publicUrl },
      };
      await expect.poll(async () => codeOf(await transport.call(issueToken, given))).toBe('ok');
      const { accessToken } = messageOf(await transport.call(issueToken, given));
      const authorization = `Bearer ${accessToken}`;
      expect(codeOf(await transport.call(listAudiences, {}, { authorization }))).toBe('ok');
    });

    it('granting an audience to a client requires all scopes of the client', async () => {
      const { db } = suite.app.inside;
      const weak = await managerCredential(suite.app, 'clients:write');
      const { ownerId: clientId } = await addClient(db, 'clients:write audit:read');
      const audienceIds = [await addAudience(db)];
      const answer = await suite
        .transport('grpc')
        .call(updateClient, { clientId, audienceIds }, weak);
      expect(codeOf(answer)).toBe('forbidden');
      const staff = { type: 'staff', authTime: 1 } as const;
      const old = await managerCredential(suite.app, 'clients:write audit:read', staff);
      const late = await suite.transport('grpc').call(updateClient, { clientId, audienceIds }, old);
      expect(codeOf(late)).toBe('step_up_required');
    });
  });
});

it('the public URL as a resource means the configured audience of the service', async () => {
  const { app, testApp, transport } = await startPlace({ config: { audience: 'urn:latchkey' } });
  const client = { clientId: testApp.env.CLIENT_ID, clientSecret: testApp.env.CLIENT_SECRET };
  for (const resource of ['', 'urn:latchkey', app.publicUrl]) {
    const request = { ...client, scope: 'accounts:read', resource };
    const { accessToken } = messageOf(await transport('http').call(issueToken, request));
    expect(decodeJwt(accessToken).aud).toBe('urn:latchkey');
  }
});
