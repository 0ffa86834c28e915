// Completes the id of a resource by its start or by the start of its name.
import { setTimeout } from 'node:timers/promises';
import { ResourceKind, SearchService } from '../../../../gen/latchkey/identity/v1/search_pb.js';
import type { CommandHost, Word } from '../base/command.ts';
import { cleanText, isPlainWord } from '../base/text.ts';
import { openRemote } from './remote.ts';

type Kind = {
  readonly kinds: readonly ResourceKind[];
  /** The start of its ids. */
  readonly prefix: string;
  /** Whether it belongs to a workspace. */
  readonly isInWorkspace?: true;
  /** Whether ids are completed only if the line names their owner. */
  readonly needsOwner?: true;
};

const { CLIENT, CLIENT_SECRET, CUSTOMER, CUSTOMER_API_KEY, WORKSPACE_API_KEY } = ResourceKind;
const { USER, AUDIENCE, TRUSTED_ISSUER, IDENTITY_PROVIDER, WORKSPACE } = ResourceKind;
const { DOCUMENT, FOLDER, LINK, INVITATION, DOMAIN, PASSKEY } = ResourceKind;

const folder: Kind = { kinds: [FOLDER], prefix: 'fld_', isInWorkspace: true };

/** By the names of arguments without `-id`, and by those of options. */
const kindOf: Readonly<Record<string, Kind>> = {
  client: { kinds: [CLIENT], prefix: 'cli_' },
  secret: { kinds: [CLIENT_SECRET], prefix: 'sec_' },
  customer: { kinds: [CUSTOMER], prefix: 'cus_' },
  key: { kinds: [CUSTOMER_API_KEY, WORKSPACE_API_KEY], prefix: 'key_' },
  user: { kinds: [USER], prefix: 'usr_' },
  audience: { kinds: [AUDIENCE], prefix: 'aud_' },
  issuer: { kinds: [TRUSTED_ISSUER], prefix: 'iss_' },
  provider: { kinds: [IDENTITY_PROVIDER], prefix: 'idp_' },
  workspace: { kinds: [WORKSPACE], prefix: 'ws_' },
  document: { kinds: [DOCUMENT], prefix: 'doc_', isInWorkspace: true },
  folder,
  parent: folder,
  link: { kinds: [LINK], prefix: 'lnk_', isInWorkspace: true },
  invitation: { kinds: [INVITATION], prefix: 'inv_', isInWorkspace: true },
  domain: { kinds: [DOMAIN], prefix: 'dom_', isInWorkspace: true },
  passkey: { kinds: [PASSKEY], prefix: 'pky_', needsOwner: true },
};

export type UnfinishedId = {
  /** The name of the argument or the option. */
  readonly name: string;
  readonly word: string;
  /** All words of the line. */
  readonly line: readonly string[];
  /** The value of `--workspace`. */
  readonly workspaceId: string | undefined;
};

/** A search needs at least two characters. */
const queryLengthMin = 2;
const resultsMax = 50;
const answerMsMax = 3_000;

/** Undefined if the server is too slow: the user waits for the shell. */
export const soonEnough = <T>(answer: Promise<T>): Promise<T | undefined> =>
  Promise.race([answer, setTimeout(answerMsMax, undefined, { ref: false })]);

/** Returns nothing for arguments other than ids. Throws if the server refuses the search. */
export async function completeId(
  { name, word, line, workspaceId }: UnfinishedId,
  host: CommandHost,
): Promise<Word[]> {
  const kind = kindOf[name.replace(/-id$/, '')];
  if (kind === undefined) return [];
  const { kinds, prefix, isInWorkspace, needsOwner } = kind;
  const remote = await openRemote(host);
  const search = remote.call(SearchService.method.search, {
    query: word.length < queryLengthMin ? prefix : word,
    pageSize: resultsMax,
    workspaceId: isInWorkspace ? (workspaceId ?? remote.profile.workspaceId ?? '') : '',
  });
  const answer = await soonEnough(search);
  if (answer === undefined) return [];
  const found = answer.results.filter((one) => kinds.includes(one.kind));
  // The secrets of a client, the keys of a customer or the passkeys of a user in the line.
  const own = found.filter(({ parents }) => parents.some(({ id }) => line.includes(id)));
  const words = (own.length > 0 || needsOwner ? own : found).filter(({ id }) => isPlainWord(id));
  // Bash would insert the start of the names after an id that it gets twice.
  const byId = new Map(words.map(({ id, name: about }) => [id, cleanText(about)]));
  return [...byId].map(([text, about]) => ({ text, about }));
}
