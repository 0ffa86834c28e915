// Files that stay open between reads, up to a limit.
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createReadHandles, type ReadHandle } from '../../src/base/files/read-handles.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'latchkey-handles-'));
  for (const name of ['a', 'b', 'c']) await writeFile(path.join(folder, name), name);
});
afterAll(() => rm(folder, { recursive: true }));

function openNames(): string[] {
  const targets = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  return targets.filter((name) => name.startsWith(folder)).map((name) => path.basename(name));
}

async function read(file: ReadHandle): Promise<{ text: string; isNew: boolean }> {
  const { handle, isNew } = await file.use();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0);
  file.release();
  return { text: buffer.toString('utf8', 0, bytesRead), isNew };
}

const inFolder = (name: string) => path.join(folder, name);

it('a file stays open until its reader pauses, and is opened again for the next read', async () => {
  const file = createReadHandles({ idleMs: 50 }).of(inFolder('a'));
  expect(openNames()).toEqual([]);
  expect(await read(file)).toEqual({ text: 'a', isNew: true });
  expect(await read(file)).toEqual({ text: 'a', isNew: false });
  expect(openNames()).toEqual(['a']);
  await expect.poll(openNames).toEqual([]);
  expect(await read(file)).toEqual({ text: 'a', isNew: true });
  await file.close();
  expect(openNames()).toEqual([]);
});

it('the file that is idle for the longest time is closed for another one', async () => {
  const handles = createReadHandles({ openMax: 2 });
  const [a, b, c] = ['a', 'b', 'c'].map((name) => handles.of(inFolder(name)));
  for (const file of [a, b, a, c]) if (file !== undefined) await read(file);
  expect(openNames().sort()).toEqual(['a', 'c']);
  await Promise.all([a, b, c].map((file) => file?.close()));
});

it('a reader waits while all places are in use, also after a failed open', async () => {
  const handles = createReadHandles({ openMax: 1 });
  await expect(handles.of(inFolder('none')).use()).rejects.toThrow('ENOENT');
  const a = handles.of(inFolder('a'));
  const b = handles.of(inFolder('b'));
  await a.use();
  const waiting = read(b);
  expect(openNames()).toEqual(['a']);
  a.release();
  expect(await waiting).toEqual({ text: 'b', isNew: true });
  expect(await read(a)).toEqual({ text: 'a', isNew: true });
  expect(openNames()).toEqual(['a']);
  await Promise.all([a.close(), b.close()]);
});
