// Agreements that readers accept before they get any byte of a document, and their receipts: claims
// that are signed once, when the reader accepts, so that every copy of a receipt is the same.

import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { AgreementReceiptSchema } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import type { Clock } from '../../base/clock.ts';
import { newId, type Random } from '../../base/crypto/ids.ts';
import { fail } from '../../base/errors/errors.ts';
import type { MailPart } from '../../base/mail/mail-body.ts';
import { mailLine, mailName, shortName } from '../../base/net/mail-name.ts';
import { transact } from '../../storage/database.ts';
import type { AgreementRow, AgreementTextRow } from '../../storage/schema/gate-rows.ts';
import type { Database, Executor, LinkRow } from '../../storage/schema/schema.ts';
import type { Brands } from '../brand/brand.ts';
import { findDocument, findVersion } from '../queries/document-versions.ts';
import { findFolder } from '../queries/folder-tree.ts';
import type { ComposeMail, ReaderMails } from '../reader-mails/reader-mails.ts';
import {
  findAgreement,
  findAgreementById,
  findText,
  insertAgreement,
  insertText,
} from './store.ts';

export type Accepted = { readonly id: string; readonly sha256: string };

export type Agreements = {
  storeText(trx: Executor, agreement: AgreementTextRow): Promise<void>;
  /** Returns the text of a link's agreement; empty if it has none. */
  textOf(link: LinkRow, executor?: Executor): Promise<string>;
  find(link: LinkRow, email: string): Promise<Accepted | undefined>;
  /** Records that a reader with a verified address accepts the text, and mails the receipt. */
  accept(link: LinkRow, email: string): Promise<Accepted>;
  /** Returns an agreement in the form of the API. Throws `not_found`. */
  receiptOf(
    workspaceId: string,
    id: string,
  ): Promise<MessageInitShape<typeof AgreementReceiptSchema>>;
};

export type AgreementOptions = {
  readonly db: Database;
  readonly mails: Pick<ReaderMails, 'add'>;
  readonly signReceipt: (claims: object) => Promise<string>;
  readonly publicUrl: string;
  readonly random: Random;
  readonly now: Clock;
};

export function createAgreements(options: AgreementOptions): Agreements {
  const { db, mails, signReceipt, publicUrl, random, now } = options;

  const find = ({ id, agreement_sha256 }: LinkRow, email: string) =>
    findAgreement(db, id, email, agreement_sha256);

  /**
   * The claims about the version of the document, or the folder, that the link shows. The reader
   * gets them by mail, so that a link that hides the name hides it here, too.
   */
  async function sharedClaims(link: LinkRow): Promise<object> {
    const { workspace_id, document_id, folder_id, pinned_version, show_title } = link;
    if (document_id !== null) {
      const document = await findDocument(db, workspace_id, document_id);
      const shown =
        pinned_version === null ? document : await findVersion(db, document_id, pinned_version);
      if (document === undefined || shown === undefined) throw noSuchLink();
      return {
        ...(show_title === 1 ? { document_id, document_name: document.name } : { document_id }),
        ...{ document_sha256: shown.sha256, document_version: shown.version },
      };
    }
    const folder = await findFolder(db, workspace_id, folder_id ?? '');
    if (folder === undefined) throw noSuchLink();
    return show_title === 1 ? { folder_id, folder_name: folder.name } : { folder_id };
  }

  return {
    async storeText(trx, { sha256, text }) {
      if (sha256 !== '') await insertText(trx, sha256, text);
    },

    async textOf({ agreement_sha256 }, executor = db) {
      if (agreement_sha256 === '') return '';
      const text = await findText(executor, agreement_sha256);
      if (text === undefined) throw new Error(`the agreement ${agreement_sha256} has no text`);
      return text;
    },

    find,

    async accept(link, email) {
      const shared = await sharedClaims(link);
      const accept_time = now();
      const id = newId('agr', random);
      const receipt = await signReceipt({
        iss: publicUrl,
        jti: id,
        iat: Math.floor(accept_time / 1000),
        sub: email,
        email_verified: true,
        accept_time: new Date(accept_time).toISOString(),
        agreement_sha256: link.agreement_sha256,
        workspace_id: link.workspace_id,
        link_id: link.id,
        ...shared,
      });
      const row: AgreementRow = {
        ...{ id, email, accept_time, receipt },
        ...{ workspace_id: link.workspace_id, link_id: link.id },
        ...{ document_id: link.document_id ?? '', folder_id: link.folder_id ?? '' },
        sha256: link.agreement_sha256,
      };
      const isNew = await transact(db, async (trx) => {
        if (!(await insertAgreement(trx, row))) return false;
        await mails.add(trx, [{ targetId: id }]);
        return true;
      });
      return isNew ? row : ((await find(link, email)) ?? row);
    },

    async receiptOf(workspaceId, id) {
      const row = await findAgreementById(db, id);
      if (row?.workspace_id !== workspaceId) {
        throw fail('not_found', 'The workspace has no such agreement.');
      }
      return {
        id,
        linkId: row.link_id,
        documentId: row.document_id,
        folderId: row.folder_id,
        email: row.email,
        agreement: (await findText(db, row.sha256)) ?? '',
        agreementSha256: row.sha256,
        acceptTime: timestampFromMs(row.accept_time),
        receipt: row.receipt,
      };
    },
  };
}

const noSuchLink = () => fail('not_found', 'The link does not exist.');

type ComposerOptions = {
  readonly db: Database;
  readonly brands: Brands;
  readonly publicUrl: string;
};

export function receiptMailComposer({ db, brands, publicUrl }: ComposerOptions): ComposeMail {
  return async (id) => {
    const row = await findAgreementById(db, id);
    if (row === undefined) return undefined;
    const brand = await brands.of(row.workspace_id);
    const text = (await findText(db, row.sha256)) ?? '';
    const subject = `Your agreement with ${shortName(brand.workspaceName)}`;
    const parts: MailPart[] = [
      {
        text:
          `You accepted an agreement with ${mailName(brand.workspaceName)} before you opened a ` +
          'shared document. This is your receipt.',
      },
      {
        lines: [
          `Your address: ${row.email}`,
          `Time: ${new Date(row.accept_time).toISOString()}`,
          `SHA-256 of the text: ${row.sha256}`,
        ],
      },
      { text: 'The signed receipt, which anyone can verify (JWS, RFC 7515):' },
      { text: row.receipt },
      { text: `Its keys: ${publicUrl}/.well-known/receipts.json` },
      {
        text:
          'The text of the agreement follows with spaces in web addresses. The sender has the ' +
          'exact text, to which the SHA-256 belongs:',
      },
      // A mail program must not make links of the words of the sender.
      {
        quote: text
          .trim()
          .split(/\r\n|\r|\n/)
          .map(mailLine),
      },
    ];
    return { to: row.email, subject, ...brands.renderMail(brand, parts) };
  };
}
