// The loaded signing keys of a process after a change in the database.
import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createMasterKey } from '../../src/base/crypto/master-key.ts';
import { type Ed25519, loadEd25519, nodeEd25519 } from '../../src/identity/keys/ed25519.ts';
import { openKeyring } from '../../src/identity/keys/keyring.ts';
import type { SealableKey } from '../../src/identity/keys/signature-thread.ts';
import { generateSigningKey } from '../../src/identity/keys/signing-key.ts';
import { insertNewKey } from '../../src/identity/keys/state-changes.ts';
import { updateSigningKey } from '../../src/identity/keys/store.ts';
import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import { transact } from '../../src/storage/database.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const masterKey = createMasterKey(randomBytes(32), []);

describeDialects('the signing keys of a process', (dialect) => {
  async function open(ed25519: Ed25519 = nodeEd25519) {
    const url = await migratedDatabaseUrl(dialect);
    const other = await openUntilFinished(url);
    const key = await generateSigningKey(masterKey);
    const { kid } = await transact(other, (trx) => insertNewKey(trx, key, 'active', 1));
    const db = await openUntilFinished(url);
    let work = async () => {};
    const slow = db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        await work();
        return result;
      },
    });
    const invalidations = await watchInvalidations(db);
    onTestFinished(() => invalidations.stop());
    const heard: string[] = [];
    invalidations.onEviction(({ list }) => heard.push(...list.map(({ entityId }) => entityId)));
    const keys = { db: slow, masterKey, ed25519, invalidations };
    const keyring = await openKeyring({ ...keys, tokenSecondsMax: 300, now: Date.now });
    const header = (await keyring.active())?.header ?? '';
    const revoke = () =>
      transact(other, (trx) => updateSigningKey(trx, kid, { state: 'revoked', revoke_time: 2 }));
    return { db, keyring, header, kid, heard, revoke, setWork: (one: typeof work) => (work = one) };
  }

  it('are not used after a change until they are loaded again', async () => {
    const { db, keyring, header, kid, heard, revoke, setWork } = await open();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    onTestFinished(() => release());
    setWork(() => released);
    await revoke();
    await expectWithinOneSecond(db, () => heard, [kid]);

    const found = keyring.byHeader(header);
    release();

    expect(await found).toBeUndefined();
    expect(await keyring.active()).toBeUndefined();
  });

  it('are unavailable after a change while they cannot be loaded', async () => {
    const { db, keyring, header, kid, heard, revoke, setWork } = await open();
    setWork(() => Promise.reject(new Error('not readable')));
    await revoke();
    await expectWithinOneSecond(db, () => heard, [kid]);

    await expect(keyring.byHeader(header)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await keyring.published()).toHaveLength(1);

    setWork(async () => {});
    expect(await keyring.byHeader(header)).toBeUndefined();
    expect(await keyring.published()).toEqual([]);
  });

  it('are erased from the signature thread when they are revoked', async () => {
    let threadKey: SealableKey | undefined;
    const ed25519 = await loadEd25519({
      setKey(key) {
        threadKey = key;
      },
      forgetKey(key) {
        if (key === threadKey) threadKey = undefined;
      },
      sign: () => undefined,
      verify: () => undefined,
      close: async () => {},
    });
    const { db, revoke } = await open(ed25519);
    expect(threadKey).toBeDefined();
    await revoke();
    await expectWithinOneSecond(db, () => threadKey, undefined);
  });
});
