import type { MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import {
  ClientService,
  type CreateClientRequestSchema,
} from '../../gen/latchkey/identity/v1/client_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { codeOf, managerCredential, messageOf, useManager } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';

const { createClient, getClient, updateClient, disableClient, enableClient } = ClientService.method;
const { issueToken } = IssuanceService.method;

type Request = MessageInitShape<typeof CreateClientRequestSchema>;

describeApp('a client', (suite) => {
  const manager = useManager(suite, 'clients:read clients:write');

  describeOneTransport(suite, (name) => {
    const call = suite.callsThrough(name, manager);

    async function created(request: Request = {}) {
      const whole = { name: 'Ledger', scopes: ['payments:read', 'payments:write'], ...request };
      const { client, clientSecret } = messageOf(await call(createClient, whole));
      if (client === undefined) throw new Error('no client was answered');
      const issue = async (scope: string) =>
        codeOf(await call(issueToken, { clientId: client.id, clientSecret, scope }, {}));
      return { client, clientId: client.id, clientSecret, issue };
    }

    it('is created with its first secret, which works immediately', async () => {
      const { client, clientSecret, issue } = await created({
        scopes: ['payments:write', 'payments:read', 'payments:write'],
      });

      expect(client).toMatchObject({
        id: expect.stringMatching(/^cli_[0-9A-Za-z]{22}$/),
        name: 'Ledger',
        scopes: ['payments:write', 'payments:read'],
      });
      expect(client.createTime).toBeDefined();
      expect(client.disableTime).toBeUndefined();
      expect(clientSecret).toMatch(/^lk_cs_/);
      expect(await issue('payments:read payments:write')).toBe('ok');
      expect(await issue('accounts:read')).toBe('identity.scope_not_granted');
      const read = messageOf(await call(getClient, { clientId: client.id })).client;
      expect(read).toEqual({ ...client, creatorName: 'Test client' });
    });

    it('keeps its scopes when only its name changes', async () => {
      const { client, clientId } = await created();

      const renamed = messageOf(await call(updateClient, { clientId, name: 'Journal' })).client;

      const { etag, updateTime } = renamed ?? {};
      expect(renamed).toEqual({ ...client, name: 'Journal', etag, updateTime });
      const read = messageOf(await call(getClient, { clientId })).client;
      expect(read).toEqual({ ...renamed, creatorName: 'Test client' });
      expect(messageOf(await call(updateClient, { clientId })).client).toEqual(renamed);
      const nameless = { clientId, name: '', updateMask: { paths: ['name'] } };
      expect(await call(updateClient, nameless)).toMatchObject({
        error: { code: 'invalid_argument', fields: ['name'] },
      });
      const other = { clientId, name: 'x', updateMask: { paths: ['disable_time'] } };
      expect(await call(updateClient, other)).toMatchObject({
        error: { code: 'invalid_argument', fields: ['update_mask'] },
      });
    });

    it('has the scopes that were granted, not those that were removed', async () => {
      const { clientId, issue } = await created();
      expect(await issue('payments:write')).toBe('ok');

      const scopes = ['payments:read', 'refunds:read', 'payments:read'];
      const { client } = messageOf(await call(updateClient, { clientId, scopes }));

      expect(client?.scopes).toEqual(['payments:read', 'refunds:read']);
      expect(await issue('payments:write')).toBe('identity.scope_not_granted');
      expect(await issue('payments:read refunds:read')).toBe('ok');

      const none = { clientId, scopes: [], updateMask: { paths: ['scopes'] } };
      expect(messageOf(await call(updateClient, none)).client?.scopes).toEqual([]);
      expect(await issue('payments:read')).toBe('identity.scope_not_granted');
    });

    it('cannot get or use tokens while it is disabled', async () => {
      const { client, clientId, issue } = await created();
      expect(await issue('payments:read')).toBe('ok');

      const disabled = messageOf(await call(disableClient, { clientId })).client;

      expect(disabled?.disableTime).toBeDefined();
      expect(await issue('payments:read')).toBe('identity.credential_invalid');
      expect(messageOf(await call(disableClient, { clientId })).client).toEqual(disabled);
      const read = messageOf(await call(getClient, { clientId })).client;
      expect(read).toEqual({ ...disabled, creatorName: 'Test client' });

      for (let i = 0; i < 2; i++) {
        const enabled = messageOf(await call(enableClient, { clientId })).client;
        const { etag, updateTime } = enabled ?? {};
        expect(enabled).toEqual({ ...client, etag, updateTime });
        expect(await issue('payments:read')).toBe('ok');
      }
    });

    it('can be changed without a recent sign-in, except for its scopes', async () => {
      const { clientId } = await created();
      const authTime = Math.floor(Date.now() / 1000) - 3_600;
      const staff = await managerCredential(suite.app, 'clients:read clients:write', {
        type: 'staff',
        authTime,
      });

      expect(codeOf(await call(updateClient, { clientId, name: 'By staff' }, staff))).toBe('ok');
      const scopes = ['payments:read'];
      const code = codeOf(await call(updateClient, { clientId, name: 'Both', scopes }, staff));
      expect(code).toBe('step_up_required');
      const cleared = { clientId, updateMask: { paths: ['scopes'] } };
      expect(codeOf(await call(updateClient, cleared, staff))).toBe('step_up_required');
      expect(codeOf(await call(createClient, { name: 'New' }, staff))).toBe('step_up_required');
      expect(codeOf(await call(disableClient, { clientId }, staff))).toBe('ok');
      expect(messageOf(await call(getClient, { clientId })).client).toMatchObject({
        name: 'By staff',
        scopes: ['payments:read', 'payments:write'],
      });
    });
  });

  describe('over HTTP', () => {
    const post = (path: string, body?: unknown, method = 'POST') =>
      fetch(suite.app.publicUrl + path, {
        method,
        headers: { ...manager, ...(body === undefined ? {} : { 'content-type': json }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const json = 'application/json';

    it('is returned whole, with the Location of the resource', async () => {
      const answer = await post('/clients', { name: 'Ledger', scopes: ['payments:read'] });

      expect(answer.status).toBe(201);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const body = (await answer.json()) as { client: { id: string }; client_secret: string };
      const { client } = body;
      expect(body).toEqual({
        client: {
          id: client.id,
          name: 'Ledger',
          scopes: ['payments:read'],
          create_time: expect.stringMatching(/Z$/),
          update_time: expect.stringMatching(/Z$/),
          etag: expect.stringMatching(/^".+"$/),
          external_id: '',
          creator: expect.any(String),
          creator_name: '',
          tls_client_auth_san_uri: '',
          tls_client_auth_san_dns: '',
          audience_ids: [],
          token_seconds: 0,
          default_scopes: [],
          may_act: [],
          bound_tokens: false,
        },
        client_secret: expect.stringMatching(/^lk_cs_/),
      });
      const location = answer.headers.get('location') ?? '';
      expect(location).toBe(`/clients/${client.id}`);
      const read = await post(location, undefined, 'GET');
      expect(await read.json()).toEqual({ ...client, creator_name: 'Test client' });
    });

    it('is disabled and enabled by the path, without a body', async () => {
      const { id } = (
        (await (await post('/clients', { name: 'Ledger' })).json()) as {
          client: { id: string };
        }
      ).client;

      const disabled = await post(`/clients/${id}:disable`);
      expect(disabled.status).toBe(200);
      expect(await disabled.json()).toMatchObject({ id, disable_time: expect.any(String) });
      const enabled = await post(`/clients/${id}:enable`, {});
      expect(await enabled.json()).not.toHaveProperty('disable_time');
    });

    it('loses its scopes by null, and is not changed by an unknown field', async () => {
      const made = await post('/clients', { name: 'Ledger', scopes: ['payments:read'] });
      const { id } = ((await made.json()) as { client: { id: string } }).client;

      for (const [body, field] of [
        [{ scope: 'payments:write' }, 'scope'],
        [{ id: 'cli_other' }, 'id'],
        [{ scopes: 'payments:write' }, 'scopes'],
        [{ name: '' }, 'name'],
      ] as const) {
        const refused = await post(`/clients/${id}`, body, 'PATCH');
        expect(refused.status).toBe(400);
        expect(await refused.json()).toMatchObject({ errors: [{ field }] });
      }
      const kept = await (await post(`/clients/${id}`, undefined, 'GET')).json();
      expect(kept).toMatchObject({ name: 'Ledger', scopes: ['payments:read'] });
      const cleared = await post(`/clients/${id}`, { scopes: null }, 'PATCH');
      expect(await cleared.json()).toMatchObject({ name: 'Ledger', scopes: [] });
    });
  });
});
