// A stop behind a load balancer: the service reports that it is not ready, and still serves.
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, credentials } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { startAppPair } from '../support/app-pair.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';

const keep = (bytes: Buffer) => bytes;

async function isReady({ app }: TestApp): Promise<boolean> {
  const response = await fetch(`${app.opsUrl}/readyz`).catch(() => undefined);
  return response?.status === 200;
}

type Answer = { readonly status: number | undefined; readonly connection: string | undefined };

function request(origin: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(`${origin}/.well-known/jwks.json`, { agent }, (response) => {
      const { statusCode: status, headers } = response;
      response.resume().once('end', () => resolve({ status, connection: headers.connection }));
    }).once('error', reject);
  });
}

function healthOf(client: Client): Promise<string> {
  return new Promise((resolve) => {
    const path = '/grpc.health.v1.Health/Check';
    client.makeUnaryRequest(path, keep, keep, Buffer.alloc(0), (error, bytes) => {
      resolve(error === null ? (bytes?.toString('hex') ?? '') : error.message);
    });
  });
}

test('during the drain, new connections are served but the service is not ready', async () => {
  const test = await startTestApp({ config: { drainSeconds: 10 } });
  const { app } = test;
  const agent = new Agent({ keepAlive: true });
  const client = new Client(app.grpcAddress, credentials.createInsecure());
  onTestFinished(async () => {
    agent.destroy();
    client.close();
    await test.remove();
  }, 30_000);
  expect(await request(app.publicUrl, agent)).toEqual({ status: 200, connection: 'keep-alive' });
  expect(await healthOf(client)).toBe('0801');

  void test.stop();

  await expect.poll(() => isReady(test)).toBe(false);
  expect(await healthOf(client)).toBe('0802');
  const fresh = new Agent({ keepAlive: true });
  for (const one of [agent, fresh]) {
    expect(await request(app.publicUrl, one)).toEqual({ status: 200, connection: 'close' });
  }
});

test('no request fails while one of two nodes stops behind a balancer', async () => {
  const pair = await startAppPair('sqlite', { drainSeconds: 3 });
  onTestFinished(() => pair.remove());
  const [first, second] = pair.apps;
  // The balancer: requests go to the nodes that were ready when it last asked.
  let ready = [0, 1];
  let isDone = false;
  async function probe(): Promise<void> {
    while (!isDone) {
      const states = await Promise.all(pair.apps.map(isReady));
      ready = [0, 1].filter((node) => states[node]);
      await sleep(50);
    }
  }
  const agent = new Agent({ keepAlive: true });
  const served = [0, 0];
  const failures: unknown[] = [];
  async function requestHttp(): Promise<void> {
    for (let i = 0; !isDone; i++) {
      const node = ready[i % ready.length] ?? 0;
      await request(pair.origins[node] ?? '', agent).then(
        ({ status }) => {
          served[node] = (served[node] ?? 0) + 1;
          if (status !== 200) failures.push(status);
        },
        (error: unknown) => failures.push(error),
      );
    }
  }
  const addresses = pair.apps.map(({ app }) => app.grpcAddress).join(',');
  const client = new Client(`ipv4:${addresses}`, credentials.createInsecure(), {
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  });
  async function requestGrpc(): Promise<void> {
    while (!isDone) {
      const path = '/latchkey.identity.v1.VerificationService/GetJwks';
      await new Promise<void>((resolve) => {
        client.makeUnaryRequest(path, keep, keep, Buffer.alloc(0), (error) => {
          if (error !== null) failures.push(error);
          resolve();
        });
      });
    }
  }
  const loops = [requestHttp(), requestHttp(), requestGrpc(), requestGrpc(), probe()];
  await expect.poll(() => Math.min(...served)).toBeGreaterThan(10);

  await first.stop();

  const before = served[1] ?? 0;
  await expect.poll(() => served[1]).toBeGreaterThan(before + 10);
  isDone = true;
  await Promise.all(loops);
  agent.destroy();
  client.close();
  expect(failures).toEqual([]);
  expect(await isReady(second)).toBe(true);
}, 60_000);
