// The rules for the options of a link, and their form in messages and rows.
import { createHash } from 'node:crypto';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import {
  LinkState,
  LinkWarning,
  type ListLinksRequest,
  Notify,
  type RoomEntryRule,
  type UpdateLinkRequest,
  type UpdateLinkRequestSchema,
} from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { etagOf, timeFields } from '../../api/etag.ts';
import { printableName, readExpireTime, requirePlainText } from '../../api/fields.ts';
import type { UpdateFields } from '../../api/update-mask.ts';
import { isId } from '../../base/crypto/ids.ts';
import { invalid } from '../../base/errors/errors.ts';
import { isStampable } from '../../base/http/pdf-types.ts';
import { viewerKindOf } from '../../base/http/viewer-kinds.ts';
import { entriesOf, readListEntry, storeList } from '../../base/net/address-lists.ts';
import type { LinkRow } from '../../storage/schema/schema.ts';
import { type EntryRule, readEntryRules, writeEntryRules } from '../queries/entry-rules.ts';
import type { LinkFilter } from './list/store.ts';
import type { LinkChange, LinkTarget } from './store.ts';

const notifyValues = [
  [Notify.UNSPECIFIED, ''],
  [Notify.FIRST_VIEW, 'first_view'],
  [Notify.EVERY_VIEW, 'every_view'],
  [Notify.DIGEST, 'digest'],
] as const;

const notifyOf = (wire: Notify) => notifyValues.find(([value]) => value === wire)?.[1] ?? '';

const states = {
  [LinkState.UNSPECIFIED]: undefined,
  [LinkState.ACTIVE]: 'active',
  [LinkState.EXPIRED]: 'expired',
  [LinkState.REVOKED]: 'revoked',
} as const;

type ExaminedFilter = Pick<LinkFilter, 'state' | 'reader' | 'expiring'>;

/** The filters for which a list examines each link. Throws `invalid_argument`. */
export function readLinkFilter(
  { state, reader, expireBefore }: Pick<ListLinksRequest, 'state' | 'reader' | 'expireBefore'>,
  now: number,
): ExaminedFilter {
  const is = states[state];
  const entry = reader.trim() === '' ? '' : readListEntry(reader);
  if (entry === undefined) {
    throw invalid('reader', 'must be an email address, or a domain such as @example.com');
  }
  return {
    ...(is === undefined ? {} : { state: { is, now } }),
    ...(entry === '' ? {} : { reader: entry }),
    ...(expireBefore && { expiring: { from: now, before: timestampMs(expireBefore) } }),
  };
}

/** Equal for the pages of a list, which time separates. */
export const filterKeyOf = ({ state, reader = '', expiring }: ExaminedFilter) =>
  [state?.is ?? '', reader, expiring?.before ?? ''].join(' ').trimEnd();

type ListOptions = Pick<UpdateLinkRequest, 'allowList' | 'blockList' | 'notify' | 'showTitle'>;

export function readListOptions({ allowList, blockList, notify, showTitle = true }: ListOptions) {
  return {
    allow_list: storeList('allow_list', allowList),
    block_list: storeList('block_list', blockList),
    notify: notifyOf(notify),
    show_title: showTitle ? 1 : 0,
  } as const satisfies LinkChange;
}

