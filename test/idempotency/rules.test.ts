// When a call with an Idempotency-Key is repeated, and when it is refused.
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { describeApp, type Suite } from '../support/app-suite.ts';
import { newKey } from '../support/creating-calls.ts';
import { callJson } from '../support/json-calls.ts';
import { managerCredential } from '../support/manager-calls.ts';
import { addMember, memberScope } from '../support/member-rows.ts';
import { addClient, addWorkspace, changeAsOtherProcess, updateRow } from '../support/owner-rows.ts';
import { bearer } from '../support/sharing-api.ts';
import { signToken } from '../support/signed-tokens.ts';

async function post({ app }: Suite, path: string, fields: object, own: Record<string, string>) {
  const { status, headers, body } = await callJson(app, 'POST', path, fields, own);
  return { status, replayed: headers.get('idempotency-replayed'), body };
}

/** Uploads a file with a key of a workspace. */
async function uploadWith({ app }: Suite, apiKey: string, key: string) {
  const form = new FormData();
  form.append('file', new Blob(['The terms.']), 'a.txt');
  const headers = { ...bearer(apiKey), ...withKey(key) };
  const path = `${app.publicUrl}/api/v1/documents`;
  const response = await fetch(path, { method: 'POST', headers, body: form });
  const replayed = response.headers.get('idempotency-replayed');
  return { status: response.status, replayed, body: (await response.json()) as { id: string } };
}

const withKey = (key: string) => ({ 'idempotency-key': key });
const day = 86_400_000;

