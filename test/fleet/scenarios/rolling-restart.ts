// A restart of one node after the other fails no request.
import type { Check, Trial } from '../../support/campaign.ts';
import { createLedger } from '../../support/ledger.ts';
import { type Fleet, startFleet } from '../fleet.ts';
import { rollingLoad, seconds, underLoad } from './shared-fleet.ts';

export const rollingRestartCheck: Check = {
  name: 'a rolling restart',
  secondsMax: [180, 300],
  async run(trial) {
    const fleet = await startFleet({ workers: 1 });
    trial.onEnd(fleet.stop);
    const own = { fleet, ledger: createLedger(trial.random) };
    const load = rollingLoad(trial);
    await underLoad(trial, load, () => restartAll(trial, fleet), Promise.resolve(own));
  },
};

async function restartAll(trial: Trial, { nodes, haProxy }: Fleet): Promise<void> {
  let start = 0;
  for (const node of nodes) {
    const status = await node.stop();
    if (status !== 0) trial.fail(`${node.name} ended with ${status}: ${node.log().slice(-2000)}`);
    start = Math.max(start, await node.start());
    await haProxy.untilUp(node.name);
  }
  trial.figure('slowest start', seconds(start));
}
