// Connections to PostgreSQL that break around a COMMIT.
import path from 'node:path';
import type { Check, Trial } from '../support/campaign.ts';
import {
  addManager,
  type CampaignAnswer,
  callsTo,
  describeAnswer,
} from '../support/campaign-calls.ts';
import { type Loss, startCommitProxy } from '../support/commit-proxy.ts';
import { newDataDir, startProgram } from '../support/program.ts';
import { compareBlobs } from '../support/stored-blobs.ts';
import { removeUnlessLeft, sweepLater } from './sweep.ts';

export const commitLossCheck: Check = {
  name: 'a lost COMMIT',
  secondsMax: [120, 300],
  run: loseCommits,
};

async function loseCommits(trial: Trial): Promise<void> {
  const { isShort, random } = trial;
  const dataDir = await newDataDir();
  const databaseUrl = await trial.postgresUrl();
  const proxy = await startCommitProxy(databaseUrl);
  const env = {
    LATCHKEY_DATABASE_URL: proxy.url,
    LATCHKEY_BOOTSTRAP: 'demo',
    LATCHKEY_LOG_LEVEL: 'fatal',
  };
  let program = await startProgram(env, dataDir);
  trial.onEnd(() => {
    proxy.close();
    return removeUnlessLeft(program);
  });
  const calls = callsTo(program);
  const key = program.env.API_KEY;
  const manager = await addManager(calls);
  const token = await calls.issue(manager.id, manager.secret, 'clients:write');
  const kept = await calls.upload(new Uint8Array(random.bytes(1000)));
  const keptId = String(kept?.body.id);

  const works: Record<string, () => Promise<CampaignAnswer | undefined>> = {
    upload: () => calls.upload(new Uint8Array(random.bytes(1000))),
    'create a link': () => calls.json('POST', '/api/v1/links', key, { document_id: keptId }),
    'create a client': () => calls.json('POST', '/clients', token, { name: 'a', scopes: [] }),
    async 'delete a document'() {
      proxy.lose('none');
      const { body } = (await calls.upload(new Uint8Array(random.bytes(1000)))) ?? {};
      proxy.lose(loss);
      return calls.json('DELETE', `/api/v1/documents/${body?.id}`, key);
    },
  };
  let loss: Loss = 'none';
  const seen = new Map<string, number>();
  const known = new Set<string>();
  for (let round = 0; round < (isShort ? 2 : 20); round++) {
    for (const kind of ['answer-lost', 'commit-lost'] as const) {
      for (const [name, work] of Object.entries(works)) {
        loss = kind;
        const before = proxy.lost();
        proxy.lose(loss);
        const answer = await work();
        proxy.lose('none');
        if (proxy.lost() === before) trial.fail(`${name}: no COMMIT was seen`);
        const status = answer?.status ?? 0;
        seen.set(`${name} ${status}`, (seen.get(`${name} ${status}`) ?? 0) + 1);
        if (status !== 503) trial.fail(`${name}, ${kind}: ${describeAnswer(answer)}`);
        const { damaged } = await compareBlobs(databaseUrl, path.join(dataDir, 'blobs'));
        for (const id of damaged.filter((id) => !known.has(id))) {
          trial.fail(`${name}, ${kind}: ${id} is a row without bytes`);
          known.add(id);
        }
      }
    }
  }

  await program.kill();
  proxy.close();
  program = await startProgram({ ...env, LATCHKEY_DATABASE_URL: databaseUrl }, dataDir);
  sweepLater(trial.name, { url: databaseUrl, dataDir, program });
  trial.figure('lost', proxy.lost());
  trial.figure('answers', [...seen].map(([what, count]) => `${count}×${what}`).join(' '));
  trial.figure('rows without bytes', known.size);
}
