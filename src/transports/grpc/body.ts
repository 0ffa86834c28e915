// The body of one gRPC call while it arrives: its limits and the count of its bytes.
import { Code } from '@connectrpc/connect';
import { type StatusObject, status } from '@grpc/grpc-js';
import type { BodyAccount, BodyBudget } from '../../api/body-budget.ts';
import { Failure, fail } from '../../base/errors/errors.ts';
import { undeclaredCompression } from '../../base/errors/undeclared-compression.ts';

/**
 * The limit of grpc-js for one message, before and after decompression. A message of an upload
 * contains a chunk of at most 1 MiB.
 */
export const messageBytesMax = 1024 * 1024 + 64 * 1024;

/** The memory for a message in addition to its bytes. */
const messageOverheadBytes = 512;

export type BodyRules = {
  readonly budget: BodyBudget;
  readonly bytesMax: number;
  readonly isStream: boolean;
};

type Receiver = {
  /** Refuses the call. The rest of its body is dropped on arrival. */
  refuseBody(failure: Failure): void;
};

export class GrpcBody {
  readonly #rules: BodyRules;
  readonly #receiver: Receiver;
  readonly #isCompressed: boolean;
  readonly #lengths = new MessageLengths();
  #account: BodyAccount | undefined;
  #messages = 0;
  #isDropped = false;

  /** `isCompressed` is whether the headers of the call name a compression. */
  constructor(rules: BodyRules, receiver: Receiver, isCompressed: boolean) {
    this.#rules = rules;
    this.#receiver = receiver;
    this.#isCompressed = isCompressed;
  }

  /** Whether the bytes so far end in the middle of a message. */
  get isIncomplete(): boolean {
    return this.#lengths.isIncomplete;
  }

  release(): void {
    this.#account?.release();
  }

  /** Drops the rest of the body: the call has ended. */
  drop(): void {
    this.#isDropped = true;
    this.release();
  }

  /** Counts the bytes. Returns false if they are dropped. */
  admits(chunk: Buffer): boolean {
    if (this.#isDropped) return false;
    try {
      this.#count(chunk);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      this.drop();
      this.#receiver.refuseBody(thrown);
      return false;
    }
  }

  #count(chunk: Buffer): void {
    const { messages, longest, compressed } = this.#lengths.read(chunk);
    const { bytesMax, isStream, budget } = this.#rules;
    if (longest > bytesMax) {
      throw fail('payload_too_large', `A message is larger than ${bytesMax} bytes.`);
    }
    this.#messages += messages;
    if (this.#messages > 1 && !isStream) {
      const detail = 'The request contains more than one message.';
      throw fail('invalid_argument', detail, { grpc: Code.Unimplemented });
    }
    // grpc-js would read the compressed bytes as a message.
    if (compressed > 0 && !this.#isCompressed) throw undeclaredCompression();
    const bytes = chunk.length + messages * messageOverheadBytes + compressed * messageBytesMax;
    this.#account ??= budget.open();
    this.#account.add(bytes);
  }
}

type Status = { readonly code?: StatusObject['code'] | null; readonly details?: string | null };

/** Maps grpc-js statuses for unreadable bodies and headers to errors. Undefined for others. */
export function unreadableFailureOf({ code, details }: Status): Failure | undefined {
  switch (code) {
    case status.INTERNAL:
      return fail(
        'invalid_argument',
        details?.startsWith('Invalid grpc-timeout')
          ? 'The timeout of the call is not valid.'
          : 'A message cannot be decompressed.',
      );
    case status.RESOURCE_EXHAUSTED:
      return fail('payload_too_large', 'A message is larger than the limit.');
    case status.UNIMPLEMENTED:
      return fail('invalid_argument', 'The compression of a message is not supported.', {
        grpc: Code.Unimplemented,
      });
    default:
      return undefined;
  }
}

/** Parses the message prefixes: one byte of flags and four bytes of length. */
class MessageLengths {
  #prefixBytes = 0;
  #length = 0;
  #missing = 0;

  get isIncomplete(): boolean {
    return this.#prefixBytes > 0 || this.#missing > 0;
  }

  /** Counts the messages whose prefix is in these bytes, and returns the longest length. */
  read(chunk: Buffer): { messages: number; longest: number; compressed: number } {
    let [messages, longest, compressed] = [0, 0, 0];
    let at = 0;
    while (at < chunk.length) {
      if (this.#missing > 0) {
        const taken = Math.min(this.#missing, chunk.length - at);
        this.#missing -= taken;
        at += taken;
        continue;
      }
      const byte = chunk[at] ?? 0;
      at += 1;
      if (this.#prefixBytes === 0) {
        messages += 1;
        compressed += byte === 0 ? 0 : 1;
        this.#length = 0;
      } else {
        this.#length = this.#length * 256 + byte;
      }
      this.#prefixBytes += 1;
      if (this.#prefixBytes < 5) continue;
      this.#prefixBytes = 0;
      this.#missing = this.#length;
      longest = Math.max(longest, this.#length);
    }
    return { messages, longest, compressed };
  }
}
