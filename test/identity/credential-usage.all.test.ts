import { expect, it, onTestFinished, vi } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { createCredentialUsage } from '../../src/credentials/usage/usage.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { startPlace } from '../support/app-suite.ts';
import {
  addClientKey,
  clientWithKey,
  issueFor,
  jwkOf,
  keyPairs,
  makePublicJwk,
  signAssertion,
} from '../support/client-keys.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { addIdentity, callFederation } from '../support/federation.ts';
import { describeFeature } from '../support/matrix.ts';
import { addClient, addCustomer, addWorkspace, updateRow } from '../support/owner-rows.ts';
import { signToken } from '../support/signed-tokens.ts';

const { issueToken, exchangeApiKey } = IssuanceService.method;
const { listLinks } = LinkService.method;

async function lastUsed(db: Database, id: string): Promise<number | null | undefined> {
  const query = db.selectFrom('credentials').select('last_used_time').where('id', '=', id);
  return (await query.executeTakeFirst())?.last_used_time;
}

/** A usage recorder that writes on demand. */
function usageOf(db: Database, now: () => number) {
  const usage = createCredentialUsage({ db, now });
  onTestFinished(() => usage.stop());
  return usage;
}

describeFeature('the last use of a credential', (dialect) => {
  it('is written when the app stops, for every kind of valid credential', async () => {
    // The periodic writes are never due.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    let time = Date.now();
    const { testApp, db, transports } = await startPlace({ dialect, now: () => time });
    const good = [
      await addClient(db, 'payments:read'),
      await addCustomer(db, 'payments:read'),
      await addWorkspace(db, 'links:read'),
    ] as const;
    const bad = await addCustomer(db, 'payments:read', { disabled: true });
    const [client, customer, workspace] = good;
    // The first use reads the credential, the second finds it in the cache.
    for (time of [time + 1_000, time + 2_000]) {
      for (const transport of transports) {
        const request = { clientId: client.ownerId, clientSecret: client.text };
        await transport.call(issueToken, { ...request, scope: 'payments:read' });
        await transport.call(exchangeApiKey, { apiKey: customer.text });
        await transport.call(exchangeApiKey, { apiKey: bad.text });
        await transport.call(listLinks, {}, { authorization: `Bearer ${workspace.text}` });
      }
    }
    for (const { credentialId } of good) expect(await lastUsed(db, credentialId)).toBeNull();

    await testApp.stop();

    const after = await openUntilFinished(testApp.databaseUrl);
    for (const { credentialId } of good) expect(await lastUsed(after, credentialId)).toBe(time);
    expect(await lastUsed(after, bad.credentialId)).toBeNull();
  });

  it('is recorded for client keys and federated identities, as is their usage', async () => {
    const { testApp: test, app: first, db, transports } = await startPlace({ dialect });
    const { publicUrl } = first;
    const { id: clientId, keyId, privateKey } = await clientWithKey(test);
    const unusedKey = await addClientKey(db, clientId, makePublicJwk());
    const issuerPair = keyPairs.EdDSA();
    const [issuer, subject] = ['https://issuer.example', 'repo:octo-org/octo-repo'];
    const trust = async (name: string) => {
      const fields = { issuer, name, jwks: { keys: [jwkOf(issuerPair)] } };
      const path = '/trusted-issuers';
      return (await callFederation<{ id: string }>(test, 'POST', path, fields)).body.id;
    };
    // Both issuers have one `iss` and one key.
    const [otherIssuerId, issuerId] = [await trust('Other'), await trust('Pinned')];
    const otherIdentity = await addIdentity(db, clientId, otherIssuerId, subject);
    const unusedIdentity = await addIdentity(db, clientId, issuerId, 'repo:octo-org/other');
    const newerIdentity = await addIdentity(db, clientId, issuerId, 'repo:octo-org/*');
    const identity = await addIdentity(db, clientId, issuerId, subject);
    await updateRow(db, 'federated_identities', identity, { create_time: 1 });
    const startTime = Date.now();
    for (const transport of transports) {
      const own = await signAssertion(privateKey, clientId, publicUrl);
      const claims = { iss: issuer, sub: subject };
      const federated = await signAssertion(issuerPair.privateKey, '', publicUrl, { claims });
      const forged = await signAssertion(issuerPair.privateKey, clientId, publicUrl);
      const answers = [
        await issueFor(transport, own),
        await issueFor(transport, federated, { clientId }),
        await issueFor(transport, forged),
      ];
      expect(answers.map(({ ok }) => ok)).toEqual([true, true, false]);
    }
    await test.stop();

    const { dataDir, databaseUrl } = test;
    const { app } = await startPlace({ dataDir, config: { databaseUrl } });
    const scope = 'clients:read clients:write audit:read';
    const headers = { authorization: `Bearer ${await signToken(app, { type: 'service', scope })}` };
    const read = async <T>(address: string) =>
      (await (await fetch(app.publicUrl + address, { headers })).json()) as T;
    type Used = { readonly id: string; readonly last_used_time?: string };
    const { keys } = await read<{ keys: Used[] }>(`/clients/${clientId}/keys`);
    const identities = await read<{ federated_identities: Used[] }>(
      `/clients/${clientId}/federated-identities`,
    );
    const times = [...keys, ...identities.federated_identities].map(
      ({ id, last_used_time: time = '' }) => [id, time !== '' && Date.parse(time) >= startTime],
    );
    expect(Object.fromEntries(times)).toEqual({
      ...{ [keyId]: true, [unusedKey]: false },
      ...{ [identity]: true, [unusedIdentity]: false, [newerIdentity]: false },
      [otherIdentity]: false,
    });
    const n = transports.length;
    const counts = {
      ...{ [clientId]: [2 * n, n], [keyId]: [n, 0], [identity]: [n, 0] },
      ...{ [unusedKey]: [0, 0], [unusedIdentity]: [0, 0], [newerIdentity]: [0, 0] },
      [otherIdentity]: [0, 0],
    };
    for (const [id, expected] of Object.entries(counts)) {
      const { points } = await read<{ points: { issued: number; refused: number }[] }>(
        `/usage?credential_id=${id}`,
      );
      const sum = (name: 'issued' | 'refused') =>
        points.reduce((total, point) => total + point[name], 0);
      expect([id, sum('issued'), sum('refused')]).toEqual([id, ...expected]);
    }
  });

  it('only moves forward, in whatever order the processes write', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const { credentialId } = await addClient(db, 'payments:read');
    let time = 5_000;
    const [first, second] = [usageOf(db, () => time), usageOf(db, () => time)];

    first.record(credentialId);
    time = 3_000;
    second.record(credentialId);
    await first.flush();
    await second.flush();
    expect(await lastUsed(db, credentialId)).toBe(5_000);

    time = 7_000;
    second.record(credentialId);
    await second.flush();
    expect(await lastUsed(db, credentialId)).toBe(7_000);
  });

  it('is written for thousands of credentials together', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const added = [];
    for (let i = 0; i < 3; i++) added.push(await addClient(db, 'payments:read'));
    const usage = usageOf(db, () => 5_000);
    const [first] = added;
    usage.record(first?.credentialId ?? '');
    // The ids between them are not in the database.
    for (let i = 0; i < 2_500; i++) usage.record(`sec_${i}`);
    for (const { credentialId } of added.slice(1)) usage.record(credentialId);

    await usage.flush();

    for (const { credentialId } of added) expect(await lastUsed(db, credentialId)).toBe(5_000);
  });

  it('is kept while the database is unavailable', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const { credentialId } = await addClient(db, 'payments:read');
    const usage = usageOf(db, () => 5_000);
    usage.record(credentialId);
    await db.schema.alterTable('credentials').renameTo('away').execute();
    await usage.flush();
    await db.schema.alterTable('away').renameTo('credentials').execute();

    await usage.flush();

    expect(await lastUsed(db, credentialId)).toBe(5_000);
  });

  it('keeps the newer time when an older one could not be written', async () => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    const { credentialId } = await addClient(db, 'payments:read');
    let time = 5_000;
    const usage = usageOf(db, () => time);
    usage.record(credentialId);
    await db.schema.alterTable('credentials').renameTo('away').execute();
    const failing = usage.flush();
    time = 7_000;
    // The flush has taken the older time by now, and has not yet failed.
    await Promise.resolve();
    usage.record(credentialId);
    await failing;
    await db.schema.alterTable('away').renameTo('credentials').execute();

    await usage.flush();

    expect(await lastUsed(db, credentialId)).toBe(7_000);
  });
});
