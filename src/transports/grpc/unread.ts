// Counts what the client of a gRPC call has not read.
import type { ServerHttp2Stream } from 'node:http2';
import {
  flowingMs,
  type ResponseAccount,
  type ResponseBudget,
  smallBytes,
} from '../../api/response-budget.ts';
import { networkOf } from '../../base/net/network.ts';
import { endStream } from '../http/connections.ts';

export class GrpcUnread {
  readonly #budget: ResponseBudget;
  readonly #stream: ServerHttp2Stream;
  readonly #peer: string;
  #account: ResponseAccount | undefined;
  #writtenAt = 0;
  #isFlowing = false;
  #isAnswered = false;

  constructor(budget: ResponseBudget, stream: ServerHttp2Stream, peer: string) {
    this.#budget = budget;
    this.#stream = stream;
    this.#peer = peer;
  }

  /** Throws `unavailable` if the client has too many unread responses. */
  admit(): void {
    if (this.#budget.held().bytes > 0) this.#budget.admit(this.#client());
  }

  get account(): ResponseAccount {
    if (this.#account === undefined) {
      const stream = this.#stream;
      const account = this.#budget.open({ ...this.#client(), end: () => endStream(stream) });
      if (stream.destroyed) account.close();
      else stream.once('close', () => account.close());
      this.#account = account;
    }
    return this.#account;
  }

  count(): void {
    this.#writtenAt = performance.now();
    this.#hold(this.#stream.writableLength);
  }

  /** Call it when the call is answered. Its stream stays until the client has read the end. */
  noteEnd(): void {
    this.#isAnswered = true;
    this.#hold(this.#stream.writableLength);
  }

  countAnswered(): void {
    if (this.#isAnswered) this.account.hold(Math.max(1, this.#stream.writableLength));
  }

  /** Call it when the last part is written. */
  noteWritten(): void {
    this.#isFlowing = performance.now() - this.#writtenAt < flowingMs;
    this.#hold(this.#stream.writableLength);
  }

  /** Whether the next part may be read while the client reads the last one. Counts it. */
  readsAhead(): boolean {
    const readsAhead = this.#isFlowing && this.account.hasRoom();
    if (readsAhead) this.#hold(2 * this.#stream.writableLength);
    return readsAhead;
  }

  #hold(bytes: number): void {
    if (bytes >= smallBytes || this.#account !== undefined) this.account.hold(bytes);
  }

  #client() {
    return { network: networkOf(this.#peer), connection: this.#stream.session ?? this.#stream };
  }
}
