import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { DescMethod } from '@bufbuild/protobuf';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { openStreamTransports, untilFinished } from '../support/document-streams.ts';
import { parseEnv, startTestApp, type TestApp } from '../support/harness.ts';
import { managementActions, publicActions } from '../support/management-actions.ts';
import { accessOf } from '../support/method-access.ts';
import { allMethods } from '../support/method-calls.ts';
import { newDataDir } from '../support/program.ts';
import {
  bearer,
  callSharingApi,
  filesUnder,
  keyOf,
  storedState,
  upload,
} from '../support/sharing-api.ts';
import { signToken, type TokenFor } from '../support/signed-tokens.ts';
import { mayMount, mountDisk } from '../support/small-disk.ts';
import { openTransports, type UnaryMethod } from '../support/transports.ts';

type Place = {
  readonly app: Parameters<typeof openStreamTransports>[0];
  readonly credential: { authorization: string };
  readonly blobDir: string;
};

/** Holds 1 MiB, and fails larger writes with ENOSPC. */
async function onSmallDisk(): Promise<Place> {
  const disk = mountDisk('1m');
  onTestFinished(() => disk.unmount());
  const blobDir = path.join(disk.folder, 'blobs');
  const test = await startTestApp({ config: { blobs: { kind: 'folder', path: blobDir } } });
  onTestFinished(() => test.remove());
  return { app: test.app, credential: keyOf(test), blobDir };
}

