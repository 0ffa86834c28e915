// After the failures of all scenarios, a sweep leaves nothing that is stored by half.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../../support/campaign.ts';
import { compareStored } from '../../support/stored-blobs.ts';
import { startedFleet, stopSharedFleet } from './shared-fleet.ts';

/** Longer than the lease of an unfinished upload and the pause until the next sweep. */
const sweptMs = 240_000;

export const leftoversCheck: Check = {
  name: 'nothing is stored by half',
  secondsMax: [300, 600],
  run: expectNoLeftovers,
};

async function expectNoLeftovers(trial: Trial): Promise<void> {
  const shared = await startedFleet();
  if (shared === undefined) return;
  trial.onEnd(stopSharedFleet);
  const { fleet } = shared;
  await fleet.startAll();
  const url = fleet.postgres.url();
  const until = Date.now() + sweptMs;
  const look = async () => ({
    ...(await compareStored(url, fleet.stored)),
    uploads: (await fleet.store?.uploads()) ?? [],
  });
  let found = await look();
  const isSwept = () => found.orphans.length + found.uploads.length + found.pending === 0;
  while (!isSwept() && Date.now() < until) {
    await sleep(2000);
    found = await look();
  }
  const { rows, orphans, damaged, pending, uploads } = found;
  trial.figure('documents', rows);
  if (orphans.length > 0) trial.fail(`blobs without a document: ${orphans.slice(0, 5)}`);
  if (damaged.length > 0) trial.fail(`${damaged.length} documents without their bytes`);
  if (uploads.length > 0) trial.fail(`${uploads.length} uploads to the store are incomplete`);
  if (pending > 0) trial.fail(`${pending} blobs are pending`);
  for (const { name, log } of fleet.nodes) {
    const lines = log()
      .split('\n')
      .filter((line) => /"code":"internal"|"level":60/.test(line));
    if (lines.length > 0) trial.fail(`errors in the log of ${path.basename(name)}`, lines[0]);
  }
}
