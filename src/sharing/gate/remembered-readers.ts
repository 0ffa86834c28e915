// Browsers that remember a verified address for the links of one workspace, if the reader agrees.
// The cookie is random. Its row also depends on the workspace and the host name, so that the cookie
// means nothing to another workspace or under another domain. Erasing the reader deletes the row.
import type { LinkDomain } from '../../api/routes/route.ts';
import type { Clock } from '../../base/clock.ts';
import { digestOf } from '../../base/crypto/credential-format.ts';
import { encodeBase62, type Random } from '../../base/crypto/ids.ts';
import { transact } from '../../storage/database.ts';
import type { Database, LinkRow } from '../../storage/schema/schema.ts';
import { deleteRememberedReader, findRememberedReader, insertRememberedReader } from './store.ts';

export const rememberedDays = 30;
export const rememberedSeconds = rememberedDays * 24 * 60 * 60;

/** Where a browser has a cookie: at a link of a workspace, under one host name. */
export type RememberingPlace = {
  readonly link: Pick<LinkRow, 'workspace_id'>;
  readonly domain: LinkDomain | undefined;
};

export type RememberedReaders = {
  /** Returns the value of the cookie. */
  add(place: RememberingPlace, email: string): Promise<string>;
  find(place: RememberingPlace, cookie: string | undefined): Promise<string | undefined>;
  forget(place: RememberingPlace, cookie: string | undefined): Promise<void>;
};

export type RememberedReadersOptions = {
  readonly db: Database;
  readonly random: Random;
  readonly now: Clock;
};

export function createRememberedReaders(options: RememberedReadersOptions): RememberedReaders {
  const { db, random, now } = options;
  const rowKeyOf = ({ link, domain }: RememberingPlace, cookie: string) =>
    digestOf(JSON.stringify([cookie, link.workspace_id, domain?.origin ?? '']));
  return {
    async add(place, email) {
      const cookie = encodeBase62(random(32), 43);
      const row = {
        digest: rowKeyOf(place, cookie),
        workspace_id: place.link.workspace_id,
        email,
        expire_time: now() + rememberedSeconds * 1_000,
      };
      await transact(db, (trx) => insertRememberedReader(trx, row));
      return cookie;
    },

    async find(place, cookie) {
      if (cookie === undefined) return undefined;
      const row = await findRememberedReader(db, rowKeyOf(place, cookie));
      return row !== undefined && now() < row.expire_time ? row.email : undefined;
    },

    async forget(place, cookie) {
      if (cookie === undefined) return;
      await transact(db, (trx) => deleteRememberedReader(trx, rowKeyOf(place, cookie)));
    },
  };
}
