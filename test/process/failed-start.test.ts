// A start that fails closes everything that it has opened.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/base/config/config.ts';
import type { MasterKey } from '../../src/base/crypto/master-key.ts';
import { createModules } from '../../src/boot/modules.ts';
import type { AppOptions } from '../../src/boot/options.ts';
import { bindSockets } from '../../src/boot/sockets.ts';
import { openStorage } from '../../src/boot/storage.ts';
import { createLog } from '../../src/observe/log.ts';
import { startTestApp, type TestAppOptions } from '../support/harness.ts';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the names of the SQLite files. SQLite removes its log with the last connection. */
async function databaseFiles(dataDir: string): Promise<string[]> {
  return (await readdir(dataDir)).filter((name) => /^latchkey\.db(-wal|-shm)?$/.test(name));
}

async function failStart(options: TestAppOptions, message: string): Promise<void> {
  await expect(startTestApp(options)).rejects.toThrow(message);
}

it('closes the database if the first start cannot fill it', async () => {
  const dataDir = await emptyFolder();
  const random = () => {
    throw new Error('no random bytes');
  };

  await failStart({ dataDir, random }, 'no random bytes');

  expect(await databaseFiles(dataDir)).toEqual(['latchkey.db']);
});

it('closes the database if the blob store cannot be opened', async () => {
  const dataDir = await emptyFolder();
  await mkdir(path.join(dataDir, 'blobs/marker'), { recursive: true });

  await failStart({ dataDir }, 'EISDIR');

  expect(await databaseFiles(dataDir)).toEqual(['latchkey.db']);
});

it('closes the parts of a module if a later part of the module cannot be made', async () => {
  const dataDir = await emptyFolder();
  const loopback = { host: '127.0.0.1', port: 0 };
  const options: AppOptions = {
    ...createLog({ level: 'debug', file: path.join(dataDir, 'log.jsonl') }),
    config: {
      ...readConfig({ LATCHKEY_DATA_DIR: dataDir }),
      http: loopback,
      grpc: loopback,
      ops: loopback,
    },
    webDir: path.resolve(import.meta.dirname, '../../dist/web'),
    blobLeaseMs: 4,
  };
  const storage = await openStorage(options);
  onTestFinished(storage.close);
  const masterKey: MasterKey = {
    ...storage.masterKey,
    derive(purpose) {
      if (purpose === 'known browser') throw new Error('no such key');
      return storage.masterKey.derive(purpose);
    },
  };
  const sockets = await bindSockets(options.config);
  onTestFinished(sockets.close);

  let fills = 0;
  const reserve = { ...storage.reserve, fill: async () => void fills++ };

  const started = createModules(options, sockets, { ...storage, masterKey, reserve });

  await expect(started).rejects.toThrow('no such key');
  expect(fills).toBeGreaterThan(0);
  const before = fills;
  await sleep(100);
  expect(fills).toBe(before);
});

it('closes the modules and the database if a transport cannot be started', async () => {
  const dataDir = await emptyFolder();

  await failStart({ dataDir, config: { trustedProxies: ['not an address'] } }, 'not an address');

  expect(await databaseFiles(dataDir)).toEqual(['latchkey.db']);
});
