// Two containers on one folder: both processes have the process id 1.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, NotAllowedHere, type Trial } from '../support/campaign.ts';
import { callsTo, describeAnswer } from '../support/campaign-calls.ts';
import { newDataDir, type RunningProgram, startProgram } from '../support/program.ts';
import { sha256 } from '../support/sharing-api.ts';
import { compareBlobs } from '../support/stored-blobs.ts';
import { removeUnlessLeft, sweepLater } from './sweep.ts';

export const containersChecks: readonly Check[] = (['sqlite', 'postgres'] as const).map(
  (dialect) => ({
    name: `two containers on one folder (${dialect})`,
    secondsMax: [150, 400],
    run: (trial) => restartBesideLoad(trial, dialect),
  }),
);

// Killing `unshare` ends the program inside.
const container = ['unshare', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'];

async function restartBesideLoad(trial: Trial, dialect: 'sqlite' | 'postgres'): Promise<void> {
  try {
    execFileSync('unshare', [...container.slice(1), 'true'], { stdio: 'pipe' });
  } catch {
    throw new NotAllowedHere('unshare --pid is not allowed here');
  }
  const dataDir = await newDataDir();
  const url = await trial.databaseUrl(dialect, dataDir);
  const env = {
    LATCHKEY_DATABASE_URL: url,
    LATCHKEY_BOOTSTRAP: 'demo',
    LATCHKEY_LOG_LEVEL: 'error',
  };
  const start = () => startProgram(env, dataDir, container);
  const first = await start();
  trial.onEnd(() => removeUnlessLeft(first));

  let isOver = false;
  const kept = new Map<string, string>();
  const { upload, json } = callsTo(first);
  const uploading = Array.from({ length: 6 }, async () => {
    while (!isOver) {
      const bytes = trial.random.bytes(20_000);
      const answer = await upload(new Uint8Array(bytes));
      if (answer?.status === 201) kept.set(String(answer.body.id), sha256(bytes));
      else trial.fail(`an upload was answered with ${describeAnswer(answer)}`);
    }
  });
  const restarts = trial.isShort ? 3 : 12;
  let other: RunningProgram | undefined;
  for (let i = 0; i < restarts; i++) {
    other = await start();
    await sleep(300);
    await other.kill();
  }
  isOver = true;
  await Promise.all(uploading);

  let lost = 0;
  for (const [id, digest] of kept) {
    const route = `/api/v1/documents/${id}`;
    const answer = await json('GET', route, first.env.API_KEY);
    if (answer?.body.sha256 !== digest) lost++;
  }
  if (lost > 0) trial.fail(`${lost} acknowledged uploads have no row`);
  const { damaged } = await compareBlobs(url, path.join(dataDir, 'blobs'));
  if (damaged.length > 0) {
    trial.fail(`${damaged.length} of ${kept.size} acknowledged uploads have no bytes`);
  }
  sweepLater(trial.name, { url, dataDir, program: first });
  trial.figure('restarts', restarts);
  trial.figure('uploads', kept.size);
  trial.figure('rows without bytes', damaged.length);
}
