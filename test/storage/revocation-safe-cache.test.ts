// The only cache for values that a change can revoke.
import { expect, it, onTestFinished } from 'vitest';
import { incrementRevision, transact } from '../../src/storage/database.ts';
import { watchInvalidations } from '../../src/storage/invalidation.ts';
import {
  type CacheOptions,
  createRevocationSafeCache,
} from '../../src/storage/revocation-safe-cache.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/harness.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

describeDialects('a revocation-safe cache', (dialect) => {
  async function open(bounds: Partial<CacheOptions<string | undefined>> = { entriesMax: 10 }) {
    const url = await migratedDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    let monotonic = 1_000_000;
    const invalidations = await watchInvalidations(db, () => monotonic);
    onTestFinished(() => invalidations.stop());
    const cache = createRevocationSafeCache<string | undefined>({
      invalidations,
      topic: 'access',
      ...bounds,
    });
    const reads: string[] = [];
    const get = (key: string) =>
      cache.get(key, async () => {
        reads.push(key);
        return key === 'none' ? undefined : `value of ${key}`;
      });
    return {
      db,
      cache,
      invalidations,
      get,
      reads,
      passTime(ms: number) {
        monotonic += ms;
      },
      loseDatabase: () => db.destroy(),
      async changeElsewhere() {
        const other = await openUntilFinished(url);
        await transact(other, (trx) => incrementRevision(trx, 'access'));
      },
    };
  }

  it('reads a value once', async () => {
    const { cache, get, reads } = await open();

    for (let i = 0; i < 3; i++) expect(await get('a')).toBe('value of a');

    expect(await cache.find('a')).toBe('value of a');
    expect(await cache.find('b')).toBeUndefined();
    expect(reads).toEqual(['a']);
  });

  it('also caches that there is no value', async () => {
    const { get, reads } = await open();

    for (let i = 0; i < 3; i++) expect(await get('none')).toBeUndefined();

    expect(reads).toEqual(['none']);
  });

  it('does not cache a value that `isCached` rejects', async () => {
    const { get, reads } = await open({ entriesMax: 10, isCached: (value) => value !== undefined });

    await get('none');
    await get('none');

    expect(reads).toEqual(['none', 'none']);
  });

  it('drops a value at once after a change by this process', async () => {
    const { get, reads, invalidations } = await open();
    await get('a');

    await invalidations.invalidate('access');

    await get('a');
    expect(reads).toEqual(['a', 'a']);
  });

  it('keeps its values after a change of another topic', async () => {
    const { get, reads, invalidations } = await open();
    await get('a');

    await invalidations.invalidate('signing_keys');

    await get('a');
    expect(reads).toEqual(['a']);
  });

  it('drops a value within a second after a change by another process', async () => {
    const { cache, db, get, changeElsewhere } = await open();
    await get('a');

    await changeElsewhere();

    await expectWithinOneSecond(db, () => cache.find('a'), undefined);
  });

  it('does not cache a value that was read before a change and arrived after it', async () => {
    const { cache, invalidations } = await open();
    let release = () => {};
    const early = cache.get('a', async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return 'old';
    });
    await expect.poll(() => release.name).not.toBe('release');
    await invalidations.invalidate('access');
    release();
    expect(await early).toBe('old');

    expect(await cache.find('a')).toBeUndefined();
  });

  it('returns no value after 5 seconds without the database', async () => {
    const { cache, get, passTime, loseDatabase } = await open();
    await get('a');
    await loseDatabase();

    passTime(5_000);
    expect(await cache.find('a')).toBe('value of a');
    passTime(1);

    await expect(cache.find('a')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(get('a')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it.each([
    ['entries', { entriesMax: 2 }],
    ['total size', { sizeMax: 20, sizeOf: (value: string | undefined) => value?.length ?? 1 }],
  ])(
    'evicts the least recently used value when it exceeds its maximum of %s',
    async (_, bounds) => {
      const { get, reads } = await open(bounds);

      for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);

      expect(reads).toEqual(['a', 'b', 'c', 'b']);
    },
  );
});
