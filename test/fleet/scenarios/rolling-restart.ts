// A restart of one node after the other fails no request.
import type { Check, Trial } from '../../support/campaign.ts';
import type { Fleet } from '../fleet.ts';
import { never, seconds, underLoad } from './shared-fleet.ts';

export const rollingRestartCheck: Check = {
  name: 'a rolling restart',
  secondsMax: [180, 300],
  run(trial) {
    // A machine that runs CI may have no more time for the requests.
    const requestsPerSecond = trial.isShort ? 200 : 500;
    const load = { requestsPerSecond, writes: 0.05, permitted: never };
    return underLoad(trial, load, ({ fleet }) => restartAll(trial, fleet));
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
