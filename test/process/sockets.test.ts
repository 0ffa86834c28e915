// The ports at start: bound first, released if the start fails, and silent until it is complete.
import { execFile } from 'node:child_process';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { credentials, Metadata, Client as RawClient } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migratedPostgresDatabase } from '../support/databases.ts';
import { freePort, isFree } from '../support/free-port.ts';
import { startTestApp } from '../support/harness.ts';
import { openRawHttp, type RawHttp, requestHead } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import { startClosedProxy } from '../support/tcp-proxies.ts';

const host = '127.0.0.1';
const run = promisify(execFile);

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function freeAddresses() {
  const [http, grpc, ops] = [await freePort(), await freePort(), await freePort()];
  return { http: { host, port: http }, grpc: { host, port: grpc }, ops: { host, port: ops } };
}

/** Sends a request, and does not wait for its answer. */
async function sendGet(port: number, url: string): Promise<RawHttp> {
  const connection = await openRawHttp(port);
  onTestFinished(() => connection.reset());
  await connection.write(requestHead('GET', url, { Host: host }));
  return connection;
}

function checkHealth(port: number): Promise<string> {
  const client = new RawClient(`${host}:${port}`, credentials.createInsecure());
  const bytes = (value: Buffer) => value;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      bytes,
      bytes,
      Buffer.alloc(0),
      new Metadata(),
      { deadline: Date.now() + 20_000 },
      (error, answer) => {
        client.close();
        if (error === null) resolve(answer?.toString('hex') ?? '');
        else reject(error);
      },
    );
  });
}

describe('a start', () => {
  itHoldsFor(['http', 'grpc', 'ops'] as const)('with a used port writes nothing', async (name) => {
    const other = createServer().listen(0, host);
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const dataDir = await emptyFolder();
    const addresses = { ...(await freeAddresses()), [name]: { host, port } };

    const started = startTestApp({ dataDir, config: addresses });

    const setting = `LATCHKEY_${name.toUpperCase()}_ADDRESS`;
    await expect(started).rejects.toThrow(`${host}:${port} (${setting}) is in use`);
    // The log of this test.
    expect((await readdir(dataDir)).filter((file) => file !== 'log.jsonl')).toEqual([]);
    for (const one of ['http', 'grpc', 'ops'] as const) {
      if (one !== name) expect(await isFree(addresses[one].port)).toBe(true);
    }
  });

  it('that fails later releases its ports', async () => {
    const dataDir = await emptyFolder();
    await writeFile(path.join(dataDir, 'latchkey.db'), 'no database');
    const addresses = await freeAddresses();

    await expect(startTestApp({ dataDir, config: addresses })).rejects.toThrow();

    for (const { port } of Object.values(addresses)) expect(await isFree(port)).toBe(true);
  });

  it('answers connections that arrived before it was complete', async () => {
    const addresses = await freeAddresses();
    // The start cannot be complete before the database answers.
    const proxy = await startClosedProxy(await migratedPostgresDatabase());
    const starting = startTestApp({ config: { ...addresses, databaseUrl: proxy.url } });
    onTestFinished(async () => (await starting).remove());
    await proxy.tried;

    const jwks = await sendGet(addresses.http.port, '/.well-known/jwks.json');
    const ready = await sendGet(addresses.ops.port, '/readyz');
    const health = checkHealth(addresses.grpc.port);
    proxy.open();

    expect(await jwks.response()).toMatchObject({ status: 200 });
    expect(await ready.response()).toMatchObject({ status: 200 });
    // SERVING
    expect(await health).toBe('0801');
  });

  it('is not ready before the addresses are in bootstrap.env', async () => {
    const dataDir = await emptyFolder();
    await (await startTestApp({ dataDir })).stop();
    // Reading a pipe waits for its writer.
    const file = path.join(dataDir, 'bootstrap.env');
    await rm(file);
    await run('mkfifo', ['-m', '600', file]);
    const addresses = await freeAddresses();
    const starting = startTestApp({ dataDir, config: addresses });
    onTestFinished(async () => {
      // Opened for reading, too, so that it does not wait for a reader.
      await (await open(file, 'r+')).close();
      await (await starting).stop();
    });
    await expect.poll(() => isFree(addresses.ops.port), { timeout: 20_000 }).toBe(false);

    const ready = await sendGet(addresses.ops.port, '/readyz');
    const jwks = await sendGet(addresses.http.port, '/.well-known/jwks.json');
    expect(await jwks.response()).toMatchObject({ status: 200 });
    const answer = ready.response();
    expect(await Promise.race([answer, sleep(500)])).toBeUndefined();

    await writeFile(file, "STAFF_EMAIL='staff@example.com'\n");
    expect(await answer).toMatchObject({ status: 200 });
    const text = await readFile(file, 'utf8');
    expect(text).toContain(`LATCHKEY_OPS_URL='http://${host}:${addresses.ops.port}'`);
  });
});
