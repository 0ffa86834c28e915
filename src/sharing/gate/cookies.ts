// The cookies of a link's gate. Scripts cannot read them. No other link receives them, except the
// cookie of a remembered reader, which the links of a workspace share.
import { parse, serialize } from 'cookie';
import type { RouteRequest } from '../../api/routes/route.ts';
import { digestOf } from '../../base/crypto/credential-format.ts';
import type { Random } from '../../base/crypto/ids.ts';
import type { SignedValues } from '../../base/crypto/signed-value.ts';
import type { LinkRow } from '../../storage/schema.ts';
import { signatureContextOf } from './access-session.ts';
import type { Admission } from './gate.ts';
import { type GateState, gateStateSeconds, initialGateState } from './gate-state.ts';
import { knownBrowserSeconds, newBrowserId } from './known-browser.ts';
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
