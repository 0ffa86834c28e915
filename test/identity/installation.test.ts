// InstallationService.GetInstallation: what needs attention.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { expect, it } from 'vitest';
import { InstallationService } from '../../gen/latchkey/identity/v1/installation_pb.js';
import { readConfig } from '../../src/base/config/config.ts';
import { readVersion } from '../../src/base/files/package.ts';
import { describeApp, type Place, startPlace } from '../support/app-suite.ts';
import { managerCredential, messageOf } from '../support/manager-calls.ts';
import {
  addClient,
  addCustomer,
  addWorkspace,
  changeAsOtherProcess,
} from '../support/owner-rows.ts';

const { getInstallation, confirmMasterKeyCopy } = InstallationService.method;
const dayMs = 86_400_000;
const names = 'clients:read clients:write customers:write';

describeApp('the state of the installation', (suite) => {
  async function read({ app, transport }: Place, scope = '') {
    const credential = await managerCredential(app, `audit:read ${scope}`.trim());
    const answer = await transport('connect').call(getInstallation, {}, credential);
    const { installation } = messageOf(answer);
    if (installation === undefined) throw new Error('the answer is empty');
    return installation;
  }

  it('has the credentials that expire within 30 days, with the permitted names', async () => {
    const { db } = suite.app.inside;
    const now = Date.now();
    const customer = await addCustomer(db, '', { expireTime: now + 20 * dayMs });
    const client = await addClient(db, '', { expireTime: now + 3 * dayMs });
    const workspace = await addWorkspace(db, '', { expireTime: now + 29 * dayMs });
    await addClient(db, '', { expireTime: now + 31 * dayMs });
    await addClient(db, '', { expireTime: now - dayMs });
    await addClient(db, '', { expireTime: now + dayMs, disabled: true });
    await addCustomer(db, '', { expireTime: now + dayMs, revoked: true });
    // A rotation has replaced this secret.
    const rotated = await addClient(db, '', { expireTime: now + dayMs });
    await changeAsOtherProcess(db, async (trx) => {
      const old = trx.selectFrom('credentials').selectAll().where('id', '=', rotated.credentialId);
      const { id, digest, ...row } = await old.executeTakeFirstOrThrow();
      const next = { ...row, create_time: row.create_time + 1, expire_time: null };
      const ids = { id: `${id}n`, digest: `${digest}n` };
      await trx
        .insertInto('credentials')
        .values({ ...next, ...ids })
        .execute();
    });
    const key = {
      ...{ id: 'jwk_expires', client_id: client.ownerId, name: 'A key', jwk: '{}' },
      ...{ thumbprint: 'expires', create_time: now, expire_time: now + 10 * dayMs },
      revoke_time: null,
    };
    await changeAsOtherProcess(db, (trx) => trx.insertInto('client_keys').values(key).execute());

    const { expiringCredentials: found } = await read(suite, names);
    expect(found.map(({ id, ownerId }) => [id, ownerId])).toEqual([
      [client.credentialId, client.ownerId],
      [key.id, client.ownerId],
      [customer.credentialId, customer.ownerId],
      [workspace.credentialId, workspace.ownerId],
    ]);
    expect(found.map(({ name, ownerName }) => [name, ownerName])).toEqual([
      ['Test credential', 'Test client'],
      ['A key', 'Test client'],
      ['Test credential', ''],
      ['', ''],
    ]);
    const unnamed = (await read(suite)).expiringCredentials;
    expect(unnamed.map(({ name, ownerName }) => name + ownerName)).toEqual(['', '', '', '']);
  });

  it('has the nodes that run, and the next rotation of the signing keys', async () => {
    const { db } = suite.app.inside;
    const [own] = await db.selectFrom('processes').selectAll().execute();
    if (own === undefined) throw new Error('the process has not recorded itself');
    const other = { ...own, version: '0.0.1', host: 'another' };
    const rows = [
      { ...own, id: 'a worker', start_time: own.start_time - 5_000 },
      { ...other, id: 'an older release' },
      { ...other, id: 'killed', host: 'killed', seen_time: own.seen_time - 120_000 },
      { ...other, id: 'ahead', host: 'ahead', seen_time: own.seen_time + 3_600_000 },
    ];
    await db.insertInto('processes').values(rows).execute();
    const { nodes, keyRotations } = await read(suite);
    const found = nodes.map(({ name, version, processCount, startTime }) => {
      return [name, version, processCount, startTime && timestampMs(startTime)];
    });
    expect(found.toSorted()).toEqual(
      [
        [own.host, readVersion(), 2, own.start_time - 5_000],
        ['another', '0.0.1', 1, own.start_time],
      ].toSorted(),
    );
    const [rotation] = keyRotations;
    expect(rotation).toMatchObject({ alg: 'EdDSA', late: false });
    const { activateTime, rotationTime } = rotation ?? {};
    if (activateTime === undefined || rotationTime === undefined) throw new Error('no times');
    expect(timestampMs(rotationTime) - timestampMs(activateTime)).toBe(30 * dayMs);
  });

  it('has the first confirmation that a copy of the master key exists', async () => {
    expect((await read(suite)).masterKey).toMatchObject({ inFile: true });
    expect((await read(suite)).masterKey?.copyConfirmTime).toBeUndefined();
    const credential = await managerCredential(suite.app, 'signing_keys:write');
    const confirm = () => suite.transport('connect').call(confirmMasterKeyCopy, {}, credential);
    const { masterKey } = messageOf(await confirm());
    expect(masterKey?.keyId).toMatch(/^[0-9a-f]{16}$/);
    expect(masterKey?.copyConfirmTime).toBeDefined();
    expect(messageOf(await confirm()).masterKey).toEqual(masterKey);
    expect((await read(suite)).masterKey).toEqual(masterKey);
  });

  it('has the health of mail, blobs and backups', async () => {
    const healthy = await startPlace({ dialect: suite.dialect });
    expect(await read(healthy)).toMatchObject({
      mail: { serverConfigured: false, problem: '', waitingCount: 0 },
      blobs: { problem: '' },
      backups: { targetConfigured: false, problem: '', late: false },
    });

    const folder = path.join(healthy.testApp.dataDir, 'backups');
    await mkdir(folder);
    await writeFile(path.join(folder, 'latchkey-2026-01-02T030405Z.age'), '');
    const { smtp, backupTarget } = readConfig({
      LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
      LATCHKEY_MAIL_FROM: 'latchkey@example.com',
      LATCHKEY_BACKUP_TARGET: `file:${folder}`,
    });
    const config = { smtp, backupTarget };
    const { mail, backups } = await read(await startPlace({ dialect: suite.dialect, config }));
    expect(mail).toMatchObject({ serverConfigured: true });
    expect(mail?.problem).toContain('the server is not reachable');
    expect(backups).toMatchObject({ targetConfigured: true, problem: '', late: false });
    const { newestTime } = backups ?? {};
    expect(newestTime && timestampMs(newestTime)).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
  });
});
