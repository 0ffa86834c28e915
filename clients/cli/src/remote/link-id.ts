// Finds the link that an argument names by its id, its address, or the last part of its address.
import { type Link, LinkService } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { CommandError, UsageError } from '../base/command.ts';
import { cleanText } from '../base/text.ts';
import { readPages } from './pages.ts';
import type { Remote } from './remote.ts';

const pageSizeMax = 200;

/** Reads the links of the workspace until one matches: the API does not search addresses. */
export async function readLinkId(
  text: string,
  remote: Pick<Remote, 'call' | 'profile'>,
  workspaceId: string | undefined = '',
): Promise<string> {
  if (text.startsWith('lnk_')) return text;
  const isSlug = /^[0-9A-Za-z]{22}$/.test(text);
  if (!isSlug && !isWebAddress(text)) {
    // The text is not repeated: it may be a secret in the wrong place.
    const what = 'This is not a link. Give the id of a link, lnk_…, or its address.';
    throw new UsageError(`${what} \`latchkey links list\` shows them.`);
  }
  const isNamed = ({ url }: Link) =>
    isSlug ? url.endsWith(`/${text}`) : isWebAddress(url) && addressOf(url) === addressOf(text);
  const { listLinks } = LinkService.method;
  const read = (pageToken: string) =>
    remote.call(listLinks, { workspaceId, pageSize: pageSizeMax, pageToken });
  for await (const { links } of readPages(remote, read, (page) => page.nextPageToken)) {
    const link = links.find(isNamed);
    if (link !== undefined) return link.id;
  }
  const shown = cleanText(isSlug ? text : addressOf(text));
  const what = `The workspace has no link with the address ${shown}.`;
  throw new CommandError(`${what} Run: latchkey links list`, undefined, 'missing');
}

const isWebAddress = (text: string) => URL.canParse(text) && /^https?:/i.test(text);

/** Without a password, a query and a fragment, which do not name another link. */
function addressOf(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/\/$/, '')}`;
}
