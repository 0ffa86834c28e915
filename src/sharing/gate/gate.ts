// The gate of a link. Every request for a shared document is checked here. An expiry takes effect
// immediately, and a revocation within a second: see storage/cache/revocation-safe-cache.ts. Every
// route of a link requires access, except the HTML, which shows the gate instead.

import { createHash } from 'node:crypto';
import {
  type AuthenticateProgram,
  type ProgramReader,
  presentsToken,
} from '../../api/routes/program-reader.ts';
import type { LinkDomain, RouteRequest } from '../../api/routes/route.ts';
import type { Clock } from '../../base/clock.ts';
import { newId, type Random } from '../../base/crypto/ids.ts';
import type { SignedValues } from '../../base/crypto/signed-value.ts';
import { fail } from '../../base/errors/errors.ts';
import { admits } from '../../base/net/address-lists.ts';
import { networkOf } from '../../base/net/network.ts';
import type { Database, LinkRow } from '../../storage/schema/schema.ts';
import type { Accepted } from '../agreements/agreements.ts';
import type { Links, Shared, SharedDocument } from '../links/links.ts';
import { isCountedReader } from '../queries/counted-readers.ts';
import type { Rooms } from '../rooms/rooms.ts';
import {
  type AccessSession,
  type Admission,
  accessSecondsMax,
  type GateCookies,
  signatureContextOf,
} from './cookies.ts';
import type { ErasedReaders } from './erased-readers.ts';
import { hasViewsLeft } from './store.ts';

export type AccessDecision =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'ask'; readonly shared: Shared }
  | ({ readonly kind: 'open' } & OpenAccess);

type OpenAccess = { readonly shared: Shared; readonly accessSession: AccessSession };

export type AdmittedReader = {
  readonly email: string;
  readonly isVerified?: boolean;
  readonly agreement?: Accepted | undefined;
};

export type Gate = {
  /** Under a custom domain, the links of other workspaces are unknown. */
  authorise(
    slug: string,
    accessSession: string | undefined,
    domain: LinkDomain | undefined,
  ): Promise<AccessDecision>;
  /**
   * Does the same for a program, which completes no gate. Throws `forbidden` if the link refuses
   * programs, before it reads the token.
   */
  authoriseProgram(
    slug: string,
    authenticate: () => Promise<ProgramReader>,
    domain: LinkDomain | undefined,
  ): Promise<AccessDecision>;
  isOpen(link: LinkRow): boolean;
  /**
   * Starts an access session, or returns the reason why not. The lists of the link are compared
   * after the code, so that only the owner of an address learns whether they contain it.
   */
  admit(link: LinkRow, reader: AdmittedReader): Admission | 'not on list';
};

export type GateOptions = {
  readonly db: Database;
  readonly links: Links;
  readonly accessSessions: SignedValues<AccessSession>;
  readonly erasedReaders: Pick<ErasedReaders, 'checkSession'>;
  readonly random: Random;
  readonly now: Clock;
};

export const hasPassword = (link: LinkRow) => link.password_hash !== null;

export const hasAgreement = (link: LinkRow) => link.agreement_sha256 !== '';

/** Whether readers must verify their address with a code. A list or an agreement implies it. */
export const requiresCode = (link: LinkRow) =>
  link.email_verification_required === 1 || link.allow_list !== '' || hasAgreement(link);

export const asksForEmail = (link: LinkRow) =>
  link.email_required === 1 || requiresCode(link) || link.block_list !== '';

/** Whether an access session has what the gate requires now, and the lists admit its reader. */
function passes(link: LinkRow, session: AccessSession): boolean {
  if (asksForEmail(link) && session.email === '') return false;
  if (requiresCode(link) && !session.emailVerified) return false;
  if (hasAgreement(link) && session.agreement?.sha256 !== link.agreement_sha256) return false;
  return admits(link, session);
}

/** Only a person can enter a password or accept an agreement. */
function requireProgramAccess(link: LinkRow): void {
  for (const [isRefused, detail] of [
    [link.program_access === 0, 'The sender does not allow programs to read this link.'],
    [hasPassword(link), 'Programs cannot read a link with a password.'],
    [hasAgreement(link), 'Programs cannot read a link with an agreement.'],
  ] as const) {
    if (isRefused) throw fail('forbidden', detail);
  }
}

const slugPattern = /^[0-9A-Za-z]{22}$/;

