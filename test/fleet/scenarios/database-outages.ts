// Restarts of PostgreSQL, and promotions of its standby, under load.
import type { Check } from '../../support/campaign.ts';
import type { Fleet } from '../fleet.ts';
import { clear, repeatOutages, underLoad } from './shared-fleet.ts';

const load = { requestsPerSecond: 100, writes: 0.25, permitted: clear };

export const databaseOutageChecks: readonly Check[] = [
  {
    name: 'restarts of PostgreSQL',
    secondsMax: [180, 600],
    run: (trial) =>
      underLoad(trial, load, ({ fleet }, { tally }) =>
        repeatOutages(trial, tally, trial.isShort ? 1 : 10, async (round) => {
          await fleet.postgres.restart(round % 2 === 0 ? 'SIGKILL' : 'SIGQUIT');
          return performance.now();
        }),
      ),
  },
  {
    name: 'promotions of the standby',
    secondsMax: [180, 600],
    run: (trial) =>
      underLoad(trial, load, ({ fleet }, { tally }) => {
        const { addStandby } = fleet.postgres;
        const rounds = trial.isShort ? 1 : 10;
        return repeatOutages(trial, tally, rounds, () => promote(fleet), addStandby);
      }),
  },
];

/** Resolves to the moment at which PgBouncer uses the new primary. */
async function promote({ postgres, pgBouncer }: Fleet): Promise<number> {
  await postgres.promote();
  await pgBouncer.reload();
  return performance.now();
}
