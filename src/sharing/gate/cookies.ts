// The cookies of a link's gate. Scripts cannot read them, and no other link receives them.
import { parse, serialize } from 'cookie';
import type { RouteRequest } from '../../api/routes/route.ts';
import type { Random } from '../../base/crypto/ids.ts';
import type { SignedValues } from '../../base/crypto/signed-value.ts';
import type { LinkRow } from '../../storage/schema.ts';
import { signatureContextOf } from './access-session.ts';
import type { Admission } from './gate.ts';
import { type GateState, gateStateSeconds, initialGateState } from './gate-state.ts';
import { knownBrowserSeconds, newBrowserId } from './known-browser.ts';

export type GateCookies = {
  /** The cookie's value, not verified. */
  readAccess(request: RouteRequest): string | undefined;
  readState(request: RouteRequest, link: LinkRow): GateState;
  readBrowser(request: RouteRequest, link: LinkRow): string | undefined;
  /** Each returns a value of `Set-Cookie`. */
  writeAccess(link: LinkRow, admission: Admission): string;
  writeState(link: LinkRow, state: GateState): string;
  writeBrowser(link: LinkRow, email?: string): string;
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

export function createGateCookies(options: GateCookiesOptions): GateCookies {
  const { states, browsers, random, publicUrl } = options;
  const read = (request: RouteRequest, name: string) => parse(request.header('cookie') ?? '')[name];
  const write = ({ slug }: LinkRow, name: string, value: string, maxAge: number) =>
    serialize(name, value, {
      path: `/s/${slug}`,
      maxAge,
      httpOnly: true,
      sameSite: 'lax',
      secure: publicUrl.startsWith('https:'),
    });
  return {
    readAccess: (request) => read(request, accessName),
    readState: (request, link) =>
      states.verify(read(request, stateName), signatureContextOf(link)) ?? initialGateState,
    readBrowser: (request, link) =>
      browsers.verify(read(request, browserName), signatureContextOf(link)),
    writeAccess: (link, { accessSession, maxAgeSeconds }) =>
      write(link, accessName, accessSession, maxAgeSeconds),
    writeState(link, state) {
      const value = states.sign(state, gateStateSeconds, signatureContextOf(link));
      return write(link, stateName, value, gateStateSeconds);
    },
    writeBrowser(link, email) {
      const id = newBrowserId(random, email);
      const value = browsers.sign(id, knownBrowserSeconds, signatureContextOf(link));
      return write(link, browserName, value, knownBrowserSeconds);
    },
  };
}
