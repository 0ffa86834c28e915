// Finds the ids of the workspace, the link and the user that arguments and options name.
import { UserService } from '../../../../gen/latchkey/identity/v1/user_pb.js';
import { type Link, LinkService } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { CommandError, type Input, textOption, UsageError } from '../base/command.ts';
import { isId } from '../base/ids.ts';
import { cleanText } from '../base/text.ts';
import { readPages } from './pages.ts';
import type { Remote } from './remote.ts';

/** The value of `--workspace`. */
export function givenWorkspaceId(input: Input): string | undefined {
  const id = textOption(input, 'workspace');
  if (id === undefined || isId('ws', id)) return id;
  // The text is not repeated: it may be a secret in the wrong place.
  const what = '--workspace is not a workspace id: ws_ and 22 letters or digits.';
  throw new UsageError(`${what} \`latchkey workspaces list\` shows the ids.`);
}

/** A workspace's API key is bound to its workspace. */
export function workspaceIdOf(input: Input, { profile }: Remote): string | undefined {
  const given = givenWorkspaceId(input);
  return given ?? (profile.credential.kind === 'api-key' ? undefined : profile.workspaceId);
}

const pageSizeMax = 200;

/**
 * Finds a link by its id, its address, or the last part of its address. Reads the links of the
 * workspace until one matches: the API does not search addresses.
 */
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

/** Finds a user by the id or the email address. */
export async function readUserId(text: string, remote: Pick<Remote, 'call'>): Promise<string> {
  if (!text.includes('@')) return text;
  const request = { email: text, showDeleted: true };
  const { users } = await remote.call(UserService.method.listUsers, request);
  const [user] = users;
  if (user !== undefined) return user.id;
  throw new CommandError(`No user has the address ${cleanText(text)}.`, undefined, 'missing');
}