/** Limits files to 8 MiB: larger writes fail with EFBIG. The log of SQLite stays below it. */
async function withSmallFiles(): Promise<Place> {
  const dataDir = await newDataDir();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const main = path.resolve(import.meta.dirname, '../../dist/src/main.js');
  // In units of 512 bytes (POSIX).
  const script = `trap '' XFSZ; ulimit -f 16384; exec "$0" "$1" serve`;
  const addresses = ['HTTP', 'GRPC', 'OPS'].map((transport) => [
    `LATCHKEY_${transport}_ADDRESS`,
    '127.0.0.1:0',
  ]);
  const child = spawn('/bin/sh', ['-c', script, process.execPath, main], {
    env: { LATCHKEY_DATA_DIR: dataDir, ...Object.fromEntries(addresses) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  let output = '';
  for await (const text of child.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += String(text);
    if (output.includes('operations')) break;
  }
  child.stderr.resume();
  const env = parseEnv(await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8'));
  const addressesOfApp = {
    publicUrl: env.LATCHKEY_BASE_URL,
    grpcAddress: env.LATCHKEY_GRPC_ADDRESS,
  };
  return {
    app: addressesOfApp,
    credential: bearer(env.API_KEY),
    blobDir: path.join(dataDir, 'blobs'),
  };
}

/** Without the right to mount a disk, the report counts these tests as not run. */
const describeDisk = describe.runIf(mayMount());

describeDisk('an upload that hits a full disk', () => expectRefused(onSmallDisk));

describe('an upload that hits a limit on the size of files', () => expectRefused(withSmallFiles));

function expectRefused(start: () => Promise<Place>): void {
  it('returns unavailable with a Retry-After, and leaves nothing behind', async () => {
    const { app, credential, blobDir } = await start();
    const before = await filesUnder(blobDir);
    const transports = untilFinished(openStreamTransports(app));
    const piece = { file: Buffer.alloc(500_000, 'a') };

    for (const transport of transports) {
      const answer = await transport.upload(Array(18).fill(piece), credential);
      expect(answer, transport.name).toMatchObject({
        ok: false,
        error: { code: 'unavailable', message: 'The document store is full.' },
      });
      await expect.poll(() => filesUnder(blobDir), { message: transport.name }).toEqual(before);

      const small = await transport.upload([piece], credential);
      expect(small, transport.name).toMatchObject({ ok: true, message: { sizeBytes: 500_000 } });
      const id = small.ok ? small.message.id : '';
      const url = `${app.publicUrl}/api/v1/documents/${id}`;
      expect((await fetch(url, { method: 'DELETE', headers: credential })).status).toBe(200);
    }

    const form = new FormData();
    form.set('file', new Blob([Buffer.alloc(9_000_000)]));
    const documents = `${app.publicUrl}/api/v1/documents`;
    const response = await fetch(documents, { method: 'POST', headers: credential, body: form });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('60');
    await response.text();
  });
}

describe('an upload whose row does not fit into the database', () => {
  /** SQLite refuses to let its file grow. */
  async function limitDatabase({ app: { inside } }: TestApp, pagesMax: number): Promise<void> {
    await sql`pragma max_page_count = ${sql.raw(String(pagesMax))}`.execute(inside.db);
  }

  it('returns unavailable on every transport, and leaves no bytes behind', async () => {
    const test = await startTestApp();
    onTestFinished(() => test.remove());
    await limitDatabase(test, 1);
    const transports = untilFinished(openStreamTransports(test.app));

    for (const transport of transports) {
      const upload = () => transport.upload([{ file: Buffer.from('bytes') }], keyOf(test));
      // The last pages of the database have some free space.
      let answer = await upload();
      for (let i = 0; answer.ok && i < 1000; i++) answer = await upload();
      const error = { code: 'unavailable', message: 'The database is full.' };
      expect(answer, transport.name).toMatchObject({ ok: false, error });
      const { rows, files } = await storedState(test);
      expect(files, transport.name).toHaveLength(rows);
    }

    await limitDatabase(test, 1_000_000);
    for (const transport of transports) {
      const answer = await transport.upload([{ file: Buffer.from('bytes') }], keyOf(test));
      expect(answer, transport.name).toMatchObject({ ok: true });
    }
  });
});

describeDisk('a disk filled by SQLite and the blobs', () => {
  it('still allows deletions, until there is space again', async () => {
    const disk = mountDisk('16m');
    onTestFinished(() => disk.unmount());
    const databaseUrl = `sqlite:${disk.folder}/latchkey.db`;
    const blobDir = path.join(disk.folder, 'blobs');
    const test = await startTestApp({
      config: { databaseUrl, blobs: { kind: 'folder', path: blobDir } },
    });
    onTestFinished(() => test.remove());
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push((await upload(test, Buffer.alloc(100_000, `${i}`))).id);
    disk.fill();
    const post = async () => {
      const form = new FormData();
      form.set('file', new Blob([Buffer.alloc(200_000)]));
      const url = `${test.app.publicUrl}/api/v1/documents`;
      const answer = await fetch(url, { method: 'POST', headers: keyOf(test), body: form });
      await answer.text();
      return answer.status;
    };
    expect(await post()).toBe(503);

    for (const id of ids.slice(0, 6)) {
      expect((await callSharingApi(test, 'DELETE', `/documents/${id}`)).status).toBe(200);
      disk.fill();
    }

    for (const id of ids.slice(6)) {
      expect((await callSharingApi(test, 'DELETE', `/documents/${id}`)).status).toBe(200);
    }
    await expect.poll(() => filesUnder(blobDir)).toEqual([]);
    disk.empty();
    expect(await post()).toBe(201);
  });
});

describeDisk('a full disk of the database', () => {
  it('still allows every method that takes access away', async () => {
    const disk = mountDisk('24m');
    onTestFinished(() => disk.unmount());
    const databaseUrl = `sqlite:${disk.folder}/latchkey.db`;
    const test = await startTestApp({ config: { databaseUrl } });
    onTestFinished(() => test.remove());
    const transports = untilFinished(openTransports(test.app));
    const grpc = transports.find(({ name }) => name === 'grpc');
    if (grpc === undefined) throw new Error('there is no gRPC transport');
    const place = { app: test.app, testApp: test, transport: () => grpc };
    const credentialOf = async (method: DescMethod, token: Partial<TokenFor> = {}) => {
      const { scope } = accessOf(method);
      const text = await signToken(test.app, { type: 'service', scope, ...token });
      return { authorization: `Bearer ${text}` };
    };
    const revoking = allMethods.filter((method) => accessOf(method).revokes);
    const calls = [];
    for (const method of revoking) {
      const name = `${method.parent.name}.${method.name}`;
      const action = await (managementActions[name] ?? publicActions[name])?.(place);
      if (action === undefined) throw new Error(`no case for ${name}`);
      const {
        callerType: type = 'service',
        callerId: sub,
        scope = accessOf(method).scope,
      } = action;
      const own = { type, scope, ...(sub === undefined ? {} : { sub }) };
      const credential = await credentialOf(method, own);
      calls.push({ name, method: method as UnaryMethod, request: action.request, credential });
    }
    const create = ClientService.method.createClient;
    const credential = await credentialOf(create);
    disk.fill();
    const created = async () =>
      (await grpc.call(create, { name: 'New', scopes: ['clients:read'] }, credential)).ok;
    await expect.poll(created).toBe(false);

    const failed: string[] = [];
    for (const { name, method, request, credential } of calls) {
      disk.fill();
      const answer = await grpc.call(method, request, credential);
      if (!answer.ok) failed.push(`${name}: ${answer.error.message}`);
    }

    expect(failed).toEqual([]);
    expect(calls.length).toBeGreaterThanOrEqual(17);
  });
});
