// Opens the connections to a running server: calls of methods with Connect over HTTP/1.1, which
// every proxy understands, and single requests. Each presents the certificate for its server.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
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
import type { AnyCredentials } from '../../../client/src/credentials.ts';
import type { Prover } from '../../../client/src/dpop.ts';
import { type HttpAnswer, latchkeyErrorOf } from '../../../client/src/errors.ts';
import { messageBytesMax } from '../../../client/src/options.ts';
import { readCertificateFor, type Target } from './client-certificate.ts';

const callMs = 60_000;

/** How long a request and its answer may stand still. */
const silenceMsMax = 300_000;

/** A person waits for the command. */
const retry = { attemptsMax: 3, waitSecondsMax: 3 };

/** For public methods, and for those that accept the cookie of a session. */
const noCredential: AnyCredentials = { token: () => '' };

/** The names of systems in `User-Agent`, from which the server derives the device. */
const systems: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'Linux',
  darwin: 'Macintosh',
  win32: 'Windows NT',
};

/** Users recognize their sessions, and the sign-ins that they approve, by the program. */
const agentHeader = {
  'user-agent': `latchkey (${systems[process.platform] ?? process.platform})`,
};

const nameProgram: Interceptor = (next) => (request) => {
  for (const [name, value] of Object.entries(agentHeader)) request.header.set(name, value);
  return next(request);
};

/** Tokens, repeated calls and errors are those of @latchkey/client. */
export const connectTo = (
  target: Target,
  credentials: AnyCredentials = noCredential,
  prover?: Prover,
): Transport => openTransport(optionsFor(target, credentials, prover)).transport;

/** Opens the methods that fetch tokens with a credential. A prover binds the tokens to its key. */
export const connectIssuance = (target: Target, credentials: AnyCredentials, prover?: Prover) =>
  openIssuance(optionsFor(target, credentials, prover));

function optionsFor(
  target: Target,
  credentials: AnyCredentials,
  prover: Prover | undefined,
): ServiceOptions {
  const { server } = target;
  const nodeOptions = readCertificateFor(target) ?? {};
  return {
    ...{ server, publicUrl: server, credentials, retry, prover },
    connect: (interceptor) =>
      createConnectTransport({
        baseUrl: server,
        httpVersion: '1.1',
        nodeOptions,
        // An error in JSON can be read in a proxy's log; the size does not matter here.
        useBinaryFormat: false,
        interceptors: [interceptor, nameProgram],
        defaultTimeoutMs: callMs,
        readMaxBytes: messageBytesMax,
      }),
  };
}

export type HttpRequest = {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
};

export type HttpResponse = Omit<HttpAnswer, 'text'> & {
  readonly chunks: AsyncIterable<Uint8Array>;
};

/**
 * Sends one request. A redirect is a response, because it could name another server. Reading the
 * response also throws a LatchkeyError, or the reason of the signal.
 */
export async function sendRequest(
  target: Target,
  url: URL,
  { method, headers, body, signal }: HttpRequest,
): Promise<HttpResponse> {
  const { server } = target;
  // Node sends no length with the body of a DELETE.
  const length = body === undefined ? {} : { 'content-length': body.byteLength };
  const options = {
    ...readCertificateFor(target),
    ...{ method, signal, timeout: silenceMsMax },
    headers: { ...agentHeader, ...Object.fromEntries(headers), ...length },
  };
  const explain = (error: unknown) => {
    signal.throwIfAborted();
    return latchkeyErrorOf(error, server);
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const sent = request(url, options, resolve);
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(silent()));
    sent.end(body);
  }).catch((error: unknown) => {
    throw explain(error);
  });
  return {
    status: response.statusCode ?? 0,
    header: (name) => response.headers[name]?.toString() ?? null,
    chunks: explained(response, explain),
  };
}

const silent = () => Object.assign(new Error('no data for 5 minutes'), { code: 'ETIMEDOUT' });

async function* explained<T>(chunks: AsyncIterable<T>, explain: (error: unknown) => unknown) {
  try {
    yield* chunks;
  } catch (error) {
    throw explain(error);
  }
}

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

/** Returns the only message of a response. Throws for an empty response. */
export async function onlyMessage<T>({
  message,
}: {
  readonly message: AsyncIterable<T>;
}): Promise<T> {
  for await (const only of message) return only;
  throw new Error('the server sent no answer');
}

/** The header with cookies, for the methods that accept the session cookie. */
export const cookieHeader = (cookies: Answer<DescMessage>['cookies']) => ({
  cookie: Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; '),
});
