// The call of a method over HTTP/JSON, for the guard.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescMethod } from '@bufbuild/protobuf';
import { type Call, type ContextSource, LazyContext } from '../../api/call.ts';
import { canceledCall } from '../http/deadlines.ts';
import { clientCertificateOf } from '../tls/client-certificate.ts';
import type { RoutedRequest } from './routed-request.ts';

export class HttpCall implements Call, ContextSource {
  readonly transport = 'http';
  readonly protocolName = 'http';
  readonly method: DescMethod;
  readonly requestId: string;
  readonly peer: string;
  readonly requestMethod: string;
  readonly url: string;
  readonly context: LazyContext;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(
    method: DescMethod,
    { requestId, peer }: RoutedRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    this.method = method;
    this.requestId = requestId;
    this.peer = peer;
    this.requestMethod = request.method ?? '';
    this.url = request.url ?? '';
    this.#request = request;
    this.#response = response;
    this.context = new LazyContext(this);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  }

  clientCertificate() {
    return clientCertificateOf(this.#request.socket);
  }

  headers(): Headers {
    return headersOf(this.#request);
  }

  isGone(): boolean {
    return this.#request.socket.destroyed;
  }

  onGone(abort: (reason: unknown) => void): void {
    const gone = () => abort(canceledCall());
    if (this.isGone()) gone();
    // The response closes with the request, but the connection may stay open.
    else this.#response.once('close', () => this.#response.writableFinished || gone());
  }
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // HTTP/2 has the method and the path here, which are not headers.
    if (name.startsWith(':')) continue;
    for (const item of Array.isArray(value) ? value : [value ?? '']) headers.append(name, item);
  }
  return headers;
}
