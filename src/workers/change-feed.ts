// Only the primary process of a node reads the table of changes. It sends what it reads to the
// workers.

import { type Changes, noChanges } from '../storage/change.ts';
import type { ChangeSource, Delivery } from '../storage/poll-changes.ts';

/** A delivery for another process of the machine. */
export type SentDelivery = {
  readonly changes: Changes;
  /** The time of the read in milliseconds, by the clock that all processes of a machine share. */
  readonly machineTime: number;
};

/** The difference between the clock of the machine and `performance.now()` of this process. */
const processStart = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Returns a source that also passes on each delivery. */
export function passOn(source: ChangeSource, send: (sent: SentDelivery) => void): ChangeSource {
  return {
    ...source,
    start: (deliver) =>
      source.start(async (delivery) => {
        const { changes, readTime } = delivery;
        send({ changes, machineTime: readTime + processStart });
        await deliver(delivery);
      }),
  };
}

export type Feed = {
  /** Calls the listener with each delivery that the primary has sent. */
  readonly onDelivery: (listener: (sent: SentDelivery) => void) => void;
  /** Asks the primary to read and send the changes. Rejects if it cannot. */
  readonly refresh: () => Promise<void>;
};

/** Returns the source of a worker. */
export function receiveChanges({ onDelivery, refresh }: Feed): ChangeSource {
  let deliver: ((delivery: Delivery) => Promise<void>) | undefined;
  /** The changes of deliveries that have failed. */
  let failed = noChanges;
  let last: Promise<void> = Promise.resolve();
  let refreshing: Promise<void> | undefined;

  async function apply({ changes: { isComplete, list, lastId }, machineTime }: SentDelivery) {
    const changes = {
      isComplete: failed.isComplete && isComplete,
      list: [...failed.list, ...list],
      lastId,
    };
    failed = changes;
    await deliver?.({ changes, readTime: machineTime - processStart });
    failed = noChanges;
  }
  onDelivery((sent) => {
    if (deliver === undefined) return;
    last = last.catch(() => {}).then(() => apply(sent));
    // `refresh` reports the error, if one waits for this delivery.
    last.catch(() => {});
  });
  function refreshOnce(): Promise<void> {
    refreshing ??= refresh()
      .then(() => last)
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  }
  return {
    start(listener) {
      deliver = listener;
      return refreshOnce();
    },
    refresh: refreshOnce,
    async stop() {
      deliver = undefined;
      await last.catch(() => {});
    },
  };
}
