// A client over HTTP, for Node and browsers.
import type { Interceptor, Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { IssuanceService } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import type { RetryOptions } from './attempts.ts';
import { type AnyCredentials, assertionsOf, requireSecret, tokenSourceOf } from './credentials.ts';
import { createProver, type DpopOption, type Prover, presentToken } from './dpop.ts';
import { latchkeyErrorOfAnswer } from './errors.ts';
import { createExchange, type ExchangeToken } from './exchange.ts';
import { callInterceptor, issuanceInterceptor } from './interceptor.ts';
import { requireOption, urlOption } from './options.ts';
import { boundResponse } from './response-size.ts';
import { createServices, createTypedClient, type Services } from './services.ts';
import type { TokenSource } from './token-source.ts';
import { createUpload, type Fetch, type Upload } from './upload.ts';

/** The services, each with its methods, and the functions that need more than one call. */
export type LatchkeyClient = Services & {
  readonly upload: Upload;
  /** Returns an access token for calls to other services. Never an expired one. */
  accessToken(options?: { readonly signal?: AbortSignal }): Promise<string>;
  /**
   * Returns the headers with which one request to another service presents the token: with `dpop`,
   * `authorization` and `dpop`, otherwise `authorization`.
   */
  accessHeaders(request: ServiceRequest): Promise<Record<string, string>>;
  /** Exchanges a token of someone for one with which this client acts for them (RFC 8693). */
  readonly exchangeToken: ExchangeToken;
};

export type ServiceRequest = {
  readonly method: string;
  /** The whole URL, as the service knows it. */
  readonly url: string;
  readonly signal?: AbortSignal;
};

export type ClientOptions = {
  /** The public URL of the service, such as `https://latchkey.example.com`. */
  readonly baseUrl: string;
  readonly credentials: AnyCredentials;
  /** The format of messages. JSON is easier to read in a browser's tools. Default `binary`. */
  readonly format?: 'binary' | 'json';
  readonly retry?: RetryOptions;
  /** The time limit of a call with its repetitions, except uploads. Default 60 seconds. */
  readonly timeoutSeconds?: number;
  /**
   * Binds the tokens to a key (RFC 9449), so that a copied token is useless: `true` for a new key,
   * a CryptoKeyPair or a private JWK. Each request has a proof of the key. Not for the API key of a
   * workspace.
   */
  readonly dpop?: DpopOption;
  /**
   * Sends the requests instead of the global `fetch`, for example with a client certificate, a
   * private CA or a proxy. Required for credentials without a secret. In a browser, uploads use
   * XMLHttpRequest.
   */
  readonly fetch?: Fetch;
};

/** Throws a TypeError if an option cannot work. No request is sent before the first call. */
export function createClient(options: ClientOptions): LatchkeyClient {
  const { credentials, format = 'binary', retry = {}, timeoutSeconds = 60 } = options;
  const { fetch: send = currentFetch } = options;
  requireOption(typeof send === 'function', 'fetch', send, 'must be a function.');
  const fetch: Fetch = async (input, init) => boundResponse(await send(input, init));
  const { href, origin: server } = urlOption('baseUrl', options.baseUrl);
  const baseUrl = href.replace(/\/+$/, '');
  if (options.fetch === undefined) requireSecret(credentials);
  const prover = options.dpop && createProver(options.dpop, baseUrl);
  const connect = (interceptor: Interceptor) =>
    createConnectTransport({
      baseUrl,
      useBinaryFormat: format === 'binary',
      interceptors: [interceptor],
      defaultTimeoutMs: timeoutSeconds * 1000,
      fetch: fetchFromLatchkey(fetch),
    });
  const publicUrl = baseUrl;
  const opened = openServices({ server, publicUrl, credentials, retry, connect, prover });
  const upload = createUpload(baseUrl, { server, tokens: opened.tokens, retry, prover, fetch });
  return clientOf({ ...opened, upload, prover });
}

/** A program may replace the global function later. */
const currentFetch: Fetch = (input, init) => globalThis.fetch(input, init);

/** Errors of Connect are JSON. Others come from a proxy, and Connect would misread their status. */
const fetchFromLatchkey =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    if (response.status < 300 || isJson) return response;
    const header = (name: string) => response.headers.get(name);
    await response.body?.cancel();
    throw latchkeyErrorOfAnswer({ status: response.status, header, text: '' });
  };

export type ServiceOptions = {
  readonly server: string;
  /** The public URL of the server. Required with `credentials.privateKey`. */
  readonly publicUrl?: string;
  readonly credentials: AnyCredentials;
  readonly retry: RetryOptions;
  /** Opens a transport with an interceptor. Called for tokens and for all other calls. */
  readonly connect: (interceptor: Interceptor) => Transport;
  readonly prover?: Prover | undefined;
};

/** Opens the methods that fetch tokens. Their requests have an assertion and a proof. */
export function openIssuance(options: ServiceOptions) {
  const { server, publicUrl = '', credentials, retry, connect, prover } = options;
  const makeAssertion = assertionsOf(credentials, publicUrl);
  const interceptor = issuanceInterceptor({ server, retry, prover, makeAssertion });
  const issuance = createTypedClient(IssuanceService, connect(interceptor));
  return { issuance, exchangeToken: createExchange(credentials, issuance, prover) };
}

type OpenTransport = {
  readonly tokens: TokenSource;
  readonly exchangeToken: ExchangeToken;
  readonly transport: Transport;
};

/** Opens a transport whose calls have a token and an idempotency key, and are repeated. */
export function openTransport(options: ServiceOptions): OpenTransport {
  const { server, credentials, retry, connect, prover } = options;
  const { issuance, exchangeToken } = openIssuance(options);
  const tokens = tokenSourceOf(credentials, issuance, prover);
  const transport = connect(callInterceptor({ server, tokens, retry, prover }));
  return { tokens, exchangeToken, transport };
}

type OpenServices = Omit<OpenTransport, 'transport'> & { readonly services: Services };

/** The parts that are the same over each protocol. */
export function openServices(options: ServiceOptions): OpenServices {
  const { transport, ...opened } = openTransport(options);
  return { ...opened, services: createServices(transport) };
}

type ClientParts = OpenServices & {
  readonly upload: Upload;
  readonly prover: Prover | undefined;
};

export function clientOf(parts: ClientParts): LatchkeyClient {
  const { services, tokens, exchangeToken, upload, prover } = parts;
  return {
    ...services,
    ...{ upload, exchangeToken },
    accessToken: ({ signal } = {}) => tokens.get(signal),
    async accessHeaders({ signal, ...request }) {
      return presentToken(prover, { ...request, token: await tokens.get(signal) });
    },
  };
}
