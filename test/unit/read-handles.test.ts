// Files that stay open between reads, up to a limit.
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  createReadHandles,
  type ReadHandle,
  type ReadHandles,
} from '../../src/base/files/read-handles.ts';

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

async function readOnce(file: ReadHandle): Promise<string> {
  const text = await read(file);
  file.end();
  return text;
}

async function read(file: ReadHandle): Promise<string> {
  const { handle } = await file.use();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0);
  file.release();
  return buffer.toString('utf8', 0, bytesRead);
}

const inFolder = (name: string) => path.join(folder, name);

function closeAll(handles: ReadHandles): void {
  for (const name of ['a', 'b', 'c']) handles.forget(inFolder(name));
}

afterEach(() => expect.poll(openNames).toEqual([]));

it('a file stays open until its reader pauses, and is opened again for the next read', async () => {
  const file = createReadHandles({ idleMs: 50 }).of(inFolder('a'));
  expect(openNames()).toEqual([]);
  expect(await read(file)).toBe('a');
  expect(openNames()).toEqual(['a']);
  await expect.poll(openNames).toEqual([]);
  expect(await read(file)).toBe('a');
  file.end();
  await expect.poll(openNames).toEqual([]);
});

it('readers share a file, also the next reader', async () => {
  const handles = createReadHandles({ openMax: 1, idleMs: 50 });
  const [first, second, third] = Array.from({ length: 3 }, () => handles.of(inFolder('a')));
  await Promise.all([first?.use(), second?.use()]);
  expect(openNames()).toEqual(['a']);
  first?.release();
  first?.end();
  await third?.use();
  expect(openNames()).toEqual(['a']);
  second?.release();
  third?.release();
  await expect.poll(openNames).toEqual([]);
});

it('a replaced file is opened again, at once after a failed read', async () => {
  const replaced = inFolder('replaced');
  const replace = async (text: string) => {
    await rm(replaced, { force: true });
    await writeFile(replaced, text);
  };
  const handles = createReadHandles({ idleMs: 50 });
  const readNew = () => read(handles.of(replaced));
  await replace('one');
  const failing = handles.of(replaced);
  expect(await failing.use()).toMatchObject({ sizeBytes: 3 });
  await replace('three');
  expect(await readNew()).toBe('one');
  failing.end();
  expect(await readNew()).toBe('three');
  await replace('four');
  // Reads without a pause, so that the file never becomes idle for long.
  await expect.poll(readNew, { interval: 5 }).toBe('four');
  await expect.poll(openNames).toEqual([]);
});

it('a removed file is closed when its last reader ends', async () => {
  const handles = createReadHandles();
  const [first, second] = [handles.of(inFolder('a')), handles.of(inFolder('a'))];
  for (const reader of [first, second]) await read(reader);
  handles.forget(inFolder('a'));
  first.end();
  expect(await read(second)).toBe('a');
  expect(openNames()).toEqual(['a']);
  second.end();
  await expect.poll(openNames).toEqual([]);

  await read(first);
  first.end();
  handles.forget(inFolder('a'));
  await expect.poll(openNames).toEqual([]);
});

it('readers share a file while it waits for its place', async () => {
  const handles = createReadHandles({ openMax: 1, idleMs: 20 });
  const [other, first, second] = ['b', 'a', 'a'].map((name) => handles.of(inFolder(name)));
  await other?.use();
  const waiting = first?.use();
  await setTimeout(50);
  const alsoWaiting = second?.use();
  other?.release();
  expect(await alsoWaiting).toBe(await waiting);
  for (const reader of [first, second]) reader?.release();
});

it('the file that is idle for the longest time is closed for another one', async () => {
  const handles = createReadHandles({ openMax: 2 });
  for (const name of ['a', 'b', 'a', 'c']) await readOnce(handles.of(inFolder(name)));
  await expect.poll(() => openNames().sort()).toEqual(['a', 'c']);
  closeAll(handles);
});

it('a file that its reader opens again replaces the one of a later reader', async () => {
  const handles = createReadHandles({ openMax: 2 });
  const [first, later] = [handles.of(inFolder('a')), handles.of(inFolder('a'))];
  await read(first);
  for (const name of ['b', 'c']) await readOnce(handles.of(inFolder(name)));
  await read(later);
  later.end();
  await read(first);
  // Before the other file is closed because it is idle.
  await expect.poll(openNames, { timeout: 3_000 }).toEqual(['a']);
  first.end();
  closeAll(handles);
});

it('a reader waits while all places are in use, also after a failed open', async () => {
  const handles = createReadHandles({ openMax: 1, idleMs: 50 });
  const missing = Array.from({ length: 2 }, () => handles.of(inFolder('none')).use());
  for (const use of missing) await expect(use).rejects.toThrow('ENOENT');
  const a = handles.of(inFolder('a'));
  await a.use();
  const waiting = read(handles.of(inFolder('b')));
  expect(openNames()).toEqual(['a']);
  a.release();
  expect(await waiting).toBe('b');
  expect(await read(a)).toBe('a');
  await expect.poll(openNames).toEqual([]);
});
