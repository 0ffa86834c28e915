// Re-encryption under another master key is all or nothing.
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { decodeProtectedHeader } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { type Config, readConfig } from '../../src/base/config/config.ts';
import { createMasterKey } from '../../src/base/crypto/master-key.ts';
import { makeNextMasterKeyFile, readMasterKeyFile } from '../../src/base/crypto/master-key-file.ts';
import { rotateMasterKey } from '../../src/cli/rotate-master-key.ts';
import { reseal, sealedSigningKeys } from '../../src/identity/keys/sealed-values.ts';
import { transact } from '../../src/storage/database.ts';
import { freshDatabaseUrl } from '../support/databases.ts';
import { startTestApp } from '../support/harness.ts';
import { addSealed, fileKey, masterKeyIds, withDatabase } from '../support/master-keys.ts';
import { describeFeature } from '../support/matrix.ts';
import { signToken } from '../support/signed-tokens.ts';

const oldKey = Buffer.alloc(32, 1);
const newKey = Buffer.alloc(32, 2);
const strangeKey = Buffer.alloc(32, 3);
const idOf = (bytes: Uint8Array) => createMasterKey(bytes).id;

it('a value whose tag was cut to 4 bytes is not opened', () => {
  const masterKey = createMasterKey(oldKey);
  const sealed = Buffer.from(masterKey.seal(Buffer.alloc(0), 'a purpose'), 'base64url');
  const cut = sealed.subarray(0, 12 + 4).toString('base64url');
  expect(() => masterKey.open(cut, 'a purpose')).toThrow();
});

type Keys = Pick<Partial<Config>, 'masterKey' | 'previousMasterKey'>;

describeFeature('a rotation of the master key', (dialect) => {
  /** The data folder and database of a used server. */
  async function used(keys: Keys = {}) {
    const first = await startTestApp({ dialect, config: keys });
    onTestFinished(() => first.remove());
    const { dataDir, databaseUrl } = first;
    await first.stop();
    return {
      dataDir,
      databaseUrl,
      add: (bytes: Uint8Array, count: number) => addSealed(databaseUrl, bytes, count),
      masterKeyIds: () => masterKeyIds(databaseUrl),
      /** Starts a server and returns the `kid` of the key with which it signs. */
      async serve(others: Keys = {}) {
        const test = await startTestApp({ dataDir, config: { ...others, databaseUrl } });
        const token = await signToken(test.app, { type: 'service', scope: 'accounts:read' });
        await test.stop();
        return decodeProtectedHeader(token).kid;
      },
      rotate(others: Partial<Config> = {}) {
        const config = { ...readConfig({ LATCHKEY_DATA_DIR: dataDir }), databaseUrl, ...others };
        return rotateMasterKey({ config, random: randomBytes, now: Date.now });
      },
    };
  }

  it('re-encrypts all values once', async () => {
    const place = await used({ masterKey: oldKey });
    await place.add(oldKey, 2);
    const both = { masterKey: newKey, previousMasterKey: oldKey };
    const kid = await place.serve(both);

    const masterKeyId = idOf(newKey);
    expect(await place.rotate(both)).toEqual({ masterKeyId, changed: 4, unchanged: 0 });
    const done = { masterKeyId, changed: 0, unchanged: 4 };
    expect(await place.rotate(both)).toEqual(done);
    expect(await place.rotate({ masterKey: newKey })).toEqual(done);

    expect(await place.masterKeyIds()).toEqual(Array(4).fill(masterKeyId));
    expect(await readdir(place.dataDir)).not.toContain('master.key');
    expect(await place.serve({ masterKey: newKey })).toBe(kid);
    await expect(place.serve({ masterKey: oldKey })).rejects.toThrow('another master key');
  });

  it('records an event that names the new key', async () => {
    const place = await used({ masterKey: oldKey });
    await place.rotate({ masterKey: newKey, previousMasterKey: oldKey });
    const events = await withDatabase(place.databaseUrl, (db) =>
      db.selectFrom('audit_events').selectAll().where('action', '=', 'MasterKey.Rotate').execute(),
    );
    expect(events).toMatchObject([{ actor_type: 'system', target: idOf(newKey), code: 'ok' }]);
  });

  it('may lead from the settings to the data folder, and back', async () => {
    const place = await used({ masterKey: oldKey });
    await place.rotate({ previousMasterKey: oldKey });
    expect(await place.masterKeyIds()).toEqual([(await fileKey(place.dataDir)).id]);
    await place.serve();

    const file = await readMasterKeyFile(place.dataDir);
    await place.rotate({ masterKey: newKey, previousMasterKey: file });
    expect(await place.masterKeyIds()).toEqual([idOf(newKey)]);
    await place.serve({ masterKey: newKey });
  });

  it('fails and changes nothing if a value cannot be decrypted', async () => {
    const place = await used({ masterKey: oldKey });
    await place.add(strangeKey, 1);
    const before = await place.masterKeyIds();

    await expect(place.rotate({ masterKey: newKey, previousMasterKey: oldKey })).rejects.toThrow(
      `was encrypted under the master key ${idOf(strangeKey)}, which is not given`,
    );

    expect(await place.masterKeyIds()).toEqual(before);
    await place.serve({ masterKey: oldKey });
  });

  it('fails if nothing was ever encrypted', async () => {
    const place = await used();
    const databaseUrl = await freshDatabaseUrl(dialect);
    const reason = dialect === 'sqlite' ? 'does not exist' : 'the database is empty';
    await expect(place.rotate({ databaseUrl })).rejects.toThrow(reason);
    expect(await readdir(place.dataDir)).not.toContain('master.key.next');
  });

  it('is rolled back if it fails half-way', async () => {
    const place = await used({ masterKey: oldKey });
    await place.add(oldKey, 3);
    const masterKey = createMasterKey(newKey, [oldKey]);
    let written = 0;
    const failing: typeof sealedSigningKeys = {
      ...sealedSigningKeys,
      async write(db, value) {
        if (++written === 3) throw new Error('the disk is full');
        await sealedSigningKeys.write(db, value);
      },
    };

    await withDatabase(place.databaseUrl, async (db) => {
      const work = transact(db, (trx) => reseal(trx, [failing], masterKey));
      await expect(work).rejects.toThrow('the disk is full');
    });

    expect(await place.masterKeyIds()).toEqual(Array(5).fill(idOf(oldKey)));
  });

  it('that was cut off before the file was replaced is served, and ended by the next', async () => {
    const place = await used();
    const own = await readMasterKeyFile(place.dataDir);
    const next = await makeNextMasterKeyFile(place.dataDir);
    const masterKey = createMasterKey(next, [own]);
    await withDatabase(place.databaseUrl, (db) =>
      transact(db, (trx) => reseal(trx, [sealedSigningKeys], masterKey)),
    );
    const kid = await place.serve();

    const result = await place.rotate();

    expect(result).toEqual({ masterKeyId: masterKey.id, changed: 0, unchanged: 1 });
    expect((await fileKey(place.dataDir)).id).toBe(masterKey.id);
    expect(await place.serve()).toBe(kid);
  });
});
