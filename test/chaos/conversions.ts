// kill -9 during conversions of Office files: each file is READY with all its pages, or it waits
// and becomes READY after the restart.
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findOffice } from '../../src/sharing/previews/start.ts';
import { type Check, NotAllowedHere, type Trial } from '../support/campaign.ts';
import { callsTo, describeAnswer } from '../support/campaign-calls.ts';
import { contentXml } from '../support/office-files.ts';
import { longDocx, openDocument } from '../support/office-packages.ts';
import { readPages } from '../support/pdf-text.ts';
import { newDataDir, type RunningProgram, startProgram } from '../support/program.ts';
import { compareBlobs } from '../support/stored-blobs.ts';
import { removeUnlessLeft, sweepLater } from './sweep.ts';

export const conversionChecks: readonly Check[] = (['sqlite', 'postgres'] as const).map(
  (dialect) => ({
    name: `kill -9 during conversions (${dialect})`,
    secondsMax: [200, 1500],
    rounds: [3, 50],
    run: (trial) => killRounds(trial, dialect),
  }),
);

const sheet = `<table:table table:name="Budget"><table:table-row><table:table-cell
office:value-type="float" office:value="42"><text:p>42</text:p></table:table-cell>
</table:table-row></table:table>`;

/** Small files, with the number of their pages. */
const files: readonly { readonly bytes: Buffer; readonly pages: number }[] = [
  { bytes: longDocx(3), pages: 3 },
  { bytes: openDocument('spreadsheet', contentXml('spreadsheet', sheet)), pages: 1 },
  { bytes: Buffer.from('{\\rtf1 First\\page Second}'), pages: 2 },
];

/** After a third interrupted attempt, a conversion fails. */
const killsMax = 2;
/** The longest time from the start of a conversion until the kill. */
const conversionMs = 4_000;
/** A restarted program waits for the leases of the killed one. */
const settledMs = 120_000;

type Upload = { readonly id: string; readonly pages: number; kills: number };

async function killRounds(trial: Trial, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const command = await findOffice(undefined);
  if (command === undefined) throw new NotAllowedHere('LibreOffice is not installed');
  const { random, rounds } = trial;
  const dataDir = await newDataDir();
  const url = await trial.databaseUrl(dialect, dataDir);
  const env = {
    LATCHKEY_DATABASE_URL: url,
    LATCHKEY_BOOTSTRAP: 'demo',
    LATCHKEY_LOG_LEVEL: 'error',
    LATCHKEY_OFFICE_COMMAND: command,
    TMPDIR: path.join(dataDir, 'tmp'),
  };
  await mkdir(env.TMPDIR);
  let program: RunningProgram = await startProgram(env, dataDir);
  trial.onEnd(() => removeUnlessLeft(program));
  const pending = new Set<Upload>();
  let [ready, interrupted] = [0, 0];

  async function upload(): Promise<void> {
    const { bytes, pages } = random.pick(files);
    const answer = await callsTo(program).upload(new Uint8Array(bytes));
    if (answer?.status !== 201) throw new Error(`no upload: ${describeAnswer(answer)}`);
    pending.add({ id: String(answer.body.id), pages, kills: 0 });
  }

  /** Reads the state of a file, and forgets the file if it is ready or wrong. */
  async function check(file: Upload): Promise<void> {
    const route = `/api/v1/documents/${file.id}`;
    const { API_KEY: key, LATCHKEY_BASE_URL: base } = program.env;
    const answer = await callsTo(program).json('GET', route, key);
    const { preview, page_count: count } = answer?.body ?? {};
    // A program that does not hold a lease yet does not promise a preview.
    if (preview === 'PREVIEW_PENDING' || preview === 'PREVIEW_UNSPECIFIED') return;
    pending.delete(file);
    if (preview !== 'PREVIEW_READY') {
      return trial.fail(`a file after ${file.kills} kills: ${JSON.stringify(answer?.body)}`);
    }
    const headers = { authorization: `Bearer ${key}` };
    const pdf = await fetch(`${base}${route}/file?preview=true`, { headers });
    const pages = await readPages(new Uint8Array(await pdf.arrayBuffer()));
    if (pages.length === file.pages && count === file.pages) ready += 1;
    else trial.fail(`a preview of ${pages.length} pages, not ${file.pages}; page_count ${count}`);
  }

  /** Waits until each of the files is ready. */
  async function settle(isAwaited: (file: Upload) => boolean): Promise<void> {
    const end = Date.now() + settledMs;
    const awaited = () => [...pending].filter(isAwaited);
    while (awaited().length > 0) {
      for (const file of awaited()) await check(file);
      if (Date.now() > end) throw new Error(`still waiting: ${JSON.stringify(awaited())}`);
      await sleep(200);
    }
  }

  const isConverting = async () => (await readdir(env.TMPDIR)).length > 0;
  for (let round = 0; round < rounds; round++) {
    await upload();
    await upload();
    while (!(await isConverting())) await sleep(20);
    await sleep(random.below(conversionMs));
    await program.kill();
    for (const file of pending) file.kills += 1;

    program = await startProgram(env, dataDir);
    const { damaged } = await compareBlobs(url, path.join(dataDir, 'blobs'));
    if (damaged.length > 0) trial.fail(`round ${round}: rows without their bytes: ${damaged}`);
    for (const file of pending) await check(file);
    interrupted += pending.size;
    await settle(({ kills }) => kills >= killsMax);
  }

  await settle(() => true);
  // The converter removes its folder after the program has stored the preview.
  while (await isConverting()) await sleep(100);
  sweepLater(trial.name, { url, dataDir, program });
  trial.figure('rounds', rounds);
  trial.figure('files', ready);
  trial.figure('not ready at a restart', interrupted);
  if (interrupted === 0) trial.fail('no kill interrupted a conversion');
  if (/"level":(50|60)/.test(program.stdout())) {
    trial.fail('an error in the log', program.stdout().slice(0, 2000));
  }
}
