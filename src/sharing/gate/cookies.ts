// The cookies of a link's gate, and the types and ids of the values that they contain. Scripts
// cannot read the cookies. No other link receives them, except the cookie of a remembered reader,
// which the links of a workspace share.
import { createHash } from 'node:crypto';
import { parse, serialize } from 'cookie';
import type { RouteRequest } from '../../api/routes/route.ts';
import { digestOf } from '../../base/crypto/credential-format.ts';
import { type Random, randomText } from '../../base/crypto/ids.ts';
import type { SignedValues } from '../../base/crypto/signed-value.ts';
import type { LinkRow } from '../../storage/schema/schema.ts';
import type { Accepted } from '../agreements/agreements.ts';
import { rememberedSeconds } from './remembered-readers.ts';

export type GateCookies = {
  /** The cookie's value, not verified. */
  readAccess(request: RouteRequest): string | undefined;
  readState(request: RouteRequest, link: LinkRow): GateState;
  readBrowser(request: RouteRequest, link: LinkRow): string | undefined;
  /** The value of the cookie of a remembered reader, not verified. */
  readReader(request: RouteRequest, link: LinkRow): string | undefined;
  /** Each returns a value of `Set-Cookie`. */
  writeAccess(request: RouteRequest, link: LinkRow, admission: Admission): string;
  writeState(request: RouteRequest, link: LinkRow, state: GateState): string;
  writeBrowser(request: RouteRequest, link: LinkRow, email?: string): string;
  /** Without `value`, deletes the cookie. */
  writeReader(request: RouteRequest, link: LinkRow, value?: string): string;
};

export type GateCookiesOptions = {
  readonly states: SignedValues<GateState>;
  readonly browsers: SignedValues<string>;
  readonly random: Random;
  readonly publicUrl: string;
};

const accessName = 'latchkey_access';
const stateName = 'latchkey_gate';
const browserName = 'latchkey_browser';

/** A browser can be remembered by several workspaces. */
const readerNameOf = ({ workspace_id }: LinkRow) =>
  `latchkey_reader_${digestOf(workspace_id).slice(0, 16)}`;

export function createGateCookies(options: GateCookiesOptions): GateCookies {
  const { states, browsers, random, publicUrl } = options;
  const read = (request: RouteRequest, name: string) => parse(request.header('cookie') ?? '')[name];
  const write = (
    { domain }: RouteRequest,
    path: string,
    [name, value, maxAge]: [name: string, value: string, maxAge: number],
  ) =>
    serialize(name, value, {
      path,
      maxAge,
      httpOnly: true,
      sameSite: 'lax',
      secure: (domain?.origin ?? publicUrl).startsWith('https:'),
    });
  const writeForLink = (
    request: RouteRequest,
    { slug }: LinkRow,
    cookie: [name: string, value: string, maxAge: number],
  ) => write(request, `/s/${slug}`, cookie);
  return {
    readAccess: (request) => read(request, accessName),
    readState: (request, link) =>
      states.verify(read(request, stateName), signatureContextOf(link)) ?? initialGateState,
    readBrowser: (request, link) =>
      browsers.verify(read(request, browserName), signatureContextOf(link)),
    writeAccess: (request, link, { accessSession, maxAgeSeconds }) =>
      writeForLink(request, link, [accessName, accessSession, maxAgeSeconds]),
    writeState(request, link, state) {
      const value = states.sign(state, gateStateSeconds, signatureContextOf(link));
      return writeForLink(request, link, [stateName, value, gateStateSeconds]);
    },
    writeBrowser(request, link, email) {
      const id = newBrowserId(random, email);
      const value = browsers.sign(id, knownBrowserSeconds, signatureContextOf(link));
      return writeForLink(request, link, [browserName, value, knownBrowserSeconds]);
    },
    readReader: (request, link) => read(request, readerNameOf(link)),
    writeReader: (request, link, value = '') =>
      write(request, '/s', [readerNameOf(link), value, value === '' ? 0 : rememberedSeconds]),
  };
}

// The steps of a gate that a visitor has completed. The cookie is signed for the link and for one
// revision of its gate.

export type GateState = {
  readonly knowsPassword: boolean;
  readonly email?: string | undefined;
  /** When `email` was verified, in milliseconds since 1970, if only the agreement is left. */
  readonly verifiedMs?: number | undefined;
  readonly remembers?: boolean;
  /** Identifies the visitor, to count tries of a code; empty before an address is entered. */
  readonly visitorId: string;
};

/** Long enough to find a mail. */
const gateStateSeconds = 30 * 60;

const initialGateState: GateState = { knowsPassword: false, visitorId: '' };

// An access session is the cookie of a reader who has completed a link's gate. The cookie is signed
// for the link and for one revision of its gate. The database has no row for it.

export type AccessSession = {
  /** The view of the first version of the document: see `viewIdOf`. */
  readonly viewId: string;
  /** When the reader completed the gate, in milliseconds since 1970. */
  readonly startMs: number;
  /** Empty if the gate did not ask for an address. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly agreement?: Accepted;
  /** The client that reads for the person. No cookie has it. */
  readonly program?: { readonly id: string; readonly name: string };
};

export type Admission = {
  readonly accessSession: string;
  readonly maxAgeSeconds: number;
};

export const accessSecondsMax = 12 * 60 * 60;

/** Binds a signed value to a link and to one revision of its gate. */
export const signatureContextOf = (link: LinkRow) => `${link.id}.${link.gate_revision}`;

// Known browsers have completed a step of a link's gate before: the password or a verified address.
// Their attempts are counted separately, so that attempts of others do not delay them (OWASP, "Slow
// Down Online Guessing Attacks with Device Cookies"). The cookie grants no access. A new password
// invalidates it, because a reader who knew the last password may guess the next one.

const knownBrowserSeconds = 90 * 24 * 60 * 60;

/** The prefix of the ids of browsers with a verified address. No random id has it. */
const verifiedPrefix = 'verified-';

function newBrowserId(random: Random, email: string | undefined): string {
  return email === undefined ? randomText(random) : verifiedBrowserId(email);
}

/** Shared by browsers, so that verifying an address again does not multiply the attempts. */
export function verifiedBrowserId(email: string): string {
  return verifiedPrefix + createHash('sha256').update(email).digest('base64url');
}

export function hasVerifiedEmail(browserId: string | undefined): boolean {
  return browserId?.startsWith(verifiedPrefix) === true;
}
