// Announces changes to processes of release 0.1, which still run during a rolling upgrade. They
// read the counters in the table `revisions`, and the revocations by their `revision`. Nothing else
// reads either. A migration cannot replace this file: a trigger would let all transactions wait for
// one counter, and without it, nodes of 0.1 would accept revoked tokens until the upgrade is
// complete. Delete this file in the release after next.

import type { Invalidations } from '../cache/invalidation.ts';
import { transact } from '../database.ts';
import type { Changes, Entity } from '../schema/change.ts';
import type { Database, Executor, RevisionRow } from '../schema/schema.ts';

type Topic = RevisionRow['name'];

/** Release 0.1 caches neither documents nor links, so they have no topic. */
const topics: ReadonlyMap<Entity, Topic> = new Map([
  ['client', 'access'],
  ['customer', 'access'],
  ['credential', 'access'],
  ['user', 'access'],
  ['session', 'access'],
  ['signing_key', 'signing_keys'],
  ['revoked_token', 'revoked_tokens'],
]);

/**
 * The revision of a revocation that has not been announced. It is above 0, so that a process of
 * release 0.1 that starts later always reads the revocation. The first announcement in a database
 * assigns the same revision, so the second one announces these revocations again.
 */
export const unannouncedRevision = 1;

export type Announcement = {
  /** Announces all changes since the last call. Call it about four times a second. */
  announce(): Promise<void>;
  /** Also announces changes that this process has not yet read. */
  announceAll(): Promise<void>;
};

export function createAnnouncement(
  db: Database,
  invalidations: Pick<Invalidations, 'onEviction'>,
): Announcement {
  // Everything, because this process does not know what the previous one has announced.
  let pending = new Set(topics.values());
  invalidations.onEviction(({ isComplete, list }: Changes) => {
    for (const { entity } of list) {
      const topic = topics.get(entity);
      if (topic !== undefined) pending.add(topic);
    }
    if (!isComplete) pending = new Set(topics.values());
  });

  async function announce(): Promise<void> {
    if (pending.size === 0) return;
    const announced = pending;
    pending = new Set();
    try {
      await transact(db, async (trx) => {
        // Sorted, so that two processes cannot wait for each other.
        for (const topic of [...announced].sort()) await increment(trx, topic);
      });
    } catch (error) {
      for (const topic of announced) pending.add(topic);
      throw error;
    }
  }
  return {
    announce,
    announceAll() {
      pending = new Set(topics.values());
      return announce();
    },
  };
}

async function increment(trx: Executor, topic: Topic): Promise<void> {
  const { value } = await trx
    .updateTable('revisions')
    .set((eb) => ({ value: eb('value', '+', 1) }))
    .where('name', '=', topic)
    .returning('value')
    .executeTakeFirstOrThrow();
  if (topic !== 'revoked_tokens') return;
  // The locked counter makes other announcements wait, so revisions are committed in their order.
  await trx
    .updateTable('revoked_tokens')
    .set({ revision: value })
    .where('revision', '=', unannouncedRevision)
    .execute();
}