describeApp('calls with an Idempotency-Key', (suite) => {
  afterEach(suite.clock.reset);

  const manager = () => managerCredential(suite.app, 'customers:write customers:read');
  const named = async (name: string) => {
    const customers = suite.app.inside.db.selectFrom('customers').select('id');
    return (await customers.where('name', '=', name).execute()).length;
  };

  it('the answer is repeated for 24 hours', async () => {
    const { db } = suite.app.inside;
    const { ownerId: sub } = await addClient(db, 'customers:write');
    const start = Date.now();
    const callAt = async (time: number) => {
      suite.clock.frozen = time;
      const scope = 'customers:write';
      const token = await signToken(suite.app, { type: 'service', scope, sub });
      return post(suite, '/customers', { name: 'Day' }, { ...bearer(token), ...withKey('day') });
    };

    const first = await callAt(start);
    expect(await callAt(start + day - 1)).toEqual({ ...first, replayed: 'true' });
    const second = await callAt(start + day);

    expect(second).toMatchObject({ status: 201, replayed: null });
    expect(second.body.id).not.toBe(first.body.id);
    expect(await callAt(start + day + 1)).toEqual({ ...second, replayed: 'true' });
    expect(await named('Day')).toBe(2);
  });

  it('the upkeep deletes the answer after 24 hours', async () => {
    const { db, deleteOldRows } = suite.app.inside;
    const headers = { ...(await manager()), ...withKey(newKey()) };
    const start = Date.now() - 1_000_000;
    suite.clock.frozen = start;
    await post(suite, '/customers', { name: 'Old' }, headers);
    const kept = async (time: number) => {
      suite.clock.frozen = time;
      await deleteOldRows();
      const answers = db.selectFrom('recorded_answers').select('key');
      return (await answers.where('create_time', '=', start).execute()).length;
    };
    expect(await kept(start + day - 1)).toBe(1);
    expect(await kept(start + day)).toBe(0);
  });

  it('a repeated call gets the first answer, even if the object has changed since', async () => {
    const headers = { ...(await manager()), ...withKey(newKey()) };
    const first = await post(suite, '/customers', { name: 'Before' }, headers);
    await updateRow(suite.app.inside.db, 'customers', String(first.body.id), { name: 'After' });

    const again = await post(suite, '/customers', { name: 'Before' }, headers);

    expect(again).toEqual({ ...first, replayed: 'true' });
  });

  it('a failed call can be made again with another body', async () => {
    const headers = { ...(await manager()), ...withKey(newKey()) };
    const refused = await post(suite, '/customers', { name: '' }, headers);
    const rotated = '/customers/cus_none/api-keys/key_none:rotate';
    const missing = await post(suite, rotated, {}, headers);

    const made = await post(suite, '/customers', { name: 'Corrected' }, headers);

    expect([refused.status, missing.status, made.status]).toEqual([400, 404, 201]);
    expect(made.replayed).toBeNull();
  });

  it('a call of another caller is not a repeated call', async () => {
    const { db } = suite.app.inside;
    const key = newKey();
    const ids: unknown[] = [];
    for (let i = 0; i < 2; i++) {
      const { text } = await addWorkspace(db, 'api_keys:write links:write documents:write');
      const { status, replayed, body } = await uploadWith(suite, text, key);
      expect([status, replayed]).toEqual([201, null]);
      ids.push(body.id);
    }
    expect(new Set(ids).size).toBe(2);
  });

  it('a call with the same key in another workspace is refused', async () => {
    const { db } = suite.app.inside;
    const [first, second] = [await addWorkspace(db, ''), await addWorkspace(db, '')];
    const sub = await addMember(db, first.ownerId, 'owner');
    await addMember(db, second.ownerId, 'owner', sub);
    const token = await signToken(suite.app, { type: 'member', scope: memberScope, sub });
    const make = (workspace_id: string, headers: object) =>
      post(
        suite,
        '/api/v1/api-keys',
        { workspace_id, name: 'CI', scopes: ['links:read'] },
        { ...bearer(token), ...headers },
      );
    const key = withKey(newKey());

    const made = await make(first.ownerId, key);

    expect(made.status).toBe(200);
    expect((await make(second.ownerId, key)).body.code).toBe('idempotency_key_reused');
    await changeAsOtherProcess(db, (trx) =>
      trx.deleteFrom('members').where('workspace_id', '=', first.ownerId).execute(),
    );
    await expect.poll(async () => (await make(first.ownerId, key)).body.code).toBe('forbidden');
  });

  it('a caller whose access has ended gets no stored answer', async () => {
    const { db } = suite.app.inside;
    const workspace = await addWorkspace(db, 'documents:write links:write');
    const upload = async () => (await uploadWith(suite, workspace.text, 'upload')).status;
    expect(await upload()).toBe(201);
    await updateRow(db, 'credentials', workspace.credentialId, { revoke_time: Date.now() });
    await expect.poll(upload).toBe(401);
  });

  it('a caller who holds fewer scopes than before gets no stored answer', async () => {
    const { ownerId: sub } = await addClient(
      suite.app.inside.db,
      'clients:write customers:write payments:read',
    );
    const call = async (scope: string) => {
      const token = await signToken(suite.app, { type: 'service', scope, sub });
      const body = { name: 'Ledger', scopes: ['customers:write'] };
      return post(suite, '/clients', body, { ...bearer(token), ...withKey('same') });
    };
    const first = await call('clients:write customers:write');

    const weaker = await call('clients:write');
    const stronger = await call('clients:write customers:write payments:read');

    expect(first.status).toBe(201);
    expect(weaker.body).toMatchObject({ code: 'forbidden' });
    expect(String(weaker.body.detail)).toContain('customers:write');
    expect(stronger).toEqual({ ...first, replayed: 'true' });
  });

  it('the database and the log contain no secret in readable form', async () => {
    const scope = 'clients:write payments:read';
    const headers = { ...(await managerCredential(suite.app, scope)), ...withKey(newKey()) };
    const body = { name: 'Secretive', scopes: ['payments:read'] };
    const first = await post(suite, '/clients', body, headers);
    const secret = String(first.body.client_secret);
    expect(secret).toMatch(/^lk_cs_/);

    const rows = await suite.app.inside.db.selectFrom('recorded_answers').selectAll().execute();

    const stored = JSON.stringify(rows);
    for (const row of rows) {
      const bytes = Buffer.from(row.answer, 'base64url').toString('latin1');
      expect(bytes).not.toContain(secret);
    }
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(headers['idempotency-key']);
    expect(await post(suite, '/clients', body, headers)).toEqual({ ...first, replayed: 'true' });
    const log = await suite.testApp.logText();
    expect(log).not.toContain(secret);
    expect(log).not.toContain(headers['idempotency-key']);
  });

  it('a repeated call is refused if the master key that encrypted its answer is gone', async () => {
    const headers = { ...(await manager()), ...withKey(newKey()) };
    await post(suite, '/customers', { name: 'Rekeyed' }, headers);
    await sql`update recorded_answers set master_key_id = 'gone'`.execute(
      suite.app.inside.db.withoutPlugins(),
    );

    const again = await post(suite, '/customers', { name: 'Rekeyed' }, headers);

    expect(again).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await named('Rekeyed')).toBe(1);
  });

  describe('keys', () => {
    const call = async (key: string, name = 'Key') => {
      const credential = await managerCredential(suite.app, 'customers:write');
      return post(suite, '/customers', { name }, { ...credential, ...withKey(key) });
    };

    it('a key has 1 to 128 printable ASCII characters', async () => {
      expect((await call('k'.repeat(128))).status).toBe(201);
      const malformed = ['k'.repeat(129), '""', 'a\tb', 'caf\u00e9', `"${'k'.repeat(129)}"`];
      // The last one is what two headers become.
      for (const key of [...malformed, 'first, second']) {
        const { status, body } = await call(key);
        expect([status, body.code], key).toEqual([400, 'invalid_argument']);
        expect(String(body.detail), key).toMatch(/^Idempotency-Key: must be/);
      }
    });

    it('a key is the same with and without quotes', async () => {
      const first = await call('"8e03978e-40d5-43dd-bc93-6894a57f9324"');
      const again = await call('8e03978e-40d5-43dd-bc93-6894a57f9324');
      expect(first.status).toBe(201);
      expect(again).toEqual({ ...first, replayed: 'true' });
    });

    it('calls that create nothing ignore the key', async () => {
      const { CLIENT_ID, CLIENT_SECRET, CLIENT_SCOPES } = suite.testApp.env;
      const body = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: CLIENT_SCOPES };
      const headers = withKey('k'.repeat(1000));
      const tokens = [
        await post(suite, '/tokens', body, headers),
        await post(suite, '/tokens', body, headers),
      ];
      expect(tokens.map(({ status, replayed }) => [status, replayed])).toEqual([
        [200, null],
        [200, null],
      ]);
      expect(tokens[0]?.body.access_token).not.toBe(tokens[1]?.body.access_token);
    });
  });
});
