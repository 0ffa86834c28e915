// A call from a transport, and the Connect context for its handler. The context is created lazily,
// because Headers and AbortController cost more than most handlers.

import { randomUUID } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import { type ContextValues, createContextValues, type HandlerContext } from '@connectrpc/connect';

export type Transport = 'http' | 'grpc' | 'connect';

export type Call = {
  readonly transport: Transport;
  readonly requestId: string;
  readonly peer: string;
  readonly context: HandlerContext;
  header(name: string): string | undefined;
  /** Undefined without TLS, or if the client presented no certificate in the handshake. */
  clientCertificate(): ClientCertificate | undefined;
  isGone(): boolean;
};

export type ClientCertificate = {
  /** The subject alternative names (RFC 5280 §4.2.1.6); DNS names in lower case. */
  readonly uris: readonly string[];
  readonly dnsNames: readonly string[];
  /** The time from which and until which it is valid, in milliseconds since 1970. */
  readonly startTime: number;
  readonly expireTime: number;
  readonly isTrusted: boolean;
  /** The SHA-256 digest of the certificate, in base64url (RFC 8705 §3.1). */
  readonly sha256: string;
};

const saneRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** Uses the caller's `X-Request-Id` if it is well-formed, and generates one otherwise. */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && saneRequestId.test(header) ? header : randomUUID();
}

export type ContextSource = {
  readonly method: DescMethod;
  readonly protocolName: string;
  readonly requestMethod: string;
  readonly url: string;
  headers(): Headers;
  onGone(abort: (reason: unknown) => void): void;
  timeoutMs?(): number | undefined;
};

/** Its functions use `this`, so that objects with this prototype have separate values. */
const noValues = createContextValues();

export class LazyContext implements HandlerContext {
  readonly values: ContextValues = Object.create(noValues);
  readonly #source: ContextSource;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #abort: AbortController | undefined;

  constructor(source: ContextSource) {
    this.#source = source;
  }

  get method(): DescMethod {
    return this.#source.method;
  }

  get protocolName(): string {
    return this.#source.protocolName;
  }

  get requestMethod(): string {
    return this.#source.requestMethod;
  }

  get url(): string {
    return this.#source.url;
  }

  timeoutMs(): number | undefined {
    return this.#source.timeoutMs?.();
  }

  get service() {
    return this.method.parent;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= this.#source.headers();
    return this.#requestHeader;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const controller = new AbortController();
      this.#abort = controller;
      this.#source.onGone((reason) => controller.abort(reason));
    }
    return this.#abort.signal;
  }

  get touchedResponseHeader(): Headers | undefined {
    return this.#responseHeader;
  }
}
