// Clients that keep the id and the secret of another authorization server.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { startAppPair } from '../support/app-pair.ts';
import { jwkOf, keyPairs, signAssertion } from '../support/client-keys.ts';
import { badSecrets, bcryptSecret, hashes, shortHashes } from '../support/imported-hashes.ts';
import { callJson } from '../support/json-calls.ts';
import { managerCredential } from '../support/manager-calls.ts';
import { describeFeature } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

type Answer = {
  readonly status: number;
  readonly body: Record<string, unknown> & { code?: string };
};

describeFeature('an imported client', (dialect) => {
  const pair = useStarted(() => startAppPair(dialect, {}));

  const inside = () => pair.apps[0].app.inside;
  let count = 0;
  const newClientId = () => `billing-worker.${count++}`;

  async function send(
    path: string,
    body: object,
    { type = 'staff' as 'staff' | 'service', authTime = pair.clock.now / 1000 } = {},
  ): Promise<Answer> {
    const manager = { type, authTime: Math.floor(authTime) };
    const { app } = pair.apps[0];
    const credential = await managerCredential(app, 'clients:write', manager);
    return callJson<Answer['body']>(app, 'POST', path, body, credential);
  }

  const create = (fields: object, caller = {}) =>
    send('/clients', { name: 'Billing', scopes: ['payments:read'], ...fields }, caller);

  async function importClient(imported_secret: object): Promise<string> {
    const client_id = newClientId();
    const { status, body } = await create({ client_id, imported_secret });
    expect(body).toMatchObject({ client: { id: client_id }, client_secret: '' });
    expect(status).toBe(201);
    return client_id;
  }

  async function issue(node: 0 | 1, clientId: string, secret: string): Promise<Answer> {
    const basic = Buffer.from(`${clientId}:${encodeURIComponent(secret)}`).toString('base64');
    const answer = await fetch(`${pair.origins[node]}/tokens`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials&scope=payments:read',
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  }

  const secretsOf = (clientId: string) =>
    inside().db.selectFrom('credentials').selectAll().where('client_id', '=', clientId).execute();

  itHoldsFor(Object.entries(hashes), 5)(
    'gets tokens with its secret, which is stored as a digest at the first use',
    async (_, [secret, hash]) => {
      const clientId = await importClient({ hash });
      const path = `${pair.origins[0]}/clients/${clientId}/secrets`;
      const headers = await managerCredential(pair.apps[0].app, 'clients:write');
      const list = async () => JSON.parse(await (await fetch(path, { headers })).text()).secrets;
      expect(await list()).toMatchObject([{ import_pending: true, state: expect.any(String) }]);

      for (const wrong of [`${secret}x`, secret.slice(1), hash, 'x'.repeat(300)]) {
        expect((await issue(0, clientId, wrong)).body.code, wrong).toMatch(
          /^(identity.credential_invalid|invalid_argument)$/,
        );
      }
      expect(await secretsOf(clientId)).toMatchObject([{ imported_hash: hash }]);
      const { status, body } = await issue(1, clientId, secret);
      expect(status).toBe(200);
      const [, claims = ''] = String(body.access_token).split('.');
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
        ...{ sub: clientId, client_id: clientId, principal_type: 'service' },
      });
      const digest = createHash('sha256').update(secret).digest('hex');
      const [row] = await secretsOf(clientId);
      expect(row).toMatchObject({ imported_hash: '', digest });
      for (const node of [0, 1, 0, 1] as const) {
        expect((await issue(node, clientId, secret)).status).toBe(200);
      }
      expect((await issue(0, clientId, `${secret}x`)).status).toBe(401);

      await inside()
        .db.updateTable('credentials')
        .set({ last_used_time: 1 })
        .where('id', '=', row?.id ?? '')
        .execute();
      expect(await list()).toMatchObject([{ import_pending: false }]);
    },
  );

  itHoldsFor(Object.entries(shortHashes), 2)(
    'keeps the slow hash of a secret that could be guessed from a digest',
    async (_, [secret, hash]) => {
      const clientId = await importClient({ hash });
      for (const node of [0, 1] as const) {
        expect((await issue(node, clientId, secret)).status).toBe(200);
      }
      expect(await secretsOf(clientId)).toMatchObject([{ imported_hash: hash }]);
    },
  );

  it('can be named in may_act, where an unknown id is an error', async () => {
    const known = await importClient({ value: 'Keycloak-secret of 32 chars: ~!' });
    const client_id = newClientId();
    const { body } = await create({ client_id, may_act: [known, 'member'] });
    expect(body).toMatchObject({ client: { may_act: [known, 'member'] } });
    for (const unknown of ['members', 'cli_1', 'Member', 'billing-worker.99999']) {
      const refused = await create({ client_id: newClientId(), may_act: [known, unknown] });
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({
        code: 'invalid_argument',
        detail: expect.stringContaining(`${unknown} is neither a kind of subject`),
      });
    }
  });

  it('gets tokens with a secret that was imported as it is', async () => {
    const value = 'Keycloak-secret of 32 chars: ~!';
    const clientId = await importClient({ value });
    expect((await issue(1, clientId, value)).status).toBe(200);
    expect((await issue(1, clientId, value.toLowerCase())).status).toBe(401);
    const [row] = await secretsOf(clientId);
    expect(row?.imported_hash).toBe('');
    // A later secret, and a rotation that ends both.
    const hash = hashes['bcrypt 2b'][1];
    const path = `/clients/${clientId}/secrets`;
    expect((await send(path, { imported_secret: { hash } })).status).toBe(200);
    expect((await issue(0, clientId, bcryptSecret)).status).toBe(200);
    for (const [status, name] of [
      [200, 'first'],
      [200, 'second'],
      [409, 'third'],
    ] as const) {
      expect((await send(path, { name, imported_secret: { hash } })).status, name).toBe(status);
    }
    await send(`${path}:rotate`, { overlap_seconds: 0 });
    for (const secret of [value, bcryptSecret]) {
      for (const node of [0, 1] as const) {
        await expect.poll(async () => (await issue(node, clientId, secret)).status).toBe(401);
      }
    }
  });

  itHoldsFor(badSecrets, 18)(
    'is not created with a bad secret',
    async (_, imported_secret, field, bound) => {
      const client_id = newClientId();
      const { status, body } = await create({ client_id, imported_secret });
      const name = `imported_secret${field === '' ? '' : `.${field}`}`;
      expect(body).toMatchObject({ code: 'invalid_argument', errors: [{ field: name }] });
      expect(status).toBe(400);
      expect(JSON.stringify(body.errors)).toContain(bound);
      for (const text of Object.values(imported_secret)) {
        if (text.length > 5) expect(JSON.stringify(body)).not.toContain(text);
      }
      expect(await secretsOf(client_id)).toEqual([]);
    },
  );

  itHoldsFor(
    [
      ...['a b', 'a/b', 'a:b', '-a', '.', 'a%2fb', 'ä', 'x'.repeat(65)],
      ...['service', 'Staff', 'me', `usr_${'a'.repeat(22)}`, `cli_${'a'.repeat(22)}`, 'lk_cs_1'],
      ...['latchkey', 'Latchkey-cli', 'system', 'workspace_key', 'usr_1'],
    ].map((id) => [id]),
    19,
  )('is not created with a bad id', async (client_id) => {
    const { status, body } = await create({ client_id });
    expect(body).toMatchObject({ code: 'invalid_argument', errors: [{ field: 'client_id' }] });
    expect(status).toBe(400);
  });

  it('is unique, also after its deletion', async () => {
    const client_id = await importClient({ value: 'the-first-secret-of-the-client' });
    const again = () => create({ client_id, imported_secret: { value: 'another-secret-of-it' } });
    expect((await again()).body).toMatchObject({
      ...{ code: 'conflict', status: 409, detail: 'client_id: Another client has this id.' },
    });
    expect(await secretsOf(client_id)).toHaveLength(1);
    const headers = await managerCredential(pair.apps[0].app, 'clients:write');
    await fetch(`${pair.origins[0]}/clients/${client_id}`, { method: 'DELETE', headers });
    expect((await again()).status).toBe(409);
  });

  it('is created only by staff who signed in a moment ago', async () => {
    const value = 'a-secret-of-another-server';
    const client_id = newClientId();
    const refused = { code: 'forbidden', status: 403 };
    for (const fields of [{ client_id }, { imported_secret: { value } }]) {
      expect((await create(fields, { type: 'service' })).body).toMatchObject(refused);
      const authTime = pair.clock.now / 1000 - 400;
      expect((await create(fields, { authTime })).body).toMatchObject({ code: 'step_up_required' });
    }
    const { body } = await create({ client_id });
    expect(String(body.client_secret)).toMatch(/^lk_cs_/);
    const added = { imported_secret: { value } };
    const path = `/clients/${client_id}/secrets`;
    expect((await send(path, added, { type: 'service' })).body).toMatchObject(refused);
    expect(await secretsOf(client_id)).toHaveLength(1);
  });

  it('signs assertions with its keys and its own id', async () => {
    const client_id = newClientId();
    await create({ client_id });
    const keys = keyPairs.EdDSA();
    await send(`/clients/${client_id}/keys`, { jwk: jwkOf(keys) });
    // Other tests of this file may take longer than the service tolerates.
    const iat = Math.floor(pair.clock.now / 1000);
    const claims = { iat, exp: iat + 60 };
    const assertion = (key = keys) =>
      signAssertion(key.privateKey, client_id, pair.apps[0].app.publicUrl, { claims });
    const use = async (client_assertion: string) => {
      const body = {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        ...{ client_assertion, scope: 'payments:read' },
      };
      return (await send('/tokens', body)).status;
    };
    expect(await use(await assertion())).toBe(200);
    expect(await use(await assertion(keyPairs.EdDSA()))).toBe(401);
  });

  it('is checked once if many of its programs start together', async () => {
    const [secret, hash] = hashes['bcrypt 2b'];
    const clientId = await importClient({ hash });
    const answers = await Promise.all(Array.from({ length: 40 }, () => issue(0, clientId, secret)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('has to wait after wrong secrets, while users and other clients do not', async () => {
    const clientId = await importClient({ hash: hashes['bcrypt 2b'][1] });
    const other = await importClient({ hash: hashes['bcrypt 2a'][1] });
    const wrong = await Promise.all(
      Array.from({ length: 30 }, (_, i) => issue(0, clientId, `a-wrong-secret-no-${i}`)),
    );
    const codes = wrong.map(({ body }) => body.code);
    expect(codes.filter((code) => code === 'identity.credential_invalid')).toHaveLength(20);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(10);
    expect((await issue(1, clientId, bcryptSecret)).body).toMatchObject({
      ...{ code: 'rate_limited', status: 429 },
    });

    expect((await issue(0, other, bcryptSecret)).status).toBe(200);
    const { STAFF_EMAIL: email, STAFF_PASSWORD: password } = pair.apps[0].env;
    const signIn = await callJson(pair.apps[0].app, 'POST', '/sessions', { email, password });
    expect(signIn.status).toBe(200);

    pair.clock.now += 60_000;
    expect((await issue(1, clientId, bcryptSecret)).status).toBe(200);
    expect((await issue(0, clientId, bcryptSecret)).status).toBe(200);
  });

  it('gets tokens without a wait while wrong secrets are throttled', async () => {
    const value = 'Summer2026-Billing';
    const clientId = await importClient({ value });
    const codes: unknown[] = [];
    for (let i = 0; i < 22; i++) {
      codes.push((await issue(0, clientId, `Summer2026-Billing${i}`)).body.code);
    }
    expect(codes).toEqual([
      ...Array.from({ length: 20 }, () => 'identity.credential_invalid'),
      ...['rate_limited', 'rate_limited'],
    ]);
    for (const node of [0, 1] as const) {
      expect((await issue(node, clientId, value)).status).toBe(200);
    }
  });

  it('is refused like an unknown client while it is disabled', async () => {
    const clientId = await importClient({ hash: hashes['bcrypt 2b'][1] });
    expect((await send(`/clients/${clientId}:disable`, {})).status).toBe(200);
    for (let i = 0; i < 22; i++) {
      const { body } = await issue(0, clientId, bcryptSecret);
      expect(body.code).toBe('identity.credential_invalid');
    }
    expect((await send(`/clients/${clientId}:enable`, {})).status).toBe(200);
    expect((await issue(0, clientId, bcryptSecret)).status).toBe(200);
  });
});
