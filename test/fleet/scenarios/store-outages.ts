// Outages of the S3 store under load: uploads and downloads fail clearly, tokens do not fail.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../../support/campaign.ts';
import { clear, repeatOutages, underLoad } from './shared-fleet.ts';

const load = { requestsPerSecond: 100, writes: 0.25, permitted: clear };
const outageMs = 3000;

export const storeOutagesCheck: Check = {
  name: 'outages of the S3 store',
  secondsMax: [180, 400],
  run: (trial) =>
    underLoad(trial, load, async ({ fleet: { store } }, { tally }) => {
      if (store === undefined) throw new Error('the fleet has no S3 store');
      await repeatOutages(trial, tally, trial.isShort ? 1 : 5, async () => {
        await store.kill();
        await sleep(outageMs);
        await store.start();
        return performance.now();
      });
    }),
};
