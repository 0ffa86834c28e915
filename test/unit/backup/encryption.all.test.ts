import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readArchive, readText } from '../../../src/backup/archive.ts';
import {
  createDecrypter,
  createEncrypter,
  decrypt,
  encrypt,
  generateBackupKey,
} from '../../../src/backup/encryption.ts';
import { formatVersion, parseEntryName, parseManifest } from '../../../src/backup/format.ts';
import { writeArchive } from '../../../src/base/files/write-archive.ts';

async function* chunksOf(bytes: Uint8Array, size = 50_000): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const damaged = 'the file is incomplete, damaged or not a backup';

describe('an encrypted backup', () => {
  const plain = randomBytes(300_000);

  async function encrypted() {
    const key = await generateBackupKey();
    const encrypter = createEncrypter([key.recipient]);
    const bytes = await collect(await encrypt(chunksOf(plain), encrypter));
    return { key, bytes };
  }

  const decrypted = (bytes: Uint8Array, identity: string) =>
    collect(decrypt(chunksOf(bytes), createDecrypter(identity)));

  test('is decrypted with the secret key, in a file with comments', async () => {
    const { key, bytes } = await encrypted();
    expect(await decrypted(bytes, `# comment\n\n${key.identity}\n`)).toEqual(plain);
  });

  test('contains nothing of its content, and is refused with another key', async () => {
    const { bytes } = await encrypted();
    expect(bytes.includes(plain.subarray(0, 16))).toBe(false);
    const other = await generateBackupKey();
    await expect(decrypted(bytes, other.identity)).rejects.toThrow(
      'the key in LATCHKEY_BACKUP_IDENTITY does not decrypt the file',
    );
  });

  test('is refused if it is truncated anywhere', async () => {
    const { key, bytes } = await encrypted();
    for (const length of [0, 10, 200, 65_800, 66_000, 131_400, 200_000, bytes.length - 1]) {
      await expect(decrypted(bytes.subarray(0, length), key.identity)).rejects.toThrow(damaged);
    }
  });

  test('is refused if one byte is altered', async () => {
    const { key, bytes } = await encrypted();
    for (const position of [0, 30, 180, 250, 70_000, bytes.length - 1]) {
      const altered = Buffer.from(bytes);
      altered[position] = (altered[position] ?? 0) ^ 1;
      await expect(decrypted(altered, key.identity)).rejects.toThrow(/^the (file|key) /);
    }
  });

  test('reads its source only as fast as it is read', async () => {
    const key = await generateBackupKey();
    let reads = 0;
    async function* source() {
      for (; reads < 1_000; reads++) yield new Uint8Array(65_536);
    }
    const bytes = await encrypt(source(), createEncrypter([key.recipient]));
    const iterator = bytes[Symbol.asyncIterator]();
    for (let i = 0; i < 5; i++) await iterator.next();
    expect(reads).toBeLessThan(20);
    await iterator.return?.();
  });

  test('has no key in the error about a wrong key', () => {
    const wrong = 'AGE-SECRET-KEY-1QQQQQQQQQ';
    expect(() => createDecrypter(wrong)).toThrow(/^LATCHKEY_BACKUP_IDENTITY is not a secret key/);
    expect(() => createEncrypter(['age1qqqq'])).toThrow(/^LATCHKEY_BACKUP_RECIPIENT is not/);
  });
});

describe('an archive', () => {
  test('returns its entries in their order', async () => {
    const content = randomBytes(400_000);
    const bytes = await collect(
      writeArchive(async (writer) => {
        await writer.addText('manifest.json', '{}');
        await writer.add('blobs/a', content.length, chunksOf(content));
        await writer.addText('end.json', 'é');
      }),
    );
    const found: [string, Buffer][] = [];
    for await (const entry of readArchive(chunksOf(bytes))) {
      found.push([entry.name, await collect(entry.content)]);
    }
    expect(found).toEqual([
      ['manifest.json', Buffer.from('{}')],
      ['blobs/a', content],
      ['end.json', Buffer.from('é')],
    ]);
  });

  test('ends with the error of its producer', async () => {
    const bytes = writeArchive(async (writer) => {
      await writer.addText('a', 'a');
      throw new Error('the disk failed');
    });
    await expect(collect(bytes)).rejects.toThrow('the disk failed');
  });

  test('ends with the error of its source', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(0);
      throw new Error('the disk failed');
    }
    const read = async () => {
      for await (const entry of readArchive(source())) await readText(entry);
    };
    await expect(read()).rejects.toThrow('the disk failed');
  });
});

test('an entry is known by its name', () => {
  expect(parseEntryName('blobs/index-000001.jsonl')).toEqual({ kind: 'index' });
  expect(parseEntryName('rows/view_pages-000012.jsonl')).toEqual({
    kind: 'rows',
    table: 'view_pages',
  });
  expect(parseEntryName('blobs/aB3')).toEqual({ kind: 'blob', id: 'aB3' });
  for (const name of ['blobs/../x', 'blobs/', '/etc/passwd', 'rows/users.jsonl', 'x']) {
    expect(parseEntryName(name)).toBeUndefined();
  }
});

test('a manifest of a later format names the release', () => {
  const later = { format: 'latchkey-backup', version: formatVersion + 1, release: '9.9.9' };
  expect(() => parseManifest(JSON.stringify(later))).toThrow('release 9.9.9');
  expect(() => parseManifest('{}')).toThrow('the file is not a backup');
});
