// kill -9 under load: after the restart every acknowledged write exists, and nothing is half
// written: no batch of links, no document, no version, no file with a watermark.
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
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
  rounds: [5, 50],
  run: (trial) => killRounds(trial, dialect),
}));

async function killRounds(trial: Trial, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const { random, rounds } = trial;
  const dataDir = await newDataDir();
  const url = await trial.databaseUrl(dialect, dataDir);
  const env = {
    LATCHKEY_DATABASE_URL: url,
    LATCHKEY_BOOTSTRAP: 'demo',
    LATCHKEY_LOG_LEVEL: 'error',
    TMPDIR: path.join(dataDir, 'tmp'),
  };
  await mkdir(env.TMPDIR);
  const ledger = createLedger(random);
  let program: RunningProgram = await startProgram(env, dataDir);
  trial.onEnd(() => removeUnlessLeft(program));
  const stamped = await startStamping(trial, program);
  let checked = 0;
  for (let round = 0; round < rounds; round++) {
    const access = await ledger.enter(callsTo(program), program.env.API_KEY);
    let isOver = false;
    const writing = ledger.write(access, lanes, () => isOver);
    const reading = stamped.read(program, () => isOver);
    await sleep(100 + random.below(900));
    isOver = true;
    await program.kill();
    await Promise.all([writing, reading]);
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
    // A process that is killed right after it has created a file leaves it empty.
    for (const name of await readdir(env.TMPDIR)) {
      const { size } = await stat(path.join(env.TMPDIR, name));
      if (size > 0) trial.fail(`round ${round}: ${size} bytes in the temporary file ${name}`);
    }
  }

  sweepLater(trial.name, { url, dataDir, program });
  trial.figure('rounds', rounds);
  const answers = [...ledger.statuses].sort(([a], [b]) => a - b);
  trial.figure('answers', answers.map(([status, count]) => `${count}×${status}`).join(' '));
  trial.figure('facts checked', checked);
  await stamped.readOnce(program);
  trial.figure('files with a watermark', stamped.count());
  if (stamped.count() === 0) trial.fail('no reader got a file with a watermark');
  for (const [status, count] of answers) {
    if (status === 500) trial.fail(`${count} answers were 500`);
  }
}

/** A link with a watermark, and readers of its file. */
async function startStamping(trial: Trial, program: RunningProgram) {
  const { API_KEY: key } = program.env;
  const calls = callsTo(program);
  const file = await readFile(path.join(import.meta.dirname, '../../docs/sample.pdf'));
  const document = await calls.upload(new Uint8Array(file));
  const fields = { document_id: document?.body.id, email_required: false, watermark: true };
  const link = await calls.json('POST', '/api/v1/links', key, fields);
  const { pathname } = new URL(String(link?.body.url));
  let complete = 0;
  async function readOnce({ env }: RunningProgram): Promise<void> {
    const page = env.LATCHKEY_BASE_URL + pathname;
    const opened = await fetch(page);
    const cookie = opened.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
    const response = await fetch(`${page}/file`, { headers: { cookie: cookie.join('; ') } });
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    if (response.status !== 200) return;
    complete += 1;
    if (!/%%EOF\s*$/.test(text)) {
      trial.fail(`a reader got an incomplete stamped file of ${text.length} bytes`);
    }
  }
  return {
    count: () => complete,
    readOnce,
    async read(running: RunningProgram, isOver: () => boolean): Promise<void> {
      // The connection is lost when the program is killed.
      while (!isOver()) await readOnce(running).catch(() => {});
    },
  };
}