/** Returns the digest of an agreement's text; empty for an empty text. Throws for a bad text. */
export function readAgreement(text: string): string {
  if (text === '') return '';
  requirePlainText('agreement', text);
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the form of the column `entry_rules`. Throws `invalid_argument`, naming the field. */
export function storeEntryRules(rules: readonly RoomEntryRule[]): string {
  const known = new Set<string>();
  const stored = rules.map(({ documentId, folderId, hidden, allowDownload }, i): EntryRule => {
    const at = `entry_rules[${i}]`;
    const [field, id] = documentId === '' ? ['folder_id', folderId] : ['document_id', documentId];
    if ((documentId === '') === (folderId === '')) {
      throw invalid(at, 'must have exactly one of document_id and folder_id');
    }
    if (!isId(documentId === '' ? 'fld' : 'doc', id)) {
      throw invalid(`${at}.${field}`, 'must be the id of an entry of the workspace');
    }
    if (known.has(id)) throw invalid(`${at}.${field}`, 'must be in only one rule');
    if (!hidden && allowDownload === undefined) {
      throw invalid(at, 'must set hidden or allow_download');
    }
    known.add(id);
    return { id, hidden, allowDownload };
  });
  return writeEntryRules(stored);
}

function entryRulesMessage({ entry_rules }: LinkRow) {
  return readEntryRules(entry_rules).map(({ id, hidden, allowDownload }) => ({
    ...(id.startsWith('fld_') ? { folderId: id } : { documentId: id }),
    hidden,
    ...(allowDownload === undefined ? {} : { allowDownload }),
  }));
}

export const fieldsAt = (now: number) =>
  ({
    name: ({ name }) => ({ name: printableName(name) }),
    email_required: ({ emailRequired }) => ({ email_required: emailRequired ? 1 : 0 }),
    allow_download: ({ allowDownload }) => ({ allow_download: allowDownload ? 1 : 0 }),
    expire_time: ({ expireTime }) => ({ expire_time: readExpireTime(expireTime, now) }),
    // The password is hashed separately, off the main thread.
    password: () => ({}),
    email_verification_required: ({ emailVerificationRequired }) => ({
      email_verification_required: emailVerificationRequired ? 1 : 0,
    }),
    allow_list: ({ allowList }) => ({ allow_list: storeList('allow_list', allowList) }),
    block_list: ({ blockList }) => ({ block_list: storeList('block_list', blockList) }),
    notify: ({ notify }) => ({ notify: notifyOf(notify) }),
    show_title: ({ showTitle = true }) => ({ show_title: showTitle ? 1 : 0 }),
    pinned_version: ({ pinnedVersion }) => ({ pinned_version: pinnedVersion || null }),
    view_limit: ({ viewLimit = null }) => ({ view_limit: viewLimit }),
    agreement: ({ agreement }) => ({ agreement_sha256: readAgreement(agreement) }),
    entry_rules: ({ entryRules }) => ({ entry_rules: storeEntryRules(entryRules) }),
    watermark: ({ watermark }) => ({ watermark: watermark ? 1 : 0 }),
    program_access: ({ programAccess }) => ({ program_access: programAccess ? 1 : 0 }),
  }) satisfies UpdateFields<typeof UpdateLinkRequestSchema, LinkChange>;

/** The requirements that the lists and the agreement of a link imply. */
export function impliedBy(change: LinkChange): LinkChange {
  const { allow_list = '', block_list = '', agreement_sha256 = '' } = change;
  const isVerified = allow_list !== '' || agreement_sha256 !== '';
  return {
    ...(isVerified ? { email_verification_required: 1 } : {}),
    ...(isVerified || block_list !== '' ? { email_required: 1 } : {}),
  };
}

/**
 * They end all access sessions. Not the lists: the gate compares each request with them. The
 * watermark changes the bytes of the document, which an open page must not mix.
 */
const gates = new Set(['email_required', 'password', 'email_verification_required', 'watermark']);

export const changesGate = (paths: readonly string[]) => paths.some((path) => gates.has(path));

/** Throws if options contradict each other. Names the field of the update, if it is one of them. */
export function checkOptions(row: LinkRow, paths: readonly string[]): void {
  for (const [isMissing, requirement, option] of [
    [row.email_required === 0 && row.email_verification_required === 1, ...verification],
    [row.email_verification_required === 0 && row.allow_list !== '', ...allowList],
    [row.email_required === 0 && row.block_list !== '', ...blockList],
    [row.email_verification_required === 0 && row.agreement_sha256 !== '', ...agreement],
  ] as const) {
    if (!isMissing) continue;
    if (paths.includes(option)) throw invalid(option, `must be set together with ${requirement}`);
    throw invalid(requirement, `must be set together with ${option}`);
  }
  const isRoom = row.document_id === null;
  if (isRoom && row.pinned_version !== null) {
    throw invalid('pinned_version', 'must be unset for a link to a folder');
  }
  if (!isRoom && row.entry_rules !== '') {
    throw invalid('entry_rules', 'must be unset for a link to a document');
  }
  if (row.notify !== '' && row.creator_id?.startsWith('usr_') !== true) {
    throw invalid('notify', 'must be unset: no user created the link, so no one gets the mails');
  }
}

const verification = ['email_required', 'email_verification_required'] as const;
const allowList = ['email_verification_required', 'allow_list'] as const;
const blockList = ['email_required', 'block_list'] as const;
const agreement = ['email_verification_required', 'agreement'] as const;

/** The state that the entity tag of a link stands for: neither the views nor its last change. */
export function linkState(row: LinkRow): object {
  const { view_count: _, notify_from: __, update_time: ___, ...state } = row;
  return state;
}

/** Without `target`, the document was deleted during the call. */
export function linkMessage(row: LinkRow, target: LinkTarget | undefined, url: string) {
  const isRoom = row.document_id === null;
  const name = target?.name ?? '';
  return {
    id: row.id,
    url,
    documentId: row.document_id ?? '',
    documentName: isRoom ? '' : name,
    folderId: row.folder_id ?? '',
    folderName: isRoom ? name : '',
    entryRules: entryRulesMessage(row),
    emailRequired: row.email_required === 1,
    workspaceId: row.workspace_id,
    name: row.name,
    passwordRequired: row.password_hash !== null,
    emailVerificationRequired: row.email_verification_required === 1,
    allowDownload: row.allow_download === 1,
    viewCount: row.view_count,
    ...timeFields(row),
    etag: etagOf(linkState(row)),
    creator: row.creator_id ?? '',
    ...(row.expire_time === null ? {} : { expireTime: timestampFromMs(row.expire_time) }),
    ...(row.revoke_time === null ? {} : { revokeTime: timestampFromMs(row.revoke_time) }),
    allowList: entriesOf(row.allow_list),
    blockList: entriesOf(row.block_list),
    notify: notifyValues.find(([, stored]) => stored === row.notify)?.[0] ?? Notify.UNSPECIFIED,
    showTitle: row.show_title === 1,
    pinnedVersion: row.pinned_version ?? 0,
    recipient: row.recipient,
    agreementSha256: row.agreement_sha256,
    ...(row.view_limit === null ? {} : { viewLimit: row.view_limit }),
    watermark: row.watermark === 1,
    programAccess: row.program_access === 1,
    warnings: opensNothing(row, target) ? [LinkWarning.NOTHING_TO_OPEN] : [],
  };
}

function opensNothing(row: LinkRow, target: LinkTarget | undefined): boolean {
  if (row.document_id === null || target?.hasPreview === true) return false;
  const { contentType = '' } = target ?? {};
  if (row.watermark === 1) return !isStampable(contentType);
  return row.allow_download === 0 && viewerKindOf(contentType) === undefined;
}
