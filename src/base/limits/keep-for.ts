import { createFirstError } from './first-error.ts';
import { within } from './within.ts';

export type KeepOptions = {
  readonly onError?: (error: unknown) => void;
  /** How long a call waits for a read, in milliseconds. */
  readonly waitMs?: number;
};

/** Probes and scrapes of metrics must not wait longer for the database. */
const defaultWaitMs = 1_000;

/**
 * Returns a function that reads at most once in `ms`; other calls within that time get the same
 * value. A read that takes too long continues, and later calls get its value. Until then,
 * they get the value before. After a failure, the value is undefined.
 */
export function keepFor<T>(
  ms: number,
  read: () => Promise<T>,
  { onError = () => {}, waitMs = defaultWaitMs }: KeepOptions = {},
): () => Promise<T | undefined> {
  let value: T | undefined;
  let endTime = Number.NEGATIVE_INFINITY;
  let isReading = false;
  let wait: Promise<unknown> = Promise.resolve();
  const { fail, succeed } = createFirstError(onError);
  async function readOnce(): Promise<void> {
    isReading = true;
    try {
      value = await read();
      succeed();
    } catch (error) {
      value = undefined;
      fail(error);
    }
    endTime = performance.now();
    isReading = false;
  }
  return async () => {
    if (!isReading && performance.now() - endTime >= ms) wait = within(waitMs, readOnce());
    await wait;
    return value;
  };
}
