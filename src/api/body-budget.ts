// The memory for request bodies that the process has received and not yet decoded. All transports
// share it, so that many unfinished requests together cannot exhaust the memory.

import { fail } from '../base/errors/errors.ts';
import type { MethodFacts } from './endpoint.ts';

export const unaryBodyBytesMax = 256 * 1024;

export type BodyBudget = {
  /** The time limit for a whole body in milliseconds. Uploads have more time. */
  readonly timeoutMs: number;
  open(): BodyAccount;
  bytesHeld(): number;
};

/** Anonymous callers cannot fill the budget of authenticated callers. */
export type BodyBudgets = {
  readonly anonymous: BodyBudget;
  readonly accepted: BodyBudget;
};

export type BodyAccount = {
  /** Counts received bytes. Throws `unavailable` if the process holds too many. */
  add(bytes: number): void;
  close(): void;
};

export type BodyBudgetOptions = {
  /** Each of the two budgets gets half. */
  readonly bytesMax: number;
  /** 30 seconds, except in tests. */
  readonly timeoutMs?: number | undefined;
};

export function createBodyBudgets(options: BodyBudgetOptions): BodyBudgets {
  const { bytesMax, timeoutMs = 30_000 } = options;
  const half = () => createBodyBudget(bytesMax / 2, timeoutMs);
  return { anonymous: half(), accepted: half() };
}

export function budgetOf({ access }: MethodFacts, budgets: BodyBudgets): BodyBudget {
  return access.public ? budgets.anonymous : budgets.accepted;
}

function createBodyBudget(bytesMax: number, timeoutMs: number): BodyBudget {
  let held = 0;
  return {
    timeoutMs,
    bytesHeld: () => held,
    open() {
      let own = 0;
      return {
        add(bytes) {
          if (held + bytes > bytesMax) {
            const detail = 'The service is receiving too many request bodies.';
            throw fail('unavailable', detail, { retryAfterSeconds: 1 });
          }
          held += bytes;
          own += bytes;
        },
        close() {
          held -= own;
          own = 0;
        },
      };
    },
  };
}
