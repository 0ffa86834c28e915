// The form of links in answers, with facts about their documents and folders.
import type { Database, Executor, LinkRow } from '../../storage/schema/schema.ts';
import type { Agreements } from '../agreements/agreements.ts';
import type { Domains } from '../domains/domains.ts';
import { linkMessage } from './options.ts';
import { findLinkTargets } from './store.ts';

export type LinkMessages = ReturnType<typeof createLinkMessages>;

type Options = {
  readonly db: Database;
  readonly agreements: Pick<Agreements, 'textOf'>;
  readonly urlOf: Domains['urlOf'];
};

export function createLinkMessages({ db, agreements: { textOf }, urlOf }: Options) {
  async function all(rows: readonly LinkRow[], trx: Executor = db) {
    const targets = await findLinkTargets(trx, rows);
    return rows.map((row) => linkMessage(row, targets.get(row.id), urlOf(row)));
  }
  return {
    all,
    /** Only an answer with a single link has the text of its agreement. */
    async answer(row: LinkRow, trx: Executor = db) {
      const [link] = await all([row], trx);
      return link === undefined ? {} : { link: { ...link, agreement: await textOf(row, trx) } };
    },
  };
}
