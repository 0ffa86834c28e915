// Checks the blob store every five seconds. Logs when it starts to fail and when it works again.

import { Failure } from '../../base/errors/errors.ts';
import { within } from '../../base/limits/within.ts';
import { describeStoreError } from '../../base/s3/failure.ts';
import { startPeriodicTask } from '../../storage/upkeep/periodic-task.ts';
import type { BlobStore } from './blob-store.ts';
import { WrongStore } from './own-store.ts';

/** `outage`: the store fails for all nodes. `unusable`: this node cannot use it. */
export type StoreState = 'ok' | 'outage' | 'unusable';

export type StoreWatch = {
  /** Returns the last state of an S3 store, within a second. Checks a folder in each call. */
  state(): Promise<StoreState>;
  stop(): void;
};

export type StoreWatchOptions = {
  readonly blobs: Pick<BlobStore, 'check'>;
  /** An S3 store is the same for all nodes. A folder may be missing on one of them. */
  readonly kind: 'folder' | 's3';
  readonly log: {
    error(facts: object, message: string): void;
    info(message: string): void;
  };
  readonly observe: (isUp: boolean) => void;
};

const pauseMs = 5_000;
/** How long a call waits for the first check. Load balancers wait longer for `/readyz`. */
const answerMs = 1_000;

export function watchStore({ blobs, kind, log, observe }: StoreWatchOptions): StoreWatch {
  let current: StoreState | undefined;
  let [started, noted] = [0, 0];
  let isStopped = false;

  function note(state: StoreState, error: unknown): void {
    const wasUp = current === undefined || current === 'ok';
    current = state;
    observe(state === 'ok');
    if (wasUp === (state === 'ok')) return;
    if (wasUp) {
      const facts = { setting: 'LATCHKEY_BLOB_URL', reason: describeStoreError(error), err: error };
      log.error(facts, 'the blob store fails');
    } else log.info('the blob store works again');
  }

  async function check(): Promise<StoreState> {
    const number = ++started;
    let state: StoreState = 'ok';
    let failure: unknown;
    try {
      await blobs.check();
    } catch (error) {
      failure = error;
      state = kind === 's3' && !isWrongStore(error) ? 'outage' : 'unusable';
    }
    // A slow check may end after a later one.
    if (number > noted && !isStopped) {
      noted = number;
      note(state, failure);
    }
    return state;
  }

  const first = check();
  const task = startPeriodicTask({
    pauseMs,
    round: async () => void (await (current === undefined ? first : check())),
    onError: () => {},
  });
  return {
    async state() {
      if (kind === 'folder') return check();
      if (current === undefined) await within(answerMs, first);
      return current ?? 'outage';
    },
    // Does not wait for a running check, because a store that does not answer would delay the stop.
    stop() {
      isStopped = true;
      void task.stop();
    },
  };
}

const isWrongStore = (error: unknown) =>
  error instanceof Failure && error.extra.cause instanceof WrongStore;
