// Outages of the S3 store under load: uploads, downloads and deletions of documents fail with
// `unavailable`. Nothing else fails, because the load balancer continues to use the nodes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../../support/campaign.ts';
import type { Store } from '../components/store.ts';
import { clear, repeatOutages, underLoad } from './shared-fleet.ts';

const load = {
  // During an outage, waiting uploads must stay below the limit of the workspace.
  requestsPerSecond: 30,
  writes: 0.25,
  permitted: clear,
  permittedActions: new RegExp(
    '^(POST /api/v1/documents(/doc/versions)?|GET /api/v1/documents/doc/file|' +
      'DELETE /api/v1/documents/doc|(Upload|Download)Document)$',
  ),
};
const killedMs = 3000;
/** Longer than the service waits for a store that does not answer. */
const suspendedMs = 12_000;

export const storeOutagesCheck: Check = {
  name: 'outages of the S3 store',
  secondsMax: [180, 400],
  run: (trial) =>
    underLoad(trial, load, async ({ fleet: { store } }, { tally }) => {
      if (store === undefined) throw new Error('the fleet has no S3 store');
      await repeatOutages(trial, tally, trial.isShort ? 2 : 6, async (round) => {
        await (round % 2 === 0 ? kill(store) : suspend(store));
        return performance.now();
      });
    }),
};

async function kill(store: Store): Promise<void> {
  await store.kill();
  await sleep(killedMs);
  await store.start();
}

async function suspend(store: Store): Promise<void> {
  await store.suspend();
  await sleep(suspendedMs);
  await store.resume();
}
