import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { afterEach, expect, it } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CredentialState } from '../../gen/latchkey/identity/v1/credential_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { describeApp, type Suite } from '../support/app-suite.ts';
import { codeOf, managerCredential, messageOf } from '../support/manager-calls.ts';
import { describeOneTransport, type TransportName } from '../support/matrix.ts';
import { addClient } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';

const { LIVE, EXPIRED, REVOKED } = CredentialState;

const day = 86_400_000;

const { createClientSecret, listClientSecrets, revokeClientSecret, rotateClientSecret } =
  ClientService.method;

/** A client with one secret, managed and used through one transport. */
async function addClientWithSecret(suite: Suite, name: TransportName, state = {}) {
  const added = await addClient(suite.app.inside.db, 'payments:read', state);
  const { ownerId: clientId, text: first, credentialId: firstId } = added;
  const { call: send } = suite.transport(name);
  // The test may have moved the clock since the last call.
  const call = suite.callsThrough(name, () => managerCredential(suite.app, 'clients:write'));
  return {
    ...{ clientId, first, firstId, call },
    create: (fields = {}) => call(createClientSecret, { clientId, ...fields }),
    rotate: (fields = {}) => call(rotateClientSecret, { clientId, ...fields }),
    revoke: (secretId: string) => call(revokeClientSecret, { clientId, secretId }),
    list: async () => messageOf(await call(listClientSecrets, { clientId, pageSize: 200 })).secrets,
    /** Returns whether the secret still yields a token. */
    async takes(clientSecret: string): Promise<boolean> {
      const request = { clientId, clientSecret, scope: 'payments:read' };
      const code = codeOf(await send(IssuanceService.method.issueToken, request));
      if (code !== 'ok') expect(code).toBe('identity.credential_invalid');
      return code === 'ok';
    },
  };
}

