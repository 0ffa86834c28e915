// Several processes on one data folder with an SQLite database.
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { type Calls, callsTo, describeAnswer } from '../support/campaign-calls.ts';
import { freePort } from '../support/free-port.ts';
import { parseEnv } from '../support/harness.ts';
import { newDataDir, type Program, spawnProgram } from '../support/program.ts';
import { compareBlobs } from '../support/stored-blobs.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

type Node = Program & { readonly calls: Calls & { readonly key: string } };

/** Starts a process on the folder and waits until it is ready. */
async function startNode(dataDir: string): Promise<Node> {
  const [http, ops] = [await freePort(), await freePort()];
  const env = {
    LATCHKEY_PUBLIC_URL: 'http://latchkey.test',
    LATCHKEY_HTTP_ADDRESS: `127.0.0.1:${http}`,
    LATCHKEY_OPS_ADDRESS: `127.0.0.1:${ops}`,
    LATCHKEY_BOOTSTRAP: 'demo',
  };
  const program = await spawnProgram(env, dataDir);
  onTestFinished(program.kill);
  let end: unknown;
  void program.ended.then((status) => {
    end = `ended (${status}): ${program.stderr()}`;
  });
  const ready = async () => {
    if (end !== undefined) return end;
    const response = await fetch(`http://127.0.0.1:${ops}/readyz`).catch(() => undefined);
    return response?.status;
  };
  await expect.poll(ready, { interval: 50 }).toBe(200);
  const file = await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8');
  const read = { ...parseEnv(file), LATCHKEY_BASE_URL: `http://127.0.0.1:${http}` };
  return { ...program, calls: { ...callsTo({ env: read }), key: read.API_KEY } };
}

async function startNodes(count: number) {
  const dataDir = await newDataDir();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const start = () => startNode(dataDir);
  const nodes = await Promise.all(Array.from({ length: count }, start));
  const env = parseEnv(await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8'));
  return { dataDir, nodes, env, start, databaseUrl: `sqlite:${dataDir}/latchkey.db` };
}

const linesOf = ({ stdout }: Program) =>
  stdout()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

async function openUntilFinished(url: string) {
  const db = await openDatabase(url);
  onTestFinished(() => db.destroy());
  return db;
}

describe('several processes on one folder with SQLite', () => {
  test('start at once on an empty folder, and fill it once', async () => {
    const { nodes, env, databaseUrl } = await startNodes(4);

    for (const { calls } of nodes) {
      await calls.issue(env.CLIENT_ID, env.CLIENT_SECRET, 'payments:read');
      await calls.signIn();
      expect((await calls.upload(Buffer.from('text')))?.status).toBe(201);
    }
    const db = await openUntilFinished(databaseUrl);
    expect(await db.selectFrom('signing_keys').select('kid').execute()).toHaveLength(1);
    expect(await db.selectFrom('users').select('id').execute()).toHaveLength(1);
    const keys = await Promise.all(
      nodes.map(({ calls }) => calls.json('GET', '/.well-known/jwks.json')),
    );
    expect(new Set(keys.map((answer) => JSON.stringify(answer?.body))).size).toBe(1);
  });

  test('write at the same time without an error or a lost write', async () => {
    const { dataDir, nodes, databaseUrl, start } = await startNodes(3);
    const [killed, ...others] = nodes;
    const acknowledged: unknown[] = [];
    const failures: string[] = [];
    async function work({ calls }: Node, name: string, mayEnd = () => false): Promise<void> {
      for (let i = 0; i < 12; i++) {
        const stored = await calls.upload(Buffer.from(`${name} ${i}`));
        if (stored === undefined && mayEnd()) return;
        if (stored?.status === 201) acknowledged.push(stored.body.id);
        else failures.push(describeAnswer(stored));
        const body = { document_id: stored?.body.id };
        const link = await calls.json('POST', '/api/v1/links', calls.key, body);
        if (link === undefined && mayEnd()) return;
        if (link?.status !== 201) failures.push(describeAnswer(link));
      }
    }
    let isKilled = false;
    const working = nodes.flatMap((node, n) =>
      ['a', 'b', 'c', 'd'].map((name) =>
        work(node, `${n}${name}`, () => node === killed && isKilled),
      ),
    );
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    isKilled = true;
    await killed?.kill();
    const restarted = await start();
    await Promise.all([...working, work(restarted, 'again')]);

    expect(failures).toEqual([]);
    const db = await openUntilFinished(databaseUrl);
    const rows = await db.selectFrom('documents').select('id').execute();
    const stored = new Set<unknown>(rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect((await compareBlobs(databaseUrl, path.join(dataDir, 'blobs'))).damaged).toEqual([]);
    const lines = [...others, restarted].flatMap(linesOf);
    expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
  }, 120_000);

  test('reject a disabled client within a second', async () => {
    const { nodes, env, databaseUrl } = await startNodes(2);
    const [first, second] = nodes;
    const db = await openUntilFinished(databaseUrl);
    const fields = {
      client_id: env.CLIENT_ID,
      client_secret: env.CLIENT_SECRET,
      scope: 'payments:read',
    };
    const issue = async () =>
      (await second?.calls.json('POST', '/tokens', undefined, fields))?.status;
    expect(await issue()).toBe(200);

    const token = await first?.calls.signIn();
    const route = `/clients/${env.CLIENT_ID}:disable`;
    expect((await first?.calls.json('POST', route, token, {}))?.status).toBe(200);

    await expectWithinOneSecond(db, issue, 401);
  });
});
