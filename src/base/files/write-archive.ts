// Writes a tar archive, one entry after the other.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';

type Bytes = AsyncIterable<Uint8Array>;

export type ArchiveWriter = {
  addText(name: string, text: string): Promise<void>;
  /** `source` must yield `sizeBytes` bytes. */
  add(name: string, sizeBytes: number, source: Bytes): Promise<void>;
};

/** Reading the bytes drives `produce`, and an error of `produce` ends them. */
export async function* writeArchive(produce: (writer: ArchiveWriter) => Promise<void>): Bytes {
  const archive = pack();
  async function add(name: string, size: number, source: Bytes | Buffer[]): Promise<void> {
    await pipeline(Readable.from(source), archive.entry({ name, size, mode: 0o600 }));
  }
  const writer: ArchiveWriter = {
    add,
    async addText(name, text) {
      const bytes = Buffer.from(text);
      await add(name, bytes.length, [bytes]);
    },
  };
  const produced = produce(writer).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  try {
    // The types of tar-stream do not name the chunks.
    yield* archive as Bytes;
  } finally {
    archive.destroy();
    await produced;
  }
}
