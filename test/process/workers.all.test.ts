// A node with several worker processes.
import { Agent, request } from 'node:http';
import { Client, credentials } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { describeFeature } from '../support/matrix.ts';
import type { RunningProgram } from '../support/program.ts';
import {
  allReady,
  isAlive,
  logOf,
  readyz,
  requestKeys,
  startNode,
  withEachWorker,
  workersOf,
} from '../support/worker-node.ts';

/** Requests the keys on a new connection over gRPC. */
function requestKeysByGrpc({ env }: RunningProgram): Promise<unknown> {
  const options = { 'grpc.use_local_subchannel_pool': 1 };
  const insecure = credentials.createInsecure();
  const client = new Client(env.LATCHKEY_GRPC_ADDRESS, insecure, options);
  const method = '/latchkey.identity.v1.VerificationService/GetJwks';
  const keep = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(method, keep, keep, Buffer.alloc(0), (error) => {
      client.close();
      resolve(error);
    });
  });
}

/** The number of answered requests for the keys, from the metrics. */
async function countedCalls({ env }: RunningProgram): Promise<number> {
  const text = await (await fetch(`${env.LATCHKEY_OPS_URL}/metrics`)).text();
  const counts = text.matchAll(/^latchkey_call_duration_seconds_count\{.*GetJwks.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function upload({ env }: RunningProgram, name: string): Promise<string> {
  const form = new FormData();
  form.append('file', new File([`the text of ${name}`], name));
  const response = await fetch(`${env.LATCHKEY_SHARING_BASE_URL}/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.API_KEY}` },
    body: form,
  });
  if (response.status !== 201) throw new Error(`status ${response.status}`);
  const { id } = (await response.json()) as { id: string };
  return id;
}

async function contentOf({ env }: RunningProgram, id: string): Promise<string> {
  const response = await fetch(`${env.LATCHKEY_SHARING_BASE_URL}/documents/${id}/file`, {
    headers: { authorization: `Bearer ${env.API_KEY}` },
  });
  return `${response.status} ${await response.text()}`;
}

describeFeature('two workers', (dialect) => {
  test('share both ports, and the node has one log, one /metrics and one /readyz', async () => {
    const program = await startNode(dialect);

    await expect.poll(() => readyz(program)).toMatchObject(allReady);
    expect(await withEachWorker(program, () => requestKeys(program))).toEqual([200, 200]);
    expect(await withEachWorker(program, () => requestKeysByGrpc(program))).toEqual([null, null]);

    expect(await countedCalls(program)).toBe(4);
    const workers = (await workersOf(program)).sort();
    expect(workers).toHaveLength(2);
    for (const transport of ['http', 'grpc']) {
      const pids = () => {
        const calls = logOf(program).filter((line) => line.transport === transport);
        return [...new Set(calls.map(({ pid }) => pid))].sort();
      };
      await expect.poll(pids).toEqual(workers);
    }
  });

  test('lose no acknowledged upload when one is killed, which is replaced', async () => {
    const program = await startNode(dialect);
    const [killed = 0] = await workersOf(program);
    const stored = new Map<string, string>();
    let isKilled = false;
    let after = 0;
    async function repeat(loop: number): Promise<void> {
      for (let i = 0; after < 20; i++) {
        const name = `${loop}-${i}.txt`;
        const id = await upload(program, name).catch(() => undefined);
        if (id !== undefined) stored.set(id, name);
        if (isKilled) after++;
      }
    }
    const loops = [0, 1, 2, 3].map(repeat);
    await expect.poll(() => stored.size).toBeGreaterThan(10);
    for (let i = 0; i < 6; i++) await requestKeys(program);
    const counted = await countedCalls(program);

    process.kill(killed, 'SIGKILL');
    isKilled = true;
    await Promise.all(loops);

    await expect.poll(() => readyz(program), { timeout: 30_000 }).toMatchObject(allReady);
    expect(await workersOf(program)).not.toContain(killed);
    expect(logOf(program)).toContainEqual(
      expect.objectContaining({ worker: killed, signal: 'SIGKILL', msg: 'a worker has ended' }),
    );
    // The sums contain the calls of the killed worker.
    expect(await countedCalls(program)).toBeGreaterThanOrEqual(counted);
    for (const [id, name] of stored) {
      expect(await contentOf(program, id)).toBe(`200 the text of ${name}`);
    }
  }, 90_000);
});

/** Posts JSON on a new connection and returns the status and the response. */
function post({ env }: RunningProgram, route: string, fields: object, token = '') {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const options = { method: 'POST', agent: new Agent(), headers };
    request(`${env.LATCHKEY_BASE_URL}${route}`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('end', () => resolve({ status: response.statusCode, text }));
    })
      .once('error', reject)
      .end(JSON.stringify(fields));
  });
}

describeFeature('a revocation in one worker', (dialect) => {
  test('reaches the others', async () => {
    const program = await startNode(dialect);
    const {
      CLIENT_ID: client_id,
      CLIENT_SECRET: client_secret,
      CLIENT_SCOPES: scope,
    } = program.env;
    const issued = await post(program, '/tokens', { client_id, client_secret, scope });
    const { access_token: token } = JSON.parse(issued.text);
    const verify = () =>
      withEachWorker(program, async () => {
        return (await post(program, '/tokens/verify', { token }, token)).status;
      });
    expect(await verify()).toEqual([200, 200]);

    expect(await post(program, '/tokens/revoke', { token }, token)).toMatchObject({ status: 200 });

    await expect.poll(verify).toEqual([401, 401]);
  });
});

test('a stop ends all processes with status 0; signals to workers alone end none', async () => {
  const program = await startNode('sqlite');
  const workers = await workersOf(program);
  for (const pid of workers) for (const signal of ['SIGINT', 'SIGTERM']) process.kill(pid, signal);
  for (let i = 0; i < 4; i++) expect(await requestKeys(program)).toBe(200);
  expect(await workersOf(program)).toEqual(workers);

  program.child.kill('SIGTERM');

  expect(await program.ended).toBe(0);
  expect(workers.filter(isAlive)).toEqual([]);
  expect(logOf(program).filter(({ level }) => Number(level) >= 40)).toEqual([]);
});

test('while the node drains, it serves calls but is not ready', async () => {
  const program = await startNode('sqlite', { LATCHKEY_DRAIN_SECONDS: '5' });

  program.child.kill('SIGTERM');

  await expect.poll(() => readyz(program)).toMatchObject({ code: 503, status: 'draining' });
  expect(await requestKeys(program)).toBe(200);
  expect(await program.ended).toBe(0);
}, 30_000);

test('the workers end if the primary process is killed', async () => {
  const program = await startNode('sqlite');
  const workers = await workersOf(program);

  program.child.kill('SIGKILL');

  await expect.poll(() => workers.filter(isAlive), { timeout: 10_000 }).toEqual([]);
});
