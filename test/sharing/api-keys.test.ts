import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { CredentialState } from '../../gen/latchkey/identity/v1/credential_pb.js';
import { ApiKeyService } from '../../gen/latchkey/sharing/v1/api_key_pb.js';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { describeTransports } from '../support/matrix.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { Credential } from '../support/transports.ts';

const { createApiKey, listApiKeys, rotateApiKey, revokeApiKey } = ApiKeyService.method;
const { listDocuments } = DocumentService.method;

const scopes = ['documents:read', 'links:read'];

describeApp("a workspace's API keys", (suite) => {
  const db = () => suite.app.inside.db;
  let workspaceId: string;
  let admin: { readonly authorization: string };
  let staff: { readonly authorization: string };
  beforeEach(async () => {
    workspaceId = (await addWorkspace(db(), '')).ownerId;
    const sub = await addMember(db(), workspaceId, 'admin');
    admin = await credentialFor(suite.testApp, { type: 'member', sub, scope: memberScope });
    staff = await credentialFor(suite.testApp, { type: 'staff', scope: memberScope });
  });
  const countKeys = async () => {
    const rows = await db()
      .selectFrom('credentials')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .execute();
    return rows.length;
  };

  it('are created over HTTP with every field, and the answer contains the secret', async () => {
    const headers = { ...admin, 'content-type': 'application/json' };
    const url = `${suite.app.publicUrl}/api/v1/api-keys`;
    const body = JSON.stringify({ name: 'CI', scopes });
    const response = await fetch(url, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    const answer = (await response.json()) as { key: object; api_key: string };
    expect(answer).toEqual({
      key: {
        id: `key_${answer.api_key.split('_')[2]}`,
        workspace_id: workspaceId,
        name: 'CI',
        scopes,
        state: 'CREDENTIAL_STATE_LIVE',
        create_time: expect.stringMatching(/Z$/),
        creator: expect.any(String),
        creator_name: '',
      },
      api_key: expect.stringMatching(/^lk_wk_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$/),
    });
    const list = await (await fetch(url, { headers })).text();
    expect(JSON.parse(list).keys[0]).toEqual({ ...answer.key, creator_name: 'Test user' });
    expect(list).not.toContain(answer.api_key.slice(29));
  });

  describeTransports(suite, (name, isOwn) => {
    const call: ReturnType<typeof suite.transport>['call'] = (
      method,
      request,
      credential = admin,
    ) => suite.transport(name).call(method, request, credential);
    async function make(fields = {}, credential = admin) {
      const request = { workspaceId, name: 'A key', scopes, ...fields };
      const answer = await call(createApiKey, request, credential);
      if (!answer.ok) throw new Error(answer.error.message);
      const { key, apiKey } = answer.message;
      return { keyId: key?.id ?? '', key, authorization: `Bearer ${apiKey}` };
    }
    const use = (credential: Credential) => call(listDocuments, {}, credential);
    const forbidden = { ok: false, error: { code: 'forbidden' } };
    const refused = { ok: false, error: { code: 'unauthenticated' } };

    it('work until their revocation', async () => {
      const { keyId, authorization } = await make();
      expect(await use({ authorization })).toMatchObject({ ok: true });
      expect(await call(revokeApiKey, { keyId })).toMatchObject({ ok: true });
      expect(await use({ authorization })).toMatchObject(refused);
      expect(await call(revokeApiKey, { keyId })).toMatchObject({ ok: true });
      const list = await call(listApiKeys, {});
      const state = CredentialState.REVOKED;
      expect(list.ok && list.message.keys.find(({ id }) => id === keyId)).toMatchObject({ state });
    });

    it('are created by staff in the workspace that the request names', async () => {
      const { key } = await make({}, staff);
      expect(key).toMatchObject({ workspaceId });
      const unnamed = await call(createApiKey, { name: 'x', scopes }, staff);
      expect(unnamed).toMatchObject({ ok: false, error: { fields: ['workspace_id'] } });
      const unknown = { workspaceId: 'ws_unknown', name: 'x', scopes };
      const notFound = { ok: false, error: { code: 'not_found' } };
      expect(await call(createApiKey, unknown, staff)).toMatchObject(notFound);
      expect(await call(listApiKeys, unknown, staff)).toMatchObject(notFound);
    });

    it('can replace each other: the old key keeps working for the overlap', async () => {
      onTestFinished(() => {
        suite.clock.frozen = undefined;
      });
      const old = await make({ name: 'Rotated' });
      const now = Date.now();
      suite.clock.frozen = now;
      const rotated = await call(rotateApiKey, { keyId: old.keyId, overlapSeconds: 100 });
      if (!rotated.ok) throw new Error(rotated.error.message);
      const { key, apiKey } = rotated.message;
      expect(key).toMatchObject({ name: 'Rotated', scopes, workspaceId });
      const fresh = { authorization: `Bearer ${apiKey}` };
      for (const one of [old, fresh]) expect(await use(one)).toMatchObject({ ok: true });
      suite.clock.frozen = now + 100_000;
      expect(await use(old)).toMatchObject(refused);
      expect(await use(fresh)).toMatchObject({ ok: true });

      const last = await call(rotateApiKey, { keyId: key?.id ?? '', overlapSeconds: 0 });
      expect(last).toMatchObject({ ok: true });
      expect(await use(fresh)).toMatchObject(refused);
      const again = await call(rotateApiKey, { keyId: key?.id ?? '' });
      expect(again).toMatchObject({ ok: false, error: { code: 'conflict' } });
    });

    it('are not found from another workspace', async () => {
      const { keyId, authorization } = await make();
      const other = (await addWorkspace(db(), '')).ownerId;
      const sub = await addMember(db(), other, 'owner');
      const stranger = await credentialFor(suite.testApp, {
        type: 'member',
        sub,
        scope: memberScope,
      });
      const notFound = { ok: false, error: { code: 'not_found' } };
      expect(await call(rotateApiKey, { keyId }, stranger)).toMatchObject(notFound);
      expect(await call(revokeApiKey, { keyId }, stranger)).toMatchObject(notFound);
      const inTheirs = { keyId, workspaceId };
      expect(await call(revokeApiKey, inTheirs, stranger)).toMatchObject(forbidden);
      const list = await call(listApiKeys, {}, stranger);
      expect(list.ok && list.message.keys.map(({ id }) => id)).not.toContain(keyId);
      expect(await use({ authorization })).toMatchObject({ ok: true });
    });

    // The rules below do not depend on the wire format.
    if (!isOwn) return;

    it('expire', async () => {
      onTestFinished(() => {
        suite.clock.frozen = undefined;
      });
      const now = Date.now();
      suite.clock.frozen = now;
      const { authorization } = await make({ expireTime: timestampFromMs(now + 60_000) });
      suite.clock.frozen = now + 59_999;
      expect(await use({ authorization })).toMatchObject({ ok: true });
      suite.clock.frozen = now + 60_000;
      expect(await use({ authorization })).toMatchObject(refused);
    });

    itHoldsFor([
      ['no name', { name: '' }, 'name'],
      ['no scope', { scopes: [] }, 'scopes'],
      ['a scope of another module', { scopes: ['api_keys:write'] }, 'scopes'],
      ['a duplicate scope', { scopes: ['links:read', 'links:read'] }, 'scopes'],
      ['an expiry in the past', { expireTime: timestampFromMs(Date.now() - 1) }, 'expire_time'],
    ])('are not created with a bad field', async (_, fields, field) => {
      const before = await countKeys();
      const answer = await call(createApiKey, { name: 'A key', scopes, ...fields });
      const error = { code: 'invalid_argument', fields: [field] };
      expect(answer).toMatchObject({ ok: false, error });
      expect(await countKeys()).toBe(before);
    });

    it('get only scopes that the caller holds', async () => {
      const { keyId } = await make();
      const before = await countKeys();
      const narrow = await credentialFor(suite.testApp, {
        type: 'staff',
        scope: 'api_keys:write documents:read',
      });
      const wide = { workspaceId, name: 'x', scopes };
      expect(await call(createApiKey, wide, narrow)).toMatchObject(forbidden);
      expect(await call(rotateApiKey, { workspaceId, keyId }, narrow)).toMatchObject(forbidden);
      expect(await countKeys()).toBe(before);
      const less = { ...wide, scopes: ['documents:read'] };
      expect(await call(createApiKey, less, narrow)).toMatchObject({ ok: true });
    });

    it('cannot be managed by plain members, services or API keys', async () => {
      const sub = await addMember(db(), workspaceId, 'member');
      const member = await credentialFor(suite.testApp, {
        type: 'member',
        sub,
        scope: memberScope,
      });
      const service = await credentialFor(suite.testApp, { type: 'service', scope: memberScope });
      const request = { workspaceId, name: 'x', scopes };
      expect(await call(createApiKey, request, member)).toMatchObject(forbidden);
      expect(await call(createApiKey, request, service)).toMatchObject(forbidden);
      const { authorization } = await make();
      expect(await call(createApiKey, request, { authorization })).toMatchObject(refused);
    });

    it('are limited to 100 per workspace', async () => {
      const { keyId } = await make();
      const [first] = await db()
        .selectFrom('credentials')
        .selectAll()
        .where('id', '=', keyId)
        .execute();
      if (first === undefined) throw new Error('the key has no row');
      const more = 100 - (await countKeys());
      const rows = Array.from({ length: more }, (_, i) => ({ ...first, id: `${keyId}_${i}` }));
      await db().insertInto('credentials').values(rows).execute();
      const full = await call(createApiKey, { name: 'x', scopes });
      expect(full).toMatchObject({ ok: false, error: { code: 'conflict' } });
      expect(await call(revokeApiKey, { keyId })).toMatchObject({ ok: true });
      expect(await call(createApiKey, { name: 'x', scopes })).toMatchObject({ ok: true });
    });
  });
});
