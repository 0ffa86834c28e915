// The form of links in answers, with facts about their documents.
import type { Database, Executor, LinkRow } from '../../storage/schema.ts';
import { linkMessage } from './options.ts';
import { findLinkedDocuments } from './store.ts';

export type LinkMessages = ReturnType<typeof createLinkMessages>;

/** `publicUrl` is the service's own origin. */
export function createLinkMessages(db: Database, publicUrl: string) {
  async function all(rows: readonly LinkRow[], trx: Executor = db) {
    const documents = await findLinkedDocuments(trx, rows);
    return rows.map((row) => linkMessage(row, documents.get(row.document_id), publicUrl));
  }
  return {
    all,
    async answer(row: LinkRow, trx: Executor = db) {
      const [link] = await all([row], trx);
      return link === undefined ? {} : { link };
    },
  };
}
