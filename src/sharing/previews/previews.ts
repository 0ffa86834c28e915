// The previews of Office files, as the API and the links show them. The rows are not cached, so
// that a preview is shown as soon as it is ready.

import { fail } from '../../base/errors/errors.ts';
import { officeExtensionOf, pdfNameOf } from '../../base/http/pdf-types.ts';
import type { Database, DocumentRow, Executor, PreviewRow } from '../../storage/schema/schema.ts';
import { hasConverter } from '../queries/converters.ts';
import { conversionErrorText } from './converter/conversion-errors.ts';
import { findPreview, findPreviews, type VersionKey } from './store.ts';

export type PreviewState = {
  readonly state: 'none' | PreviewRow['state'];
  /** A sentence; empty unless the state is `failed`. */
  readonly error: string;
};

export type TypedVersion = VersionKey & Pick<DocumentRow, 'content_type'>;

/** Returns the state of one of the versions that were read. */
export type FindState = (version: VersionKey) => PreviewState;

export type ShownDocument = {
  readonly state: PreviewState['state'];
  /** Has the bytes of the preview if the preview is ready, else the original. */
  readonly document: DocumentRow;
};

export type Previews = {
  /** Reads the states of at most 200 versions. */
  statesOf(db: Executor, versions: readonly TypedVersion[]): Promise<FindState>;
  show(document: DocumentRow): Promise<ShownDocument>;
  /** Returns the preview as a file. Throws `not_found` unless it is ready. */
  requireReady(document: DocumentRow): Promise<DocumentRow>;
};

const none: PreviewState = { state: 'none', error: '' };

export function createPreviews(db: Database): Previews {
  const previews: Previews = {
    async statesOf(executor, versions) {
      const office = versions.filter(({ content_type }) => isOfficeType(content_type));
      if (office.length === 0) return () => none;
      const rows = await findPreviews(executor, office);
      const describe = await createDescription(executor, rows);
      return ({ document_id, version }) =>
        describe(rows.find((row) => row.document_id === document_id && row.version === version));
    },

    async show(document) {
      if (!isOfficeType(document.content_type)) return { state: 'none', document };
      const row = await findPreview(db, document.id, document.version);
      const { state } = (await createDescription(db, row === undefined ? [] : [row]))(row);
      if (state !== 'ready' || !row?.blob_id) return { state, document };
      const { blob_id, size_bytes, sha256 } = row;
      const content = { content_type: 'application/pdf', blob_id, size_bytes, sha256 };
      return { state, document: { ...document, ...content } };
    },

    async requireReady(document) {
      const shown = await previews.show(document);
      if (shown.state !== 'ready') throw fail('not_found', 'The version has no preview.');
      return { ...shown.document, name: pdfNameOf(document.name) };
    },
  };
  return previews;
}

const isOfficeType = (contentType: string) => officeExtensionOf(contentType) !== undefined;

/** If no process converts, a queued version is an ordinary file. */
async function createDescription(executor: Executor, rows: readonly PreviewRow[]) {
  const isQueued = rows.some(({ state }) => state === 'pending');
  const isConverting = isQueued && (await hasConverter(executor));
  return (row: PreviewRow | undefined): PreviewState => {
    if (row === undefined || (row.state === 'pending' && !isConverting)) return none;
    return { state: row.state, error: conversionErrorText(row.error) };
  };
}
