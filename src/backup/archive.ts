// Reads the tar archive of a backup, one entry after the other.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { BackupError } from './format.ts';

type Bytes = AsyncIterable<Uint8Array>;

export type ArchiveEntry = {
  readonly name: string;
  readonly sizeBytes: number;
  /** The consumer reads it before it asks for the next entry. */
  readonly content: Bytes;
};

/** If the source fails, throws its error, also while the consumer reads an entry. */
export async function* readArchive(source: Bytes): AsyncGenerator<ArchiveEntry> {
  const archive = extract();
  const piped = pipeline(Readable.from(source), archive);
  piped.catch(() => {});
  /** A failed source ends the tar stream, whose own error does not name the reason. */
  async function* untilFailure<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* items;
    } catch (error) {
      await piped;
      throw error;
    }
  }
  try {
    for await (const entry of untilFailure(archive)) {
      const { name, size = 0 } = entry.header;
      yield { name, sizeBytes: size, content: untilFailure(entry as Bytes) };
      entry.resume();
    }
    await piped;
  } finally {
    archive.destroy();
    await piped.catch(() => {});
  }
}

/** Larger texts are refused, so that a file cannot exhaust the memory. */
const textBytesMax = 64 * 1024 * 1024;

export async function readText({ name, sizeBytes, content }: ArchiveEntry): Promise<string> {
  if (sizeBytes > textBytesMax) throw new BackupError(`the entry ${name} is too large`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
