// The memory for responses that the process has written and that their clients have not read. All
// transports share it, so that many clients that do not read cannot exhaust the memory together.

import type { HandlerContext } from '@connectrpc/connect';
import { fail } from '../base/errors/errors.ts';
import { createFairAmounts } from '../base/limits/fair-share.ts';
import { workspaceIfAny } from './workspace.ts';

export type ResponseBudget = {
  /** Throws `unavailable` beyond the client's share, unless a stalled response of it can end. */
  admit(client: ResponseClient): void;
  open(response: CountedResponse): ResponseAccount;
  held(): { readonly bytes: number; readonly responses: number };
};

export type ResponseClient = {
  readonly network: string;
  readonly connection: object;
};

export type CountedResponse = ResponseClient & {
  end(): void;
};

export type ResponseAccount = {
  /** Beyond the budget, ends the responses that have stalled for the longest time. */
  hold(bytes: number): void;
  /** Counts the first chunk of a body before it is read. Throws `unavailable` like `admit`. */
  reserve(workspaceId?: string): void;
  hasRoom(): boolean;
  close(): void;
};

export type ResponseBudgetOptions = {
  readonly bytesMax: number;
  /** After this time without progress, a response has stalled: 5 seconds, except in tests. */
  readonly stalledMs?: number | undefined;
};

export const flowingMs = 500;

/** Counted only if still open at the next check: a burst of calls would use up the budget. */
export const smallBytes = 16 * 1024;

/** Counted for each unread response, for the objects of its stream and its request. */
export const responseBytes = 32 * 1024;
/** The first chunk of a body. Later ones are larger if the client reads fast. */
export const firstChunkBytes = 64 * 1024;
const connectionPart = 1 / 4;
/** A network that holds less need not wait until others have stalled. */
const lightPart = 1 / 64;
/** Responses read ahead up to this part of the budget, and of the connection's part. */
const aheadPart = 1 / 4;

export function createResponseBudget(options: ResponseBudgetOptions): ResponseBudget {
  return new Budget(options.bytesMax, options.stalledMs ?? 5_000);
}

class Budget implements ResponseBudget {
  readonly #bytesMax: number;
  readonly #stalledMs: number;
  readonly #byNetwork;
  readonly #byWorkspace;
  readonly #byConnection = new WeakMap<object, number>();
  readonly #unread = new Set<Account>();
  #bytes = 0;

  constructor(bytesMax: number, stalledMs: number) {
    this.#bytesMax = bytesMax;
    this.#stalledMs = stalledMs;
    this.#byNetwork = createFairAmounts(bytesMax);
    this.#byWorkspace = createFairAmounts(bytesMax);
  }

  admit({ network, connection }: ResponseClient): void {
    if (this.#bytes === 0) return;
    const isLight = this.#isLight(network);
    if (this.#bytes >= this.#bytesMax && !this.#endStalled(() => true, isLight)) throw tooMany();
    const ofNetwork = ({ response }: Account) => response.network === network;
    const hasShare = isLight || this.#byNetwork.hasShare(network);
    if (!hasShare && !this.#endStalled(ofNetwork)) throw tooMany();
    const own = this.#byConnection.get(connection) ?? 0;
    const ofConnection = ({ response }: Account) => response.connection === connection;
    const ownMax = this.#bytesMax * connectionPart;
    if (own >= ownMax && !this.#endStalled(ofConnection)) throw tooMany();
  }

  open(response: CountedResponse): ResponseAccount {
    return new Account(response, this);
  }

  hasRoomFor({ response: { connection } }: Account): boolean {
    const ofConnection = this.#byConnection.get(connection) ?? 0;
    const isBelow = ofConnection < this.#bytesMax * connectionPart * aheadPart;
    return isBelow && this.#bytes < this.#bytesMax * aheadPart;
  }

  held() {
    return { bytes: this.#bytes, responses: this.#unread.size };
  }

  admitContent({ response, workspaceId }: Account): void {
    const isLight = this.#isLight(response.network);
    this.admit(response);
    const ofWorkspace = (account: Account) => account.workspaceId === workspaceId;
    const hasShare = workspaceId === '' || this.#byWorkspace.hasShare(workspaceId);
    if (!hasShare && !this.#endStalled(ofWorkspace, isLight)) throw tooMany();
  }

  /** A network that holds little must get in, although others fill the budget. */
  #isLight(network: string): boolean {
    return this.#byNetwork.of(network) < this.#bytesMax * lightPart;
  }

  noteProgress(account: Account): void {
    this.#unread.delete(account);
    this.#unread.add(account);
  }

  forget(account: Account): void {
    this.#unread.delete(account);
  }

  count(change: number, { response, workspaceId }: Account): void {
    const { network, connection } = response;
    this.#bytes += change;
    this.#byNetwork.add(network, change);
    if (workspaceId !== '') this.#byWorkspace.add(workspaceId, change);
    this.#byConnection.set(connection, (this.#byConnection.get(connection) ?? 0) + change);
  }

  makeRoom(): void {
    while (this.#bytes > this.#bytesMax && this.#endOldest(() => true));
  }

  #endStalled(isOne: (account: Account) => boolean, isUrgent = false): boolean {
    return this.#endOldest(isOne, isUrgent ? undefined : performance.now() - this.#stalledMs);
  }

  /** A response of which nothing was sent ends last: the service holds it up, not its client. */
  #endOldest(isOne: (account: Account) => boolean, latest = Number.POSITIVE_INFINITY): boolean {
    for (const isSent of [true, false]) {
      for (const account of this.#unread) {
        if (account.progressAt > latest) break;
        if (account.isSent !== isSent || !isOne(account)) continue;
        account.end();
        return true;
      }
    }
    return false;
  }
}

class Account implements ResponseAccount {
  readonly response: CountedResponse;
  readonly #budget: Budget;
  workspaceId = '';
  /** When the client last read something, or when the response was written. */
  progressAt = 0;
  isSent = false;
  #bytes = 0;
  #isClosed = false;

  constructor(response: CountedResponse, budget: Budget) {
    this.response = response;
    this.#budget = budget;
  }

  hold(bytes: number): void {
    this.isSent = true;
    this.#set(bytes);
  }

  #set(bytes: number): void {
    if (this.#isClosed) return;
    const counted = bytes === 0 ? 0 : bytes + responseBytes;
    const change = counted - this.#bytes;
    if (change < 0 || this.#bytes === 0) {
      this.progressAt = performance.now();
      this.#budget.noteProgress(this);
    }
    if (counted === 0) this.#budget.forget(this);
    this.#count(change);
    if (change > 0) this.#budget.makeRoom();
  }

  reserve(workspaceId = ''): void {
    if (this.#bytes > 0) return;
    this.workspaceId = workspaceId;
    this.#budget.admitContent(this);
    this.#set(firstChunkBytes);
  }

  hasRoom(): boolean {
    return this.#budget.hasRoomFor(this);
  }

  close(): void {
    this.#isClosed = true;
    this.#budget.forget(this);
    this.#count(-this.#bytes);
  }

  end(): void {
    this.close();
    this.response.end();
  }

  #count(change: number): void {
    if (change === 0) return;
    this.#bytes += change;
    this.#budget.count(change, this);
  }
}

const tooMany = () =>
  fail('unavailable', 'Too many responses wait for clients to read them.', {
    retryAfterSeconds: 1,
  });

/** Counts the first chunk of a download for the workspace of its call. Throws like `reserve`. */
export function reserveDownload(context: HandlerContext, account: ResponseAccount): void {
  account.reserve(workspaceIfAny(context));
}
