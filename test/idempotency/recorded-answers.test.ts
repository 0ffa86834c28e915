import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createRecordedAnswers } from '../../src/api/idempotency/recorded-answers.ts';
import { createMasterKey } from '../../src/base/crypto/master-key.ts';
import { transact } from '../../src/storage/database.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';

const request = { identity: 'CreateClient {}', scopes: ['clients:write'] };
const answer = Buffer.from('the answer');

describeDialects('recorded answers', (dialect) => {
  it('are limited for each caller, and the oldest ones are replaced', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const masterKey = createMasterKey(randomBytes(32));
    let time = 1_000_000_000_000;
    const now = () => time++;
    const answers = createRecordedAnswers({ db, masterKey, now, answersMax: 3 });
    const record = (caller: string, key: string) =>
      transact(db, (trx) => answers.record(trx, { caller, key }, request, answer));

    await record('service:other', 'k0');
    for (let i = 0; i < 6; i++) await record('service:one', `k${i}`);

    const kept = await Promise.all(
      Array.from({ length: 6 }, (_, i) => answers.has({ caller: 'service:one', key: `k${i}` })),
    );
    expect(kept).toEqual([false, false, false, true, true, true]);
    expect(await answers.has({ caller: 'service:other', key: 'k0' })).toBe(true);
  });

  it('can be read while the former master key is still given', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const [former, current] = [randomBytes(32), randomBytes(32)];
    const open = (own: Uint8Array, others: Uint8Array[] = []) =>
      createRecordedAnswers({ db, masterKey: createMasterKey(own, others), now: Date.now });
    const call = { caller: 'service:one', key: 'k' };
    await transact(db, (trx) => open(former).record(trx, call, request, answer));

    expect(await open(current, [former]).find(call, request)).toEqual(answer);
    await expect(open(current).find(call, request)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('cannot be read with another key, by another caller or for another request', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const masterKey = createMasterKey(randomBytes(32));
    const answers = createRecordedAnswers({ db, masterKey, now: Date.now });
    const call = { caller: 'service:one', key: 'k' };
    await transact(db, (trx) => answers.record(trx, call, request, answer));

    expect(await answers.find({ ...call, key: 'K' }, request)).toBeUndefined();
    expect(await answers.find({ ...call, caller: 'service:two' }, request)).toBeUndefined();
    await expect(answers.find(call, { ...request, identity: 'other' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });
});
