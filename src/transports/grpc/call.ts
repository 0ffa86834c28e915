// One gRPC call, as the interceptor receives it: after its headers and before its body. The
// handlers of grpc-js would start only after the body.
import { constants, type ServerHttp2Stream } from 'node:http2';
import { fromBinary, type Message } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { Metadata, type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import { type BodyBudget, unaryBodyBytesMax } from '../../api/body-budget.ts';
import { type Call, LazyContext, requestIdFrom } from '../../api/call.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import { type Failure, fail, failureOf } from '../../errors/errors.ts';
import { normaliseAddress } from '../../net/address.ts';
import { GrpcBody, messageBytesMax, unreadableFailureOf } from './body.ts';
import type { CallLimits } from './call-limits.ts';
import type { ActiveCall } from './connections.ts';
import { errorMetadata, headersOf } from './metadata.ts';

type Listener = Parameters<ServerInterceptingCallInterface['start']>[0];

export type GrpcCallInit = {
  readonly endpoint: Endpoint;
  readonly base: ServerInterceptingCallInterface;
  readonly stream: ServerHttp2Stream;
  readonly budget: BodyBudget;
  readonly limits: CallLimits;
  /** Handles the call. Called after its headers have arrived. */
  readonly serve: (call: GrpcCall) => void;
};

export class GrpcCall implements Call, Listener, ActiveCall {
  readonly transport = 'grpc';
  readonly context: LazyContext;
  requestId = '';
  due: number;
  readonly #init: GrpcCallInit;
  readonly #body: GrpcBody;
  readonly #isUpload: boolean;
  #metadata: Metadata | undefined;
  #message: Buffer | undefined;
  #hasBody = false;
  #failure: Failure | undefined;
  #read: { resolve(bytes: Buffer | undefined): void; reject(failure: Failure): void } | undefined;
  #written: (() => void) | undefined;
  #abort: ((reason: unknown) => void) | undefined;
  #isHeadSent = false;
  #isAnswered = false;
  #isAccepted = false;
  #isEnded = false;

  constructor(init: GrpcCallInit) {
    const { endpoint, base, budget, limits } = init;
    this.#init = init;
    this.#isUpload = endpoint.kind === 'client_streaming';
    this.due = performance.now() + (this.#isUpload ? limits.uploadMs : limits.bodyMs);
    const bytesMax = this.#isUpload ? messageBytesMax : unaryBodyBytesMax;
    const rules = { budget, bytesMax, isStream: this.#isUpload };
    this.#body = new GrpcBody(base, rules, (failure) => this.#fail(failure));
    this.context = new LazyContext({
      method: endpoint.descriptor,
      protocolName: 'grpc',
      requestMethod: 'POST',
      url: `/${endpoint.name}`,
      headers: () => headersOf(this.#metadata),
      onGone: (abort) => {
        if (this.isGone()) abort(this.#failure);
        else this.#abort = abort;
      },
      timeoutMs: () => {
        const deadline = Number(init.base.getDeadline());
        return Number.isFinite(deadline) ? deadline - Date.now() : undefined;
      },
    });
    const { sendStatus } = base;
    // Before the response starts, grpc-js refuses the call without error details.
    base.sendStatus = (sent) => {
      const failure = this.#isAnswered ? undefined : unreadableFailureOf(sent);
      if (failure === undefined) sendStatus.call(base, sent);
      else this.#fail(failure);
    };
  }

  get peer(): string {
    return normaliseAddress(this.#init.base.getConnectionInfo().remoteAddress ?? '');
  }

  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  header(name: string): string | undefined {
    const value = this.#metadata?.get(name)[0];
    return typeof value === 'string' ? value : undefined;
  }

  isGone(): boolean {
    return this.#failure?.code === 'canceled';
  }

  /** Reads the request of a unary call. */
  request(): Promise<Message> {
    return this.#next().then((bytes) => {
      if (bytes !== undefined) return this.#decode(bytes);
      throw fail('invalid_argument', 'The request contains no message.', {
        grpc: Code.Unimplemented,
      });
    });
  }

  /** Reads the requests of an upload, each on demand. */
  async *requests(): AsyncGenerator<Message> {
    for (;;) {
      const bytes = await this.#next();
      if (bytes === undefined) return;
      this.#body.release();
      yield this.#decode(bytes);
    }
  }

  /** Sends the response, or only its end if `message` is undefined. */
  respond(message?: Message): void {
    if (this.#isEnded) return;
    this.#finish();
    const { access, hasSecretResponse } = this.#init.endpoint;
    // Responses of other public methods are the same for everyone.
    this.#isAccepted ||= access.public && hasSecretResponse;
    const { base } = this.#init;
    this.#sendHead();
    // The end is sent together with the response, which saves writes.
    if (message !== undefined) base.sendMessage(message, () => {});
    base.sendStatus({ code: status.OK, details: 'OK', metadata: null });
  }

  /** Sends a part of the response. Resolves when the client can receive the next part. */
  write(message: Message): Promise<void> {
    this.due = performance.now() + this.#init.limits.unreadMs;
    return new Promise((resolve) => {
      this.#written = () => {
        this.due = Number.POSITIVE_INFINITY;
        this.#written = undefined;
        resolve();
      };
      this.#sendHead();
      if (this.isGone()) this.#written();
      else this.#init.base.sendMessage(message, this.#written);
    });
  }

  /** Ends the call with an error. Never throws. */
  refuse(error: unknown): void {
    if (this.#isEnded) return;
    try {
      this.#refuse(error);
    } catch {
      // For example, HTTP/2 cannot carry a header that the handler has set.
      this.#init.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    }
  }

  #refuse(error: unknown): void {
    this.#finish();
    const failure = failureOf(error);
    this.#sendHead();
    this.#init.base.sendStatus({
      code: Number(failure.grpc),
      details: failure.message,
      metadata: errorMetadata(failure, this.requestId),
    });
  }

  /** Sends the headers, with those that the handler has set so far. */
  #sendHead(): void {
    if (this.#isHeadSent) return;
    this.#isHeadSent = true;
    const metadata = new Metadata();
    metadata.set('x-request-id', this.requestId);
    for (const [name, value] of this.context.touchedResponseHeader ?? []) metadata.add(name, value);
    this.#init.base.sendMetadata(metadata);
  }

  expire(): void {
    const { stream, limits } = this.#init;
    this.due = Number.POSITIVE_INFINITY;
    if (stream.writableFinished) {
      stream.close(constants.NGHTTP2_NO_ERROR);
      return;
    }
    if (this.#isAnswered || this.#written !== undefined || this.#hasBody) {
      stream.close(constants.NGHTTP2_CANCEL);
      return;
    }
    const seconds = Math.round((this.#isUpload ? limits.uploadMs : limits.bodyMs) / 1000);
    const detail = `The request did not arrive in full within ${seconds} seconds.`;
    this.#fail(fail('canceled', detail, { grpc: Code.DeadlineExceeded }));
  }

  end(failure: Failure): void {
    if (this.#isAnswered) return;
    this.#fail(failure);
    this.refuse(failure);
    this.#isEnded = true;
  }

  onReceiveMetadata(metadata: Metadata): void {
    this.#metadata = metadata;
    this.requestId = requestIdFrom(this.header('x-request-id'));
    this.#init.serve(this);
  }

  onReceiveMessage(message: Buffer): void {
    if (this.#isUpload) {
      this.#resolve(message);
      return;
    }
    this.#message = message;
    this.#init.base.startRead();
  }

  onReceiveHalfClose(): void {
    // A client that cancels an upload may end its body immediately before it resets the stream.
    if (this.#isUpload) setImmediate(() => this.#endBody());
    else this.#endBody();
  }

  #endBody(): void {
    if (this.#init.stream.closed || this.#failure !== undefined) return;
    this.#hasBody = true;
    this.due = Number.POSITIVE_INFINITY;
    const message = this.#message;
    this.#message = undefined;
    this.#resolve(message);
  }

  /** The call has ended: the client cancelled it, or its status was sent. */
  onCancel(): void {
    this.#body.drop();
    // The rest of a body is dropped. Resetting the stream now could overtake the status.
    if (!this.#hasBody) this.due = performance.now() + this.#init.limits.restMs;
    if (this.#isAnswered) return;
    const isLate = Number(this.#init.base.getDeadline()) <= Date.now();
    const failure = isLate
      ? fail('canceled', 'The deadline of the call has passed.', { grpc: Code.DeadlineExceeded })
      : fail('canceled', 'The caller closed the connection.');
    this.#fail(failure);
  }

  #next(): Promise<Buffer | undefined> {
    // The guard reads the body after it has accepted the credential.
    this.#isAccepted ||= !this.#init.endpoint.access.public;
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#hasBody) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#read = { resolve, reject };
      this.#init.base.startRead();
    });
  }

  #resolve(bytes: Buffer | undefined): void {
    const read = this.#read;
    this.#read = undefined;
    read?.resolve(bytes);
  }

  #fail(failure: Failure): void {
    this.#failure ??= failure;
    this.#read?.reject(this.#failure);
    this.#read = undefined;
    this.#written?.();
    this.#abort?.(this.#failure);
    this.#abort = undefined;
  }

  #decode(bytes: Buffer): Message {
    this.#body.release();
    if (bytes.length > unaryBodyBytesMax && !this.#isUpload) {
      const detail = `A message is larger than ${unaryBodyBytesMax} bytes.`;
      throw fail('payload_too_large', detail);
    }
    try {
      return fromBinary(this.#init.endpoint.descriptor.input, bytes);
    } catch (cause) {
      throw fail('invalid_argument', 'The request is not a valid message of this method.', {
        cause,
      });
    }
  }

  #finish(): void {
    this.#isAnswered = true;
    this.due = performance.now() + this.#init.limits.unreadMs;
  }
}
