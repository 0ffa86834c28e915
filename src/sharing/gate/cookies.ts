// The cookies of a link's gate: scripts do not get to see them, and no other link's page does.
import { parse, serialize } from 'cookie';
import type { RouteRequest } from '../../http/route.ts';
import type { LinkRow } from '../../storage/schema.ts';
import { accessCookieName } from './access-session.ts';
import { type Browsers, browserSeconds } from './browsers.ts';
import type { Admission } from './gate.ts';
import { type Progress, type Progresses, progressSeconds } from './progress.ts';

export type GateCookies = {
  /** The pass, unread. */
  passOf(request: RouteRequest): string | undefined;
  progressOf(request: RouteRequest, link: LinkRow): Progress;
  /** The id of a browser that has passed a step of the link's gate before. */
  browserOf(request: RouteRequest, link: LinkRow): string | undefined;
  /** Values of `Set-Cookie`. */
  writePass(link: LinkRow, admission: Admission): string;
  writeProgress(link: LinkRow, progress: Progress): string;
  /** For a browser that has shown the link's password or, where it is given, proven `email`. */
  writeBrowser(link: LinkRow, email?: string): string;
};

export type GateCookiesOptions = {
  readonly progresses: Progresses;
  readonly browsers: Browsers;
  /** The service's own origin. */
  readonly publicUrl: () => string;
};

const progressName = 'latchkey_gate';
const browserName = 'latchkey_browser';

export function createGateCookies(options: GateCookiesOptions): GateCookies {
  const { progresses, browsers, publicUrl } = options;
  const read = (request: RouteRequest, name: string) => parse(request.header('cookie') ?? '')[name];
  const write = ({ slug }: LinkRow, name: string, value: string, maxAge: number) =>
    serialize(name, value, {
      path: `/s/${slug}`,
      maxAge,
      httpOnly: true,
      sameSite: 'lax',
      secure: publicUrl().startsWith('https:'),
    });
  return {
    passOf: (request) => read(request, accessCookieName),
    progressOf: (request, link) => progresses.read(link, read(request, progressName)),
    browserOf: (request, link) => browsers.read(link, read(request, browserName)),
    writePass: (link, { pass, maxAgeSeconds }) =>
      write(link, accessCookieName, pass, maxAgeSeconds),
    writeProgress: (link, progress) =>
      write(link, progressName, progresses.write(link, progress), progressSeconds),
    writeBrowser: (link, email) =>
      write(link, browserName, browsers.write(link, email), browserSeconds),
  };
}
