// A call with an Idempotency-Key whose first attempt was cut off: by a crash of the service, or by
// a lost connection to the database.
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { type Loss, startCommitProxy } from '../support/commit-proxy.ts';
import { newKey } from '../support/creating-calls.ts';
import { freshPostgresDatabase, migratedPostgresDatabase } from '../support/databases.ts';
import { startTestApp } from '../support/harness.ts';
import { managerCredential } from '../support/manager-calls.ts';
import { describeFeature } from '../support/matrix.ts';
import { newDataDir, type RunningProgram, startProgram } from '../support/program.ts';
import { bearer } from '../support/sharing-api.ts';

const rounds = 4;

describeFeature('a call that a crash cut off', (dialect) => {
  // It starts the program many times.
  const starting = { timeout: 180_000 };
  it('creates one document, however often it is repeated', starting, async () => {
    const dataDir = await newDataDir();
    const databaseUrl =
      dialect === 'postgres' ? await freshPostgresDatabase() : `sqlite:${dataDir}/latchkey.db`;
    const env = { LATCHKEY_DATABASE_URL: databaseUrl, LATCHKEY_BOOTSTRAP: 'demo' };
    let program: RunningProgram = await startProgram(env, dataDir);
    onTestFinished(async () => {
      await program.kill();
      await rm(dataDir, { recursive: true, force: true });
    });
    const upload = async (key: string) => {
      const form = new FormData();
      form.append('file', new Blob([`The terms ${key}.`]), `${key}.txt`);
      const response = await fetch(`http://127.0.0.1:${program.httpPort}/api/v1/documents`, {
        method: 'POST',
        headers: { ...bearer(program.env.API_KEY), 'idempotency-key': key },
        body: form,
      });
      const { id } = (await response.json()) as { id: string };
      return { status: response.status, id };
    };
    const answered = new Map<string, string>();
    for (let round = 0; round < rounds; round++) {
      const keys = Array.from({ length: 8 }, newKey);
      const cut = keys.map((key) => upload(key).catch(() => undefined));
      // Each round kills at another moment of the calls.
      await sleep(8 + round * 10);
      await program.kill();
      const before = await Promise.all(cut);
      program = await startProgram(env, dataDir);
      for (const [i, key] of keys.entries()) {
        const { status, id } = await upload(key);
        expect(status).toBe(201);
        const first = before[i];
        if (first?.status === 201) expect(id).toBe(first.id);
        answered.set(`${key}.txt`, id);
      }
    }
    const db = await openDatabase(databaseUrl);
    const rows = await db.selectFrom('documents').select(['id', 'name']).execute();
    await db.destroy();
    const uploaded = rows.filter(({ name }) => answered.has(name));
    expect(uploaded).toHaveLength(rounds * 8);
    for (const { id, name } of uploaded) expect(id).toBe(answered.get(name));
  });
});

describe('a COMMIT whose connection is lost', () => {
  async function createClientCut(loss: Loss) {
    const proxy = await startCommitProxy(await migratedPostgresDatabase());
    const test = await startTestApp({ config: { databaseUrl: proxy.url } });
    onTestFinished(async () => {
      await test.remove();
      proxy.close();
    });
    const credential = await managerCredential(test.app, 'clients:write');
    const key = newKey();
    const send = async () => {
      const response = await fetch(`${test.app.publicUrl}/clients`, {
        method: 'POST',
        headers: { ...credential, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ name: 'Lost' }),
      });
      const body = (await response.json()) as { client_secret?: string };
      return { status: response.status, secret: body.client_secret };
    };
    const stored = () =>
      test.app.inside.db.selectFrom('clients').select('id').where('name', '=', 'Lost').execute();
    proxy.loseNext(loss, /insert into "clients"/);
    return { first: await send(), send, stored };
  }

  it('after the commit does not lose the answer', async () => {
    const { first, send, stored } = await createClientCut('answer-lost');
    const again = await send();
    // The first call finds its own answer, unless the database is unreachable for too long.
    if (first.status === 201) expect(again).toEqual(first);
    else expect(first.status).toBe(503);
    expect(again).toMatchObject({ status: 201, secret: expect.stringMatching(/^lk_cs_/) });
    expect(await stored()).toHaveLength(1);
  });

  it('before the commit lets the next attempt create the client', async () => {
    const { first, send, stored } = await createClientCut('commit-lost');
    expect(first.status).toBe(503);
    expect((await send()).status).toBe(201);
    expect(await stored()).toHaveLength(1);
  });
});
