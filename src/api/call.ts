// A call from a transport, and the Connect context for its handler. The context is created lazily,
// because Headers and AbortController cost more than most handlers.

import { randomUUID } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import { type ContextValues, createContextValues, type HandlerContext } from '@connectrpc/connect';

export type Transport = 'http' | 'grpc' | 'connect';

export type Call = {
  readonly transport: Transport;
  readonly requestId: string;
  /** The caller's network address. */
  readonly peer: string;
  readonly context: HandlerContext;
  /** The first value of a request header, by its lower-case name. */
  header(name: string): string | undefined;
  /** Whether the caller closed the connection before the response. */
  isGone(): boolean;
};

const saneRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** Uses the caller's `X-Request-Id` if it is well-formed, and generates one otherwise. */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && saneRequestId.test(header) ? header : randomUUID();
}

type LazyContextInit = {
  readonly method: DescMethod;
  readonly protocolName: string;
  readonly requestMethod: string;
  readonly url: string;
  readonly headers: () => Headers;
  /** Calls back once when the caller closes the connection. */
  readonly onGone: (abort: (reason: unknown) => void) => void;
  readonly timeoutMs?: () => number | undefined;
};

/** A HandlerContext for the transports that do not go through Connect's own handlers. */
export class LazyContext implements HandlerContext {
  readonly method: DescMethod;
  readonly protocolName: string;
  readonly requestMethod: string;
  readonly url: string;
  readonly values: ContextValues = createContextValues();
  readonly timeoutMs: () => number | undefined;
  readonly #init: LazyContextInit;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #abort: AbortController | undefined;

  constructor(init: LazyContextInit) {
    this.#init = init;
    this.method = init.method;
    this.protocolName = init.protocolName;
    this.requestMethod = init.requestMethod;
    this.url = init.url;
    this.timeoutMs = init.timeoutMs ?? (() => undefined);
  }

  get service() {
    return this.method.parent;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= this.#init.headers();
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
      this.#init.onGone((reason) => controller.abort(reason));
    }
    return this.#abort.signal;
  }

  /** The response headers, if a handler has set any. */
  get touchedResponseHeader(): Headers | undefined {
    return this.#responseHeader;
  }
}
