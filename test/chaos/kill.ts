// kill -9 under load: after the restart every acknowledged write exists.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../support/campaign.ts';
import { callsTo } from '../support/campaign-calls.ts';
import { createLedger } from '../support/ledger.ts';
import { newDataDir, type RunningProgram, startProgram } from '../support/program.ts';
import { compareBlobs } from '../support/stored-blobs.ts';
import { removeUnlessLeft, sweepLater } from './sweep.ts';

const lanes = 8;

export const killChecks: readonly Check[] = (['sqlite', 'postgres'] as const).map((dialect) => ({
  name: `kill -9 under load (${dialect})`,
  secondsMax: [100, 900],
  run: (trial) => killRounds(trial, dialect),
}));

async function killRounds(trial: Trial, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const { random, isShort } = trial;
  const dataDir = await newDataDir();
  const url = dialect === 'sqlite' ? `sqlite:${dataDir}/latchkey.db` : await trial.postgresUrl();
  const env = {
    LATCHKEY_DATABASE_URL: url,
    LATCHKEY_BOOTSTRAP: 'demo',
    LATCHKEY_LOG_LEVEL: 'error',
  };
  const ledger = createLedger(random);
  let program: RunningProgram = await startProgram(env, dataDir);
  trial.onEnd(() => removeUnlessLeft(program));
  let checked = 0;
  const rounds = isShort ? 5 : 50;
  for (let round = 0; round < rounds; round++) {
    const access = await ledger.enter(callsTo(program), program.env.API_KEY);
    let isOver = false;
    const writing = ledger.write(access, lanes, () => isOver);
    await sleep(100 + random.below(900));
    isOver = true;
    await program.kill();
    await writing;
    if (/"level":(50|60)/.test(program.stdout())) {
      trial.fail(`round ${round}: an error in the log`, program.stdout().slice(0, 2000));
    }

    program = await startProgram(env, dataDir);
    const again = await ledger.enter(callsTo(program), program.env.API_KEY);
    checked += ledger.count();
    for (const one of await ledger.lost(again, round === rounds - 1)) {
      trial.fail(`round ${round}: lost ${one}`);
    }
    const { damaged } = await compareBlobs(url, path.join(dataDir, 'blobs'));
    if (damaged.length > 0) trial.fail(`round ${round}: rows without their bytes: ${damaged}`);
  }

  sweepLater(trial.name, { url, dataDir, program });
  trial.figure('rounds', rounds);
  const answers = [...ledger.statuses].sort(([a], [b]) => a - b);
  trial.figure('answers', answers.map(([status, count]) => `${count}×${status}`).join(' '));
  trial.figure('facts checked', checked);
  for (const [status, count] of answers) {
    if (status === 500) trial.fail(`${count} answers were 500`);
  }
}
