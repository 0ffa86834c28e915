// The mails about views, for the user who created the link.

import type { LinkedLine, MailPart } from '../../base/mail/mail-body.ts';
import type { Mail } from '../../base/mail/mailer.ts';
import { mailAddress, mailName, shortName } from '../../base/net/mail-name.ts';
import { mailDuration, mailTime } from '../../base/net/mail-time.ts';
import type { Brand, Brands } from '../brand/brand.ts';
import type { DueNotice, NoticedView } from './store.ts';

export const readersMax = 10;

export type ViewedLink = {
  readonly notice: DueNotice;
  readonly newest: readonly NoticedView[];
  readonly readers: number;
  /** The name of the newest reader, if a member of the workspace has the address. */
  readonly readerName: string;
};

export type ViewMail = {
  readonly to: string;
  readonly brand: Brand;
  readonly publicUrl: string;
  readonly links: readonly ViewedLink[];
};

export function composeViewMail(
  { to, brand, publicUrl, links }: ViewMail,
  { renderMail }: Brands,
): Mail {
  const views = links.reduce((sum, { notice }) => sum + notice.views, 0);
  const [first] = links;
  const workspace = shortName(brand.workspaceName);
  const subject =
    links.length === 1 && first !== undefined
      ? viewedBy(first)
      : `${countOf(views, 'view')} of ${countOf(links.length, 'link')} in ${workspace}`;
  const parts = links.flatMap((link) => partsOf(link, publicUrl));
  const created = links.length === 1 ? 'the link' : 'the links';
  const reason =
    `You get this email because you created ${created}. You can turn it off in the options of ` +
    'each link.';
  return { to, subject, ...renderMail(brand, [...parts, { note: reason }]) };
}

function partsOf({ notice, newest }: ViewedLink, publicUrl: string): MailPart[] {
  const { views, target_name, link_name } = notice;
  const through = link_name === '' ? '' : ` through the link “${mailName(link_name)}”`;
  const others = views - newest.length;
  return [
    { text: `${countOf(views, 'new view')} of “${mailName(target_name)}”${through}:` },
    { lines: newest.map((view) => lineOf(view, notice, publicUrl)) },
    ...(others > 0 ? [{ text: `And ${countOf(others, 'more view')}.` }] : []),
    { label: 'See who read which page', url: `${publicUrl}${consolePathOf(notice)}` },
  ];
}

/** Names a program that read for the only reader. */
function viewedBy({ notice, newest, readers, readerName }: ViewedLink): string {
  const target = shortName(notice.target_name);
  if (readers > 1) return `${readers.toLocaleString('en')} people viewed ${target}`;
  const { email = '', acting_client_name: program = '' } = newest[0] ?? {};
  if (email === '') return `Someone viewed ${target}`;
  const reader = readerName === '' ? email : `${shortName(readerName)} (${email})`;
  if (program !== '') return `${shortName(program)} viewed ${target} for ${reader}`;
  return `${reader} viewed ${target}`;
}

const consolePathOf = ({ workspace_id, link_id }: DueNotice) =>
  `/console/workspaces/${workspace_id}/links/${link_id}`;

/** Leads to all views of the reader, unless the address looks like a website. */
function lineOf(view: NoticedView, notice: DueNotice, publicUrl: string): string | LinkedLine {
  const { email, email_verified, create_time, acting_client_name: program } = view;
  // Without verification, the reader chooses the text.
  const address = email === '' ? 'A reader' : mailAddress(email);
  const facts = [
    ...(email_verified === 1 ? ['verified'] : []),
    ...(program === '' ? [] : [`read by ${mailName(program)}`]),
  ];
  const known = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  const line = `${address}${known}, ${mailTime(create_time)}${readingOf(view, notice)}`;
  if (address !== email) return line;
  const path = `/console/workspaces/${notice.workspace_id}/readers/${encodeURIComponent(email)}`;
  return { line, url: `${publicUrl}${path}` };
}

/** Empty for a reader who has only opened the document. */
function readingOf(
  { pages, documents, duration_ms }: NoticedView,
  { folder_id }: DueNotice,
): string {
  if (duration_ms === 0) return '';
  const read = [
    ...(folder_id === null ? [] : [countOf(documents, 'document')]),
    ...(pages === 0 ? [] : [countOf(pages, 'page')]),
  ];
  const time = mailDuration(duration_ms);
  return read.length === 0 ? `: read for ${time}` : `: read ${read.join(', ')} for ${time}`;
}

const countOf = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
