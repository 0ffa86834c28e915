// HTTP/2 for the HTTP listener with TLS (RFC 9113). The requests and responses of node:http2 differ
// from those of node:http in a few points, which this file evens out.

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  constants,
  createServer,
  type Http2Server,
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Duplex, ReadableOptions } from 'node:stream';
import { connectionLimits, limitConnections } from './connections.ts';
import { rememberExpectation } from './request-body.ts';
import { type HttpServerOptions, stalledMs } from './server.ts';
import type { Unread } from './unread.ts';

export type Http2 = {
  /** Serves a connection that has negotiated `h2`. */
  serve(socket: Duplex): void;
  /** Asks clients to open no further streams, and ends the connections after their requests. */
  retire(): Promise<void>;
  destroy(): void;
  /** Stops the checks of connections. */
  end(): void;
};

export type Http2Options = Pick<
  HttpServerOptions,
  'limits' | 'unread' | 'accept' | 'refuse' | 'refuseExpectation'
> & {
  readonly isExtended: (request: IncomingMessage) => boolean;
};

const streamsMax = 100;
const headerBytesMax = 16 * 1024;
/** After these node:http2 ends a connection. Node's types do not have the options. */
const refusals = { maxSessionInvalidFrames: 100, maxSessionRejectedStreams: 100 };
/** Like the keep-alive timeout of HTTP/1.1. */
const idleMs = 30_000;

export function createHttp2(options: Http2Options): Http2 {
  const { limits, unread, accept, refuse, refuseExpectation, isExtended } = options;
  const serverOptions: object = {
    Http2ServerRequest: Http1StyleRequest,
    Http2ServerResponse: countedResponses(unread),
    ...refusals,
    settings: {
      enablePush: false,
      maxConcurrentStreams: streamsMax,
      maxHeaderListSize: headerBytesMax,
    },
  };
  const server: Http2Server = createServer(serverOptions);
  const connections = limitConnections(server, {
    ...connectionLimits,
    connectionsMax: limits.connectionsMax,
    idleMs,
    // Like connections of HTTP/1.1, these have no maximum age.
    ageMs: Number.POSITIVE_INFINITY,
    graceMs: Number.POSITIVE_INFINITY,
  });

  function handle(
    given: Http2ServerRequest,
    givenResponse: Http2ServerResponse,
    isUnsupportedExpectation = false,
  ) {
    // The classes below have what the service uses of the classes of node:http.
    const request = given as unknown as IncomingMessage;
    const response = givenResponse as unknown as ServerResponse;
    const { stream } = givenResponse;
    stream.setTimeout(stalledMs, () => stream.close(constants.NGHTTP2_CANCEL));
    const call = {
      due: stream.endAfterHeaders ? Number.POSITIVE_INFINITY : performance.now() + limits.requestMs,
      isAccepted: true,
      unread: { countAnswered: () => unread.countAnswered(response) },
      expire() {
        call.due = Number.POSITIVE_INFINITY;
        if (!isExtended(request)) stream.close(constants.NGHTTP2_CANCEL);
      },
      end: () => stream.close(constants.NGHTTP2_CANCEL),
    };
    connections.add(stream, call);
    given.once('end', () => {
      call.due = Number.POSITIVE_INFINITY;
    });
    try {
      if (isUnsupportedExpectation) refuseExpectation(request, response);
      else accept(request, response);
    } catch (thrown) {
      refuse(thrown, request, response);
    }
  }

  server.on('request', (request, response) => handle(request, response));
  server.on('checkContinue', (request, response) => {
    rememberExpectation(request as unknown as IncomingMessage);
    handle(request, response);
  });
  server.on('checkExpectation', (request, response) => handle(request, response, true));
  return {
    serve: (socket) => void server.emit('connection', socket),
    retire: () => connections.retire(),
    destroy: () => connections.destroy(),
    // The server has no port, so it does not emit this itself.
    end: () => void server.emit('close'),
  };
}

class Http1StyleRequest extends Http2ServerRequest {
  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    options: ReadableOptions,
    rawHeaders: readonly string[],
  ) {
    super(stream, headers, options, rawHeaders);
    const authority = headers[':authority'];
    headers.host ??= authority;
    // A different Host stays, and the request is refused.
    if (headers.host === authority) delete headers[':authority'];
    // HTTP/2 forbids this header, so no client has sent it. It says that a body follows.
    if (!stream.endAfterHeaders && headers['content-length'] === undefined) {
      headers['transfer-encoding'] = 'chunked';
    }
    this.on('error', () => {});
  }

  /**
   * node:http2 reports the end of the body also if the client resets the stream. Then a part of a
   * body would look like a whole one.
   */
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    const isReset = this.stream.closed || this.stream.destroyed;
    if (chunk !== null || this.readableEnded || this.destroyed || !isReset) {
      return super.push(chunk, encoding);
    }
    this.destroy(streamReset);
    return false;
  }
}

/**
 * Shared by all streams: in a flood of resets, the stacks of new errors would take a third of the
 * time.
 */
const streamReset = Object.assign(new Error('the client has reset the stream'), {
  code: 'ECONNRESET',
});

class Http1StyleResponse extends Http2ServerResponse {
  setHeaders(headers: Headers): this {
    for (const [name, value] of headers) {
      if (name !== 'set-cookie') this.setHeader(name, value);
    }
    const cookies = headers.getSetCookie();
    if (cookies.length > 0) this.setHeader('set-cookie', cookies);
    return this;
  }

  /** node:http drops the body of a response that has none; node:http2 fails. */
  get #hasNoBody(): boolean {
    const { headRequest } = this.stream as ServerHttp2Stream & { readonly headRequest?: boolean };
    return headRequest === true || this.statusCode === 204 || this.statusCode === 304;
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (this.#hasNoBody) {
      if (!this.headersSent) this.writeHead(this.statusCode);
      const done = rest.find((argument) => typeof argument === 'function');
      if (done !== undefined) process.nextTick(done);
      return true;
    }
    return Reflect.apply(super.write, this, [chunk, ...rest]);
  }

  override end(...given: unknown[]): this {
    const [chunk, ...rest] = given;
    const isDropped = typeof chunk !== 'function' && this.#hasNoBody;
    return Reflect.apply(super.end, this, isDropped ? [null, ...rest] : given);
  }
}

/** Returns a class whose responses count what they write. `end` calls `write`. */
function countedResponses(unread: Unread): typeof Http1StyleResponse {
  return class extends Http1StyleResponse {
    override write(chunk: unknown, ...rest: unknown[]): boolean {
      const isBelowMark = super.write(chunk, ...rest);
      unread.count(this as unknown as ServerResponse);
      return isBelowMark;
    }
  };
}

// The types of Node say that these exist.
Object.defineProperties(Http1StyleResponse.prototype, {
  destroyed: {
    get(this: Http1StyleResponse) {
      return this.stream.destroyed;
    },
  },
  writableNeedDrain: {
    get(this: Http1StyleResponse) {
      return this.stream.writableNeedDrain;
    },
  },
});
