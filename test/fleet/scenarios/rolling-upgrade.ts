// Nodes of the previous release are replaced one by one. The present release migrates the schema
// while the others still run.
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, NotAllowedHere, type Trial } from '../../support/campaign.ts';
import { createLedger } from '../../support/ledger.ts';
import { buildPrevious, previousCommit } from '../components/previous-release.ts';
import { type Fleet, startFleet } from '../fleet.ts';
import { rollingLoad, seconds, underLoad } from './shared-fleet.ts';

/** HAProxy has sent no request to a node for this long before the node stops. */
const drainedMs = 2000;

export const rollingUpgradeCheck: Check = {
  name: 'a rolling upgrade',
  secondsMax: [240, 400],
  async run(trial) {
    const commit = previousCommit();
    if (commit === undefined) {
      throw new NotAllowedHere('the git history lacks the previous release');
    }
    const { folder, program } = await buildPrevious(commit);
    trial.onEnd(() => rm(folder, { recursive: true, force: true }));
    const fleet = await startFleet({ previous: program, workers: 1 });
    trial.onEnd(fleet.stop);
    const own = { fleet, ledger: createLedger(trial.random) };
    await underLoad(trial, rollingLoad(trial), () => upgrade(trial, fleet), Promise.resolve(own));
    await startPrevious(trial, fleet, program);
  },
};

async function upgrade(trial: Trial, { nodes, haProxy, useCurrent }: Fleet): Promise<void> {
  let start = 0;
  for (const node of nodes) {
    // The previous release closes its listeners at once, so HAProxy must leave it first.
    await haProxy.setState(node.name, 'drain');
    await sleep(drainedMs);
    const status = await node.stop();
    if (status !== 0) trial.fail(`${node.name} ended with ${status}: ${node.log().slice(-2000)}`);
    useCurrent(node);
    start = Math.max(start, await node.start());
    await haProxy.setState(node.name, 'ready');
    await haProxy.untilUp(node.name);
  }
  trial.figure('slowest start', seconds(start));
}

/** The upgrade can be undone: the previous release starts on the new schema. */
async function startPrevious(trial: Trial, fleet: Fleet, program: string): Promise<void> {
  const [node] = fleet.nodes;
  if (node === undefined) return;
  await node.stop();
  fleet.usePrevious(node, program);
  trial.figure('previous release on the new schema', seconds(await node.start()));
}
