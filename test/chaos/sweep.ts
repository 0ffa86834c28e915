// When the lease of a killed process has expired, its unfinished files are removed. A lease lasts
// for minutes, so the programs of the other checks keep running until then.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../support/campaign.ts';
import type { RunningProgram } from '../support/program.ts';
import { compareBlobs } from '../support/stored-blobs.ts';

/** Milliseconds after the last start until a sweep has removed the files of an expired lease. */
const sweptMs = 200_000;

type Place = {
  readonly url: string;
  readonly dataDir: string;
  readonly program: RunningProgram;
};

const places: (Place & { readonly name: string; readonly until: number })[] = [];

// With `--only`, the last check does not run.
process.once('exit', () => {
  for (const { program } of places) program.child.kill('SIGKILL');
});

/** Leaves the program running until the last check. */
export function sweepLater(name: string, place: Place): void {
  places.push({ ...place, name, until: Date.now() + sweptMs });
}

/** Ends the program after a check, unless the check has left it to `expectSwept`. */
export async function removeUnlessLeft(program: RunningProgram): Promise<void> {
  if (!places.some((place) => place.program === program)) await program.remove();
}

export const sweepCheck: Check = {
  name: 'the files of killed processes',
  secondsMax: [220, 220],
  run: expectSwept,
};

async function expectSwept(trial: Trial): Promise<void> {
  trial.onEnd(() => Promise.all(places.map(({ program }) => program.remove())));
  for (const { name, url, dataDir, until } of places) {
    const blobDir = path.join(dataDir, 'blobs');
    let stored = await compareBlobs(url, blobDir);
    while (stored.orphans.length + stored.pending > 0 && Date.now() < until) {
      await sleep(2000);
      stored = await compareBlobs(url, blobDir);
    }
    const { rows, orphans, pending, damaged } = stored;
    trial.figure(name, `${rows} documents, ${orphans.length} files without a row`);
    if (orphans.length > 0) trial.fail(`${name}: files without a row: ${orphans.slice(0, 5)}`);
    if (pending > 0) trial.fail(`${name}: ${pending} blobs are not settled`);
    if (damaged.length > 0) trial.fail(`${name}: ${damaged.length} rows without their bytes`);
  }
}
