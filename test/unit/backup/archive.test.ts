// Archives whose source fails: the reader gets the reason, not the error of the tar stream.
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readArchive, readText } from '../../../src/backup/archive.ts';
import { writeArchive } from '../../../src/base/files/write-archive.ts';

async function archiveOf(texts: readonly string[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const bytes = writeArchive(async (writer) => {
    for (const [i, text] of texts.entries()) await writer.addText(`entry-${i}`, text);
  });
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Yields the first bytes, at once or in turns of the event loop, and then fails. */
async function* cut(bytes: Buffer, end: number, isSlow: boolean): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < end; at += 512) {
    if (isSlow) await setImmediate();
    yield bytes.subarray(at, Math.min(end, at + 512));
  }
  throw new Error('the file is truncated');
}

/** Reads each entry, at once or after the source may have failed. */
async function readAll(source: AsyncIterable<Uint8Array>, isSlow = false): Promise<string[]> {
  const texts: string[] = [];
  for await (const entry of readArchive(source)) {
    if (isSlow) await sleep(1);
    texts.push(await readText(entry));
  }
  return texts;
}

test('the error of a truncated source reaches the reader, at whichever byte it ends', async () => {
  const texts = ['first', 'x'.repeat(70_000), '', 'last'];
  const bytes = await archiveOf(texts);
  expect(await readAll([bytes] as unknown as AsyncIterable<Uint8Array>)).toEqual(texts);
  const reasons = new Set<string>();
  let cuts = 0;
  for (const [slowSource, slowReader] of [
    [false, false],
    [true, false],
    [false, true],
  ] as const) {
    for (let end = 0; end < bytes.length; end += 1_000) {
      const read = readAll(cut(bytes, end, slowSource), slowReader);
      const reason = await read.catch((error: Error) => error.message);
      reasons.add(String(reason));
      cuts++;
    }
  }
  expect([...reasons]).toEqual(['the file is truncated']);
  expect(cuts).toBeGreaterThan(100);
});
