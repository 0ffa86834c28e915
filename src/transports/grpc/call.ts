// One gRPC call, as the interceptor receives it: after its headers and before its body. The
// handlers of grpc-js would start only after the body.
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { type Metadata, type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import { type Call, type ContextSource, LazyContext, requestIdFrom } from '../../api/call.ts';
import { type Failure, fail, failureOf } from '../../base/errors/errors.ts';
import { normaliseAddress } from '../../base/net/network.ts';
import { type ActiveCall, endStream } from '../http/connections.ts';
import { canceledCall, incompleteMessage, lateRequest } from '../http/late-calls.ts';
import { clientCertificateOf } from '../http/request-facts.ts';
import { GrpcBody, unreadableFailureOf } from './body.ts';
import { errorStatus, headersOf, headMetadata } from './metadata.ts';
import { decodeRequest, type GrpcMethod } from './method.ts';
import {
  type ArrivedCall,
  type CallFilter,
  filterCall,
  type SentStatus,
} from './private-members.ts';
import { GrpcUnread } from './unread.ts';

type Base = ServerInterceptingCallInterface;
type Listener = Parameters<Base['start']>[0];

export class GrpcCall implements Call, ContextSource, Listener, ActiveCall, CallFilter {
  readonly transport = 'grpc';
  readonly protocolName = 'grpc';
  readonly requestMethod = 'POST';
  readonly context = new LazyContext(this);
  requestId = '';
  due: number;
  isAccepted = false;
  readonly unread: GrpcUnread;
  readonly #method: GrpcMethod<GrpcCall>;
  readonly #base: Base;
  readonly #stream: ServerHttp2Stream;
  readonly #body: GrpcBody;
  #metadata: Metadata | undefined;
  #message: Buffer | undefined;
  #hasBody = false;
  #failure: Failure | undefined;
  #read: { resolve(bytes: Buffer | undefined): void; reject(failure: Failure): void } | undefined;
  #written: (() => void) | undefined;
  #abort: ((reason: unknown) => void) | undefined;
  #isHeadSent = false;
  #isAnswered = false;
  #isEnded = false;
  /** Whether grpc-js has ended the call at its deadline. */
  #isLate = false;

  constructor(method: GrpcMethod<GrpcCall>, base: Base, arrived: ArrivedCall) {
    const { stream, isCompressed, problem } = arrived;
    // The guard then reads no message.
    if (problem !== undefined) this.#failure = fail('invalid_argument', problem);
    this.#method = method;
    this.#base = base;
    this.#stream = stream;
    this.due = performance.now() + this.#bodyMs;
    this.unread = new GrpcUnread(method.responses, stream, this.peer);
    this.#body = new GrpcBody(method.body, this, isCompressed);
    filterCall(base, stream, this);
  }

  start(): void {
    this.#base.start(this);
  }

  get method(): DescMethod {
    return this.#method.endpoint.descriptor;
  }

  get url(): string {
    return `/${this.#method.endpoint.name}`;
  }

  headers(): Headers {
    return headersOf(this.#metadata);
  }

  onGone(abort: (reason: unknown) => void): void {
    if (this.isGone()) abort(this.#failure);
    else this.#abort = abort;
  }

  timeoutMs(): number | undefined {
    const deadline = Number(this.#base.getDeadline());
    return Number.isFinite(deadline) ? deadline - Date.now() : undefined;
  }

  get isFirst(): boolean {
    return this.#stream.id === 1;
  }

  get #bodyMs(): number {
    const { isUpload, limits } = this.#method;
    return isUpload ? limits.uploadMs : limits.bodyMs;
  }

  get peer(): string {
    return normaliseAddress(this.#base.getConnectionInfo().remoteAddress ?? '');
  }

  clientCertificate() {
    return clientCertificateOf(this.#stream.session?.socket);
  }

  header(name: string): string | undefined {
    const value = this.#metadata?.get(name)[0];
    return typeof value === 'string' ? value : undefined;
  }

  isGone(): boolean {
    return this.#failure?.code === 'canceled';
  }

  request(): Promise<Message> {
    return this.#next().then((bytes) => {
      if (bytes !== undefined) return this.#decode(bytes);
      throw fail('invalid_argument', 'The request contains no message.', {
        grpc: Code.Unimplemented,
      });
    });
  }

  async *requests(): AsyncGenerator<Message> {
    for (;;) {
      const bytes = await this.#next();
      if (bytes === undefined) return;
      yield this.#decode(bytes);
    }
  }

  /** Sends the response, or only its end if `message` is undefined. */
  respond(message?: Message): void {
    if (this.#isEnded) return;
    this.#finish();
    const { access, hasSecretResponse } = this.#method.endpoint;
    // Responses of other public methods are the same for everyone.
    this.isAccepted ||= access.public && hasSecretResponse;
    const base = this.#base;
    this.#sendHead();
    // The end is sent together with the response, which saves writes.
    if (message !== undefined) base.sendMessage(message, () => {});
    base.sendStatus({ code: status.OK, details: 'OK', metadata: null });
    this.unread.noteEnd();
  }

  /** Sends a part of the response. Resolves when the client can receive the next part. */
  write(message: Message): Promise<void> {
    this.due = performance.now() + this.#method.limits.unreadMs;
    return new Promise((resolve) => {
      this.#written = () => {
        this.due = Number.POSITIVE_INFINITY;
        this.#written = undefined;
        this.unread.noteWritten();
        resolve();
      };
      this.#sendHead();
      if (this.isGone()) this.#written();
      else this.#base.sendMessage(message, this.#written);
      this.unread.count();
    });
  }

  /** Ends the call with an error. Never throws. Without a head, the error needs no window. */
  refuse(error: unknown, hasHead = true): void {
    if (this.#isEnded) return;
    try {
      this.#refuse(error, hasHead);
    } catch {
      // For example, HTTP/2 cannot carry a header that the handler has set.
      this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    }
  }

  #refuse(error: unknown, hasHead: boolean): void {
    this.#finish();
    const failure = failureOf(error);
    if (hasHead) this.#sendHead();
    this.#base.sendStatus(errorStatus(failure, this.requestId));
    this.unread.noteEnd();
  }

  #sendHead(): void {
    if (this.#isHeadSent) return;
    this.#isHeadSent = true;
    this.#base.sendMetadata(headMetadata(this.requestId, this.context.touchedResponseHeader));
  }

  expire(): void {
    const stream = this.#stream;
    this.due = Number.POSITIVE_INFINITY;
    if (stream.writableFinished) stream.close(constants.NGHTTP2_NO_ERROR);
    else if (this.#isAnswered || this.#written !== undefined || this.#hasBody) {
      endStream(stream);
    } else this.#fail(lateRequest(this.#bodyMs));
  }

  end(failure: Failure): void {
    if (this.#isAnswered) return;
    this.#fail(failure);
    this.refuse(failure);
    this.#isEnded = true;
  }

  admits(chunk: Buffer): boolean {
    return this.#body.admits(chunk);
  }

  /** Before the response starts, grpc-js refuses the call without error details. */
  allowsStatus(sent: SentStatus): boolean {
    this.#isLate ||= !this.#isAnswered && sent.code === status.DEADLINE_EXCEEDED;
    const failure = this.#isAnswered ? undefined : unreadableFailureOf(sent);
    if (failure !== undefined) this.#fail(failure);
    return failure === undefined;
  }

  refuseBody(failure: Failure): void {
    this.#fail(failure);
  }

  onReceiveMetadata(metadata: Metadata): void {
    this.#metadata = metadata;
    this.requestId = requestIdFrom(this.header('x-request-id'));
    this.#method.serve(this);
  }

  onReceiveMessage(message: Buffer): void {
    if (this.#method.isUpload) return void this.#resolve(message);
    this.#message = message;
    this.#base.startRead();
  }

  onReceiveHalfClose(): void {
    // A client that cancels an upload may end its body immediately before it resets the stream.
    if (this.#method.isUpload) setImmediate(() => this.#endBody());
    else this.#endBody();
  }

  #endBody(): void {
    if (this.#stream.closed || this.#failure !== undefined) return;
    // grpc-js drops such a part, and an upload would lose the end of its file.
    if (this.#body.isIncomplete) return void this.#fail(incompleteMessage());
    this.#hasBody = true;
    this.due = Number.POSITIVE_INFINITY;
    this.#resolve(this.#message);
    this.#message = undefined;
  }

  /** The call has ended: the client cancelled it, or its status was sent. */
  onCancel(): void {
    this.#body.drop();
    // The rest of a body is dropped. Resetting the stream now could overtake the status.
    if (!this.#hasBody) this.due = performance.now() + this.#method.limits.trailingBodyMs;
    if (this.#isAnswered) return;
    this.#isEnded = true;
    // The status of grpc-js is sent. The rest of the body would change nothing.
    if (this.#isLate) this.#stream.close(constants.NGHTTP2_NO_ERROR);
    this.#fail(canceledCall(this.#isLate || Number(this.#base.getDeadline()) <= Date.now()));
  }

  #next(): Promise<Buffer | undefined> {
    // The guard reads the body after it has accepted the credential.
    this.isAccepted ||= !this.#method.endpoint.access.public;
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#hasBody) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#read = { resolve, reject };
      this.#base.startRead();
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
    return decodeRequest(this.#method, bytes);
  }

  #finish(): void {
    this.#isAnswered = true;
    this.due = performance.now() + this.#method.limits.unreadMs;
  }
}
