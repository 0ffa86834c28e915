// An erasure of a reader ends the reader's access sessions in the workspace. They have no rows, so
// the erasure is a row of `revoked_tokens` until the last of them would have expired. Its id is a
// keyed digest: the row does not contain the address.
import { createHmac } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { createRevocationSafeCache } from '../../storage/cache/revocation-safe-cache.ts';
import { foldValue } from '../../storage/queries/folded-text.ts';
import { entityKey } from '../../storage/schema/change.ts';
import type { Database, Executor, VisitorRow } from '../../storage/schema/schema.ts';
import { unannouncedRevision } from '../../storage/upkeep/release-0-1.ts';
import { type AccessSession, accessSecondsMax } from './cookies.ts';
import { findErasure, putErasure } from './store.ts';

export type ErasedReaders = {
  /** Returns the session unless its reader was erased after its start. */
  checkSession<T extends Pick<AccessSession, 'email' | 'startMs'>>(
    workspaceId: string,
    session: T | undefined,
  ): Promise<T | undefined>;
  endSessions(trx: Executor, reader: Pick<VisitorRow, 'workspace_id' | 'email'>): Promise<void>;
};

export type ErasedReadersOptions = {
  readonly db: Database;
  readonly invalidations: Pick<Invalidations, 'onEviction' | 'ensureFresh'>;
  readonly masterKey: Pick<MasterKey, 'derive'>;
  readonly now: Clock;
};

const cachedMax = 10_000;
const accessMsMax = accessSecondsMax * 1_000;

export function createErasedReaders(options: ErasedReadersOptions): ErasedReaders {
  const { db, invalidations, masterKey, now } = options;
  const keys = masterKey.derive('erased readers');
  const cache = createRevocationSafeCache<number>({
    invalidations,
    dependsOn: (_time, id) => [entityKey('revoked_token', id)],
    entriesMax: cachedMax,
  });
  const idOf = (key: Uint8Array, workspaceId: string, email: string) =>
    createHmac('sha256', key)
      .update(`${workspaceId} ${foldValue(email)}`)
      .digest('hex');

  /** Milliseconds since 1970; 0 without an erasure. */
  async function readTime(id: string): Promise<number> {
    const row = await findErasure(db, id);
    return row === undefined ? 0 : row.expire_time - accessMsMax;
  }

  return {
    async checkSession(workspaceId, session) {
      if (session === undefined || session.email === '') return session;
      for (const key of keys) {
        const id = idOf(key, workspaceId, session.email);
        if (session.startMs <= (await cache.get(id, () => readTime(id)))) return undefined;
      }
      return session;
    },
    async endSessions(trx, { workspace_id, email }) {
      const jti = idOf(keys[0], workspace_id, email);
      const expire_time = now() + accessMsMax;
      await putErasure(trx, { jti, expire_time, revision: unannouncedRevision });
    },
  };
}