export function createGate(options: GateOptions): Gate {
  const { db, links, accessSessions, erasedReaders, random, now } = options;
  async function mayView(link: LinkRow, session: AccessSession | undefined): Promise<boolean> {
    const { id, view_limit: limit } = link;
    if (limit === null || (await hasViewsLeft(db, id, limit))) return true;
    return session !== undefined && isCountedReader(db, link, session);
  }

  async function decide(
    slug: string,
    domain: LinkDomain | undefined,
    readSession: (link: LinkRow) => Promise<AccessSession | undefined>,
  ): Promise<AccessDecision> {
    const shared = slugPattern.test(slug) ? await links.findShared(slug) : undefined;
    if (shared === undefined) return { kind: 'unknown' };
    const isOther = domain !== undefined && domain.workspaceId !== shared.link.workspace_id;
    if (isOther) return { kind: 'unknown' };
    const { revoke_time, expire_time } = shared.link;
    if (revoke_time !== null || (expire_time !== null && expire_time <= now())) {
      return { kind: 'gone' };
    }
    const accessSession = await readSession(shared.link);
    if (!(await mayView(shared.link, accessSession))) return { kind: 'gone' };
    // The gate may have changed since the reader passed it, without another revision.
    if (accessSession === undefined || !passes(shared.link, accessSession)) {
      return { kind: 'ask', shared };
    }
    return { kind: 'open', shared, accessSession };
  }

  return {
    authorise: (slug, text, domain) =>
      decide(slug, domain, (link) => {
        const session = accessSessions.verify(text, signatureContextOf(link));
        return erasedReaders.checkSession(link.workspace_id, session);
      }),

    authoriseProgram: (slug, authenticate, domain) =>
      decide(slug, domain, async (link) => {
        requireProgramAccess(link);
        return sessionOfProgram(link, await authenticate(), now());
      }),

    isOpen: (link) => !asksForEmail(link) && link.password_hash === null,

    admit(link, { email, isVerified: emailVerified = false, agreement }) {
      if (!admits(link, { email, emailVerified })) return 'not on list';
      const started: AccessSession = {
        viewId: newId('viw', random),
        startMs: now(),
        email,
        emailVerified,
        ...(agreement === undefined
          ? {}
          : { agreement: { id: agreement.id, sha256: agreement.sha256 } }),
      };
      const accessSession = accessSessions.sign(
        started,
        accessSecondsMax,
        signatureContextOf(link),
      );
      return { accessSession, maxAgeSeconds: accessSecondsMax };
    },
  };
}

/**
 * The access session of a program that reads for a person. It has no cookie, so it is the same for
 * each request of the program within a period, which is one view. The administrators of the
 * installation vouch for the addresses of its users.
 */
function sessionOfProgram(
  { id }: LinkRow,
  { userId, email, clientId, clientName }: ProgramReader,
  now: number,
): AccessSession {
  const period = Math.floor(now / 1000 / accessSecondsMax);
  const digest = createHash('sha256').update(`${id}.${userId}.${clientId}.${period}`).digest();
  return {
    viewId: newId('viw', (size) => digest.subarray(0, size)),
    startMs: now,
    email,
    emailVerified: true,
    program: { id: clientId, name: clientName },
  };
}

export type Reader = {
  readonly accessSession: AccessSession;
  readonly link: LinkRow;
  readonly documentId: string;
  readonly version: number;
  readonly network: string;
};

export type GrantedAccess = { readonly shared: SharedDocument; readonly reader: Reader };

export type AccessOptions = {
  readonly gate: Gate;
  readonly cookies: GateCookies;
  readonly rooms: Pick<Rooms, 'findDocument'>;
};

export function checkAccess(
  { gate, cookies }: AccessOptions,
  request: RouteRequest,
): Promise<AccessDecision> {
  const { variables, domain } = request;
  return gate.authorise(variables.slug ?? '', cookies.readAccess(request), domain);
}

type ProgramOptions = AccessOptions & { readonly authenticateProgram: AuthenticateProgram };

/** Throws `forbidden`, `gone` or `not_found` for a request without access. */
export async function requireAccess(
  options: AccessOptions,
  request: RouteRequest,
): Promise<GrantedAccess> {
  return grantDocument(options, request, grantLink(await checkAccess(options, request)));
}

/** Does the same for the bytes of a document, which a program may read with a token. */
export async function requireFileAccess(
  options: ProgramOptions,
  request: RouteRequest,
): Promise<GrantedAccess> {
  return grantDocument(options, request, await requireLinkAccess(options, request));
}

/** Does the same for whatever the link shows. */
export async function requireLinkAccess(
  options: ProgramOptions,
  request: RouteRequest,
): Promise<OpenAccess> {
  if (!presentsToken(request)) return grantLink(await checkAccess(options, request));
  const { gate, authenticateProgram } = options;
  const { variables, domain } = request;
  const authenticate = () => authenticateProgram(request);
  const decision = await gate.authoriseProgram(variables.slug ?? '', authenticate, domain);
  if (decision.kind === 'ask') throw fail('forbidden', 'The link does not admit this person.');
  return grantLink(decision);
}

function grantLink(decision: AccessDecision): OpenAccess {
  switch (decision.kind) {
    case 'open':
      return decision;
    case 'ask':
      throw fail('forbidden', "The reader has not passed the link's gate.");
    case 'gone':
      throw fail('gone', 'The link has expired, was revoked, or has no views left.');
    case 'unknown':
      throw fail('not_found', 'The link does not exist.');
  }
}

async function grantDocument(
  options: AccessOptions,
  request: RouteRequest,
  { shared: target, accessSession }: OpenAccess,
): Promise<GrantedAccess> {
  const shared = await selectDocument(options, target, request);
  if (shared === undefined) throw fail('not_found', 'The link does not show this document.');
  const { link, document } = shared;
  const { id: documentId, version } = document;
  const network = networkOf(request.peer);
  return { shared, reader: { accessSession, link, documentId, version, network } };
}

/**
 * Returns the document that the path names: that of the link, or one that its room contains. Only
 * a path in a room has the id of a document.
 */
export async function selectDocument(
  { rooms }: Pick<AccessOptions, 'rooms'>,
  shared: Shared,
  { variables: { document_id: id } }: RouteRequest,
): Promise<SharedDocument | undefined> {
  if ('document' in shared) return id === undefined ? shared : undefined;
  return id === undefined ? undefined : rooms.findDocument(shared, id);
}

/** Of responses that only readers of a link may get: no cache may keep them after a revocation. */
export const privateHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'cross-origin-resource-policy': 'same-origin',
};
