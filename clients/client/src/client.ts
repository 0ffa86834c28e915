// A client over HTTP, for Node and browsers.
import type { Interceptor, Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { IssuanceService } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import type { RetryOptions } from './attempts.ts';
import { type CertificateCredentials, type Credentials, tokenSourceOf } from './credentials.ts';
import { latchkeyErrorOfAnswer } from './errors.ts';
import { callInterceptor, issuanceInterceptor } from './interceptor.ts';
import { createServices, createTypedClient, type Services } from './services.ts';
import type { TokenSource } from './token-source.ts';
import { createUpload, type Upload } from './upload.ts';

/** The services, each with its methods, and the functions that need more than one call. */
export type LatchkeyClient = Services & {
  readonly upload: Upload;
  /** Returns an access token for calls to other services. Never an expired one. */
  accessToken(options?: { readonly signal?: AbortSignal }): Promise<string>;
};

export type ClientOptions = {
  /** The public URL of the service, such as `https://latchkey.example.com`. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** The format of messages. JSON is easier to read in a browser's tools. Default `binary`. */
  readonly format?: 'binary' | 'json';
  readonly retry?: RetryOptions;
  /** The time limit of a call with its repetitions, except uploads. Default 60 seconds. */
  readonly timeoutSeconds?: number;
};

/** Throws a TypeError if an option cannot work. No request is sent before the first call. */
export function createClient(options: ClientOptions): LatchkeyClient {
  const { credentials, format = 'binary', retry = {}, timeoutSeconds = 60 } = options;
  const baseUrl = withoutSlash(options.baseUrl);
  const connect = (interceptor: Interceptor) =>
    createConnectTransport({
      baseUrl,
      useBinaryFormat: format === 'binary',
      interceptors: [interceptor],
      defaultTimeoutMs: timeoutSeconds * 1000,
      fetch: fetchFromLatchkey,
    });
  const { tokens, services } = openServices({ credentials, retry, connect });
  return clientOf(services, tokens, createUpload(baseUrl, { tokens, retry }));
}

/** Errors of Connect are JSON. Others come from a proxy, and Connect would misread their status. */
const fetchFromLatchkey: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  if (response.status < 300 || isJson) return response;
  const header = (name: string) => response.headers.get(name);
  await response.body?.cancel();
  throw latchkeyErrorOfAnswer({ status: response.status, header, text: '' });
};

function withoutSlash(text: string): string {
  const { protocol, href } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('baseUrl must be a URL.');
  return href.replace(/\/+$/, '');
}

export type ServiceOptions = {
  readonly credentials: Credentials | CertificateCredentials;
  readonly retry: RetryOptions;
  /** Opens a transport with an interceptor. Called for tokens and for all other calls. */
  readonly connect: (interceptor: Interceptor) => Transport;
};

type OpenServices = {
  readonly tokens: TokenSource;
  readonly services: Services;
  readonly transport: Transport;
};

/** The parts that are the same over each protocol. */
export function openServices({ credentials, retry, connect }: ServiceOptions): OpenServices {
  const issuance = createTypedClient(IssuanceService, connect(issuanceInterceptor(retry)));
  const tokens = tokenSourceOf(credentials, issuance);
  const transport = connect(callInterceptor({ tokens, retry }));
  return { tokens, services: createServices(transport), transport };
}

export function clientOf(services: Services, tokens: TokenSource, upload: Upload): LatchkeyClient {
  return { ...services, upload, accessToken: ({ signal } = {}) => tokens.get(signal) };
}
