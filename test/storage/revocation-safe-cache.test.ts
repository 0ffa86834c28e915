// The only cache for values that a change can revoke.
import { expect, it, onTestFinished } from 'vitest';
import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import {
  type CacheOptions,
  createRevocationSafeCache,
} from '../../src/storage/cache/revocation-safe-cache.ts';
import { type Changes, entityKey, noChanges } from '../../src/storage/schema/change.ts';
import { changeEntity } from '../support/changes.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const change = { id: 1, entity: 'revoked_token', expireTime: null } as const;
const many = Array.from({ length: 10_001 }, (_, i) => ({ ...change, entityId: `x${i}` }));

describeDialects('a revocation-safe cache', (dialect) => {
  async function open(bounds: Partial<CacheOptions<string | undefined>> = { entriesMax: 10 }) {
    const url = await migratedDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    let monotonic = 1_000_000;
    const watched = await watchInvalidations(db, { monotonicNow: () => monotonic });
    const evictions: ((changes: Changes) => void)[] = [];
    const invalidations = {
      ...watched,
      onEviction(listener: (changes: Changes) => void) {
        evictions.push(listener);
        watched.onEviction(listener);
      },
    };
    const evict = (changes: Changes) => {
      for (const listener of evictions) listener(changes);
    };
    onTestFinished(() => invalidations.stop());
    const cache = createRevocationSafeCache<string | undefined>({
      invalidations,
      dependsOn: (_, key) => [entityKey('revoked_token', key), entityKey('user', 'all')],
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
      evict,
      get,
      reads,
      passTime(ms: number) {
        monotonic += ms;
      },
      loseDatabase: () => db.destroy(),
      changeHere: (id: string) => changeEntity(db, id),
      async changeElsewhere(id: string) {
        await changeEntity(await openUntilFinished(url), id);
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
    const { get, reads, changeHere } = await open();
    await get('a');

    await changeHere('a');

    await get('a');
    expect(reads).toEqual(['a', 'a']);
  });

  it('keeps the values that do not depend on a changed entity', async () => {
    const { cache, get, reads, changeHere, changeElsewhere } = await open();
    await get('a');
    await get('b');

    await changeHere('a');
    await changeHere('c');
    expect(await cache.find('a')).toBeUndefined();
    await get('a');
    await changeElsewhere('b');

    await expect.poll(() => cache.find('b')).toBeUndefined();
    expect(await cache.find('a')).toBe('value of a');
    expect(reads).toEqual(['a', 'b', 'a']);
  });

  it('drops every value of an entity that several depend on', async () => {
    const { cache, get, evict } = await open();
    for (const key of ['a', 'b', 'c']) await get(key);
    cache.delete('c');

    evict({ ...noChanges, list: [{ ...change, entity: 'user', entityId: 'all' }] });

    for (const key of ['a', 'b', 'c']) expect(await cache.find(key)).toBeUndefined();
  });

  it('drops every value if changes may be missing', async () => {
    const { cache, get, evict } = await open();
    await get('a');

    evict({ ...noChanges, isComplete: false });

    expect(await cache.find('a')).toBeUndefined();
  });

  it('drops a value within a second after a change by another process', async () => {
    const { cache, db, get, changeElsewhere } = await open();
    await get('a');

    await changeElsewhere('a');

    await expectWithinOneSecond(db, () => cache.find('a'), undefined);
  });

  itHoldsFor([
    ['its entity', [{ ...change, entityId: 'a' }], true, undefined],
    ['another entity', [{ ...change, entityId: 'b' }], true, 'old'],
    ['more entities than it remembers', many, true, undefined],
    ['unknown entities', [], false, undefined],
  ])(
    'decides whether to cache a value that was read before a change and arrived after it',
    async (...[, list, isComplete, expected]) => {
      const { cache, evict } = await open();
      let release = () => {};
      const early = cache.get('a', async () => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return 'old';
      });
      await expect.poll(() => release.name).not.toBe('release');
      evict({ ...noChanges, isComplete, list });
      release();
      expect(await early).toBe('old');

      expect(await cache.find('a')).toBe(expected);
    },
  );

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

  itHoldsFor([
    ['entries', { entriesMax: 2 }],
    ['total size', { sizeMax: 20, sizeOf: (value: string | undefined) => value?.length ?? 1 }],
  ])('evicts the least recently used value when it exceeds a maximum', async (_, bounds) => {
    const { get, reads } = await open(bounds);

    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);

    expect(reads).toEqual(['a', 'b', 'c', 'b']);
  });
});
