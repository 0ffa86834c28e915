// Replaces the email address of an erased person.

import type { Executor, LinkRow } from '../schema/schema.ts';
import { lockRow } from './row-locks.ts';

/** An address that no mail reaches (RFC 2606 §2). An allow list with it admits no one else. */
export const pseudonymOf = (id: string) => `${id.toLowerCase()}${erasedDomain}`;

const erasedDomain = '@deleted.invalid';

/** Whether no one can be on the list after the erasure of an address. */
export const admitsOnly = (allowList: string, email: string) =>
  allowList
    .split(' ')
    .every((entry) => entry.toLowerCase() === email || entry.endsWith(erasedDomain));

/** The texts of a link that an erasure changes. */
export const linkTexts = ['name', 'recipient', 'allow_list'] as const;

export type LinkTexts = Pick<LinkRow, (typeof linkTexts)[number]>;

export type ErasedAddress = { readonly email: string; readonly pseudonym: string };

/** The texts that contain the address, without it. */
export function erasedTexts(
  texts: LinkTexts,
  { email, pseudonym }: ErasedAddress,
): Partial<LinkTexts> {
  const entryOf = (entry: string) => (entry.toLowerCase() === email ? pseudonym : entry);
  const erased: LinkTexts = {
    name: replaceAddress(texts.name, email, pseudonym),
    recipient: entryOf(texts.recipient),
    allow_list: texts.allow_list.split(' ').map(entryOf).join(' '),
  };
  return Object.fromEntries(
    linkTexts.filter((name) => erased[name] !== texts[name]).map((name) => [name, erased[name]]),
  );
}

/**
 * Removes the address from a link, and deletes a mail with the link that was not sent yet. An entry
 * of a `block_list` stays: without it, the person could read the link again. Returns the row as it
 * was.
 */
export async function eraseFromLink(
  trx: Executor,
  id: string,
  address: ErasedAddress,
): Promise<LinkRow | undefined> {
  const row = await lockRow(trx, 'links', 'id', id);
  const change = row === undefined ? {} : erasedTexts(row, address);
  if (Object.keys(change).length === 0) return row;
  await trx.updateTable('links').set(change).where('id', '=', id).execute();
  if (change.recipient !== undefined) {
    await trx.deleteFrom('reader_mails').where('target_id', '=', id).execute();
  }
  return row;
}

/** The mails with a receipt to this folded address that were not sent yet. */
export function waitingReceipts(db: Executor, email: string, workspaceId?: string) {
  const all = db
    .selectFrom('reader_mails')
    .innerJoin('agreements', 'agreements.id', 'reader_mails.target_id')
    .select('target_id')
    .where('agreements.email', '=', email);
  return workspaceId === undefined ? all : all.where('workspace_id', '=', workspaceId);
}

/** Deletes these mails: an erased person gets no more mail. */
export async function deleteWaitingReceipts(
  trx: Executor,
  email: string,
  workspaceId?: string,
): Promise<void> {
  const ids = await waitingReceipts(trx, email, workspaceId).execute();
  if (ids.length === 0) return;
  const targets = ids.map(({ target_id }) => target_id);
  await trx.deleteFrom('reader_mails').where('target_id', 'in', targets).execute();
}

/** Replaces the address where it is a whole address, in any letter case. */
function replaceAddress(text: string, email: string, pseudonym: string): string {
  const literal = email.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const whole = new RegExp(
    `(?<!${localPart})${literal}(?![\\p{L}\\p{N}_-]|[.][\\p{L}\\p{N}])`,
    'giu',
  );
  return text.replace(whole, pseudonym);
}

/** A character of the part before the `@` (RFC 5322 §3.2.3, RFC 6532 §3.2). */
const localPart = "[\\p{L}\\p{N}.!#$%&'*+/=?^_`{|}~-]";
