// Calls methods of a running server with Connect over HTTP/1.1, which every proxy understands.
import type {
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import type { Interceptor, Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { parseCookie } from 'cookie';
import { openIssuance, openTransport, type ServiceOptions } from '../../../client/src/client.ts';
import type { Credentials } from '../../../client/src/credentials.ts';
import type { Prover } from '../../../client/src/dpop.ts';
import { messageBytesMax } from '../../../client/src/options.ts';

const callMs = 60_000;

/** A person waits for the command. */
const retry = { attemptsMax: 3, waitSecondsMax: 3 };

/** For public methods, and for those that accept the cookie of a session. */
const noCredential: Credentials = { token: () => '' };

/** The names of systems in `User-Agent`, from which the server derives the device. */
const systems: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'Linux',
  darwin: 'Macintosh',
  win32: 'Windows NT',
};

/** Users recognize their sessions, and the sign-ins that they approve, by the program. */
const nameProgram: Interceptor = (next) => (request) => {
  const { platform } = process;
  request.header.set('user-agent', `latchkey (${systems[platform] ?? platform})`);
  return next(request);
};

/** Tokens, repeated calls and errors are those of @latchkey/client. */
export const connectTo = (
  server: string,
  credentials: Credentials = noCredential,
  prover?: Prover,
): Transport => openTransport(optionsFor(server, credentials, prover)).transport;

/** Opens the methods that fetch tokens with a credential. A prover binds the tokens to its key. */
export const connectIssuance = (server: string, credentials: Credentials, prover?: Prover) =>
  openIssuance(optionsFor(server, credentials, prover));

const optionsFor = (
  server: string,
  credentials: Credentials,
  prover: Prover | undefined,
): ServiceOptions => ({
  ...{ server, publicUrl: server, credentials, retry, prover },
  connect: (interceptor) =>
    createConnectTransport({
      baseUrl: server,
      httpVersion: '1.1',
      // An error in JSON can be read in a proxy's log; the size does not matter here.
      useBinaryFormat: false,
      interceptors: [interceptor, nameProgram],
      defaultTimeoutMs: callMs,
      readMaxBytes: messageBytesMax,
    }),
});

export type Answer<O extends DescMessage> = {
  readonly message: MessageShape<O>;
  /** The cookies that the server set, by name. An empty value removes a cookie. */
  readonly cookies: Readonly<Record<string, string | undefined>>;
};

export async function callUnary<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Answer<O>> {
  const { message, header } = await transport.unary(method, signal, undefined, headers, request);
  // The attributes after the first semicolon are for browsers (RFC 6265 §5.2).
  const pairs = header.getSetCookie().map((text) => text.replace(/;.*/s, ''));
  return { message, cookies: parseCookie(pairs.join('; '), { decode: (value) => value }) };
}

/** The header with cookies, for the methods that accept the session cookie. */
export const cookieHeader = (cookies: Answer<DescMessage>['cookies']) => ({
  cookie: Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; '),
});