describeApp("a client's secret", (suite) => {
  afterEach(suite.clock.reset);

  describeOneTransport(suite, (transport) => {
    const aClient = (state = {}) => addClientWithSecret(suite, transport, state);

    it('is created in addition to others, and is shown once', async () => {
      const client = await aClient();

      const { secret, clientSecret } = messageOf(await client.create({ name: 'Second' }));

      expect(clientSecret).toMatch(/^lk_cs_/);
      expect(secret).toMatchObject({
        id: `sec_${clientSecret.slice(6, 28)}`,
        clientId: client.clientId,
        name: 'Second',
        state: LIVE,
      });
      expect(await client.takes(clientSecret)).toBe(true);
      expect(await client.takes(client.first)).toBe(true);
      const listed = (await client.list()).map(({ id }) => id);
      expect(listed.sort()).toEqual([secret?.id ?? '', client.firstId].sort());
    });

    it('expires at its expiry time, not before', async () => {
      const client = await aClient();
      const end = Date.now() + 60_000;
      const made = messageOf(await client.create({ expireTime: timestampFromMs(end) }));

      suite.clock.frozen = end - 1;
      expect(await client.takes(made.clientSecret)).toBe(true);
      suite.clock.frozen = end;
      expect(await client.takes(made.clientSecret)).toBe(false);
      expect((await client.list())[0]).toMatchObject({ id: made.secret?.id, state: EXPIRED });
    });

    itHoldsFor([
      ['an end in the past', { expireTime: timestampFromMs(Date.now() - 1000) }, 'expire_time'],
      ['an end in 1970', { expireTime: timestampFromMs(0) }, 'expire_time'],
    ])('is not made with a bad field', async (_, fields, field) => {
      const client = await aClient();
      for (const answer of [await client.create(fields), await client.rotate(fields)]) {
        expect(answer).toMatchObject({ error: { code: 'invalid_argument', fields: [field] } });
      }
      expect(await client.list()).toMatchObject([{ id: client.firstId, state: LIVE }]);
      expect((await client.list())[0]?.expireTime).toBeUndefined();
    });

    it('is one of at most ten live secrets', async () => {
      const client = await aClient();
      const made = [];
      for (let i = 0; i < 8; i++) made.push(messageOf(await client.create()));
      const expireTime = timestampFromMs(Date.now() + 60_000);
      messageOf(await client.create({ expireTime }));

      expect(codeOf(await client.create())).toBe('conflict');
      expect(await client.list()).toHaveLength(10);

      messageOf(await client.revoke(made[0]?.secret?.id ?? ''));
      messageOf(await client.create());
      expect(codeOf(await client.create())).toBe('conflict');

      // An expired one no longer counts.
      suite.clock.frozen = timestampMs(expireTime);
      messageOf(await client.create());
      expect(codeOf(await client.create())).toBe('conflict');
      const states = (await client.list()).map(({ state }) => state);
      expect(states.filter((state) => state === LIVE)).toHaveLength(10);
      expect(states).toHaveLength(12);
    });

    it('is revoked immediately and permanently, even the last one', async () => {
      const client = await aClient();
      expect(await client.takes(client.first)).toBe(true);

      expect(codeOf(await client.revoke(client.firstId))).toBe('ok');

      expect(await client.takes(client.first)).toBe(false);
      const [revoked] = await client.list();
      expect(revoked).toMatchObject({ state: REVOKED });
      expect(revoked?.revokeTime).toBeDefined();
      expect(codeOf(await client.revoke(client.firstId))).toBe('ok');
      expect(await client.list()).toEqual([revoked]);
      expect(await client.takes(messageOf(await client.create()).clientSecret)).toBe(true);
    });

    itHoldsFor([
      ['for a day by default', {}, day],
      ['for as long as was said', { overlapSeconds: 60 }, 60_000],
      ['for 30 days at most', { overlapSeconds: 2_592_000 }, 30 * day],
    ])('stays valid after a rotation', async (_, fields, overlap) => {
      const client = await aClient();
      const second = messageOf(await client.create()).clientSecret;
      const start = Date.now();
      suite.clock.frozen = start;

      const { secret, clientSecret } = messageOf(await client.rotate({ ...fields, name: 'New' }));

      expect(secret).toMatchObject({ name: 'New', state: LIVE });
      expect(secret?.expireTime).toBeUndefined();
      const all = [client.first, second, clientSecret];
      suite.clock.frozen = start + overlap - 1;
      for (const text of all) expect(await client.takes(text)).toBe(true);
      suite.clock.frozen = start + overlap;
      for (const text of all) expect(await client.takes(text)).toBe(text === clientSecret);
    });

    it('expires no later because of a rotation', async () => {
      const client = await aClient();
      const start = Date.now();
      suite.clock.frozen = start;
      const ends = [timestampFromMs(start + 60_000), timestampFromMs(start + 2 * day)];
      for (const expireTime of ends) messageOf(await client.create({ expireTime }));
      messageOf(await client.rotate({ overlapSeconds: 3_600 }));
      messageOf(await client.rotate({ overlapSeconds: 7_200 }));

      const left = (await client.list()).map(({ expireTime }) =>
        expireTime === undefined ? undefined : (timestampMs(expireTime) - start) / 1000,
      );
      expect(left.sort()).toEqual([3_600, 3_600, 60, 7_200, undefined].sort());
    });

    it('can be rotated among ten only without overlap; otherwise none is lost', async () => {
      const client = await aClient();
      for (let i = 0; i < 9; i++) messageOf(await client.create());
      const before = await client.list();

      expect(codeOf(await client.rotate({ overlapSeconds: 1 }))).toBe('conflict');
      expect(codeOf(await client.rotate())).toBe('conflict');

      expect(await client.list()).toEqual(before);
      expect(await client.takes(client.first)).toBe(true);
      const { clientSecret } = messageOf(await client.rotate({ overlapSeconds: 0 }));
      expect(await client.takes(client.first)).toBe(false);
      expect(await client.takes(clientSecret)).toBe(true);
    });

    it('can be created for a disabled client, and works once that is enabled', async () => {
      const client = await aClient({ disabled: true });
      const { clientSecret } = messageOf(await client.create());
      expect(await client.takes(clientSecret)).toBe(false);
      const { clientId } = client;
      messageOf(await client.call(ClientService.method.enableClient, { clientId }));
      expect(await client.takes(clientSecret)).toBe(true);
    });
  });

  /** Makes the same call fifty times concurrently. */
  async function fiftyTimes(fields: object, act: 'create' | 'rotate') {
    const client = await addClientWithSecret(suite, 'grpc');
    const answers = await Promise.all(Array.from({ length: 50 }, () => client[act](fields)));
    const made = answers.flatMap((answer) => (answer.ok ? [answer.message.clientSecret] : []));
    const live = (await client.list()).filter(({ state }) => state === LIVE);
    return { client, made, live, codes: new Set(answers.map(codeOf)) };
  }

  itHoldsFor(['create', 'rotate'] as const)(
    'is never lost in fifty concurrent calls',
    async (act) => {
      const { client, made, live, codes } = await fiftyTimes({}, act);

      expect(codes).toEqual(new Set(['ok', 'conflict']));
      expect(made).toHaveLength(9);
      expect(live).toHaveLength(10);
      for (const text of [client.first, ...made]) expect(await client.takes(text)).toBe(true);
    },
  );

  it('is the only one left after fifty concurrent rotations without overlap', async () => {
    const { client, made, live, codes } = await fiftyTimes({ overlapSeconds: 0 }, 'rotate');

    expect(codes).toEqual(new Set(['ok']));
    expect(live).toHaveLength(1);
    const good = [];
    for (const text of made) if (await client.takes(text)) good.push(`sec_${text.slice(6, 28)}`);
    expect(good).toEqual([live[0]?.id]);
  });
});
