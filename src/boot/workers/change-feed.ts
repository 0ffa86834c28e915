// Only the primary process of a node reads the table of changes. It sends what it reads to the
// workers.

import type { Changes } from '../../storage/change.ts';
import type { ChangeSource, Deliver } from '../../storage/poll-changes.ts';

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
      source.start((delivery) => {
        const { changes, readTime } = delivery;
        send({ changes, machineTime: readTime + processStart });
        deliver(delivery);
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
  let deliver: Deliver | undefined;
  let refreshing: Promise<void> | undefined;

  onDelivery(({ changes, machineTime }) => {
    deliver?.({ changes, readTime: machineTime - processStart });
  });
  function refreshOnce(): Promise<void> {
    refreshing ??= refresh().finally(() => {
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
    },
  };
}
