// Calls with an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header). The answer is recorded
// in the transaction of the change, so that a repeated call gets it and changes nothing. See
// docs/decisions/0004.
import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { Failure, invalid } from '../../base/errors/errors.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import type { Call } from '../call.ts';
import { actingClientOf, type Principal, principalId } from '../principal.ts';

const idempotencyHeader = 'idempotency-key';
export const replayedHeader = 'idempotency-replayed';

const keyLengthMax = 128;

export type KeyedCall = {
  readonly caller: string;
  readonly key: string;
};

export type KeyedRequest = {
  readonly identity: string;
  readonly scopes: readonly string[];
};

export type RecordedAnswers = {
  has(call: KeyedCall): Promise<boolean>;
  /** Throws `idempotency_key_reused` for another request, `forbidden` if scopes were lost. */
  find(call: KeyedCall, request: KeyedRequest): Promise<Uint8Array | undefined>;
  /** Throws `AlreadyRecorded` if another call with the key has committed. */
  record(trx: Executor, call: KeyedCall, request: KeyedRequest, answer: Uint8Array): Promise<void>;
  withdraw(trx: Executor, call: KeyedCall): Promise<void>;
};

export type Claim = {
  readonly isRecorded: boolean;
  readonly record: (trx: Executor, answer: object) => Promise<void>;
  readonly withdraw: (trx: Executor) => Promise<void>;
};

export class AlreadyRecorded extends Failure {
  constructor() {
    const detail = 'Another call with the same Idempotency-Key has just ended.';
    super('unavailable', detail, { retryAfterSeconds: 1 });
  }
}

const claimKey = createContextKey<Claim | undefined>(undefined, {
  description: 'the claim of an Idempotency-Key',
});

/** Undefined for a call without a key. */
export function claimOf(context: HandlerContext): Claim | undefined {
  return context.values.get(claimKey);
}

export function setClaim(context: HandlerContext, claim: Claim): void {
  context.values.set(claimKey, claim);
}

/** Returns undefined if the call has no key. Throws `invalid_argument` for a malformed one. */
export function readKeyedCall(call: Call, principal: Principal): KeyedCall | undefined {
  const header = call.header(idempotencyHeader);
  if (header === undefined) return undefined;
  const key = parseKey(header.trim());
  // A client that acts for the principal does not get the answers to the principal's own calls.
  const callers = [principal.type, principalId(principal), actingClientOf(principal)];
  return { caller: callers.filter((part) => part !== '').join(':'), key };
}

/** Accepts a string of RFC 8941 §3.3.3, as in the draft, and also one without quotes. */
function parseKey(header: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted === undefined ? header : quoted.replace(/\\(.)/g, '$1');
  if (!/^[ -~]+$/.test(key)) {
    throw invalid('Idempotency-Key', 'must be one or more printable ASCII characters');
  }
  // Node joins repeated headers with a comma.
  if (quoted === undefined && key.includes(',')) {
    throw invalid(
      'Idempotency-Key',
      'must be sent once, and without a comma unless it is in quotes',
    );
  }
  if (key.length > keyLengthMax) {
    throw invalid('Idempotency-Key', `must be at most ${keyLengthMax} characters`);
  }
  return key;
}
