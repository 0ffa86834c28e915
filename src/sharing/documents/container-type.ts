// Finds the content type of Office files whose first bytes only show the container: in a zip file
// the entry that decides can be the last, and a compound file has a folder of streams.
import { fileTypeFromBlob } from 'file-type';

/** A stored file. Reads the bytes from `start` up to `end`. */
export type RandomAccess = {
  readonly sizeBytes: number;
  read(start: number, end: number): Promise<Buffer>;
};

const zip = 'application/zip';
const compound = 'application/x-cfb';

/** Returns a more specific type than the container's, if there is one. */
export async function refineContainerType(type: string, file: RandomAccess): Promise<string> {
  if (type === zip) return refineZip(file);
  if (type === compound) return (await findCompoundType(file)) ?? type;
  return type;
}

/** file-type reads a zip file in small parts. */
const windowBytes = 65_536;

async function refineZip(file: RandomAccess): Promise<string> {
  const size = file.sizeBytes;
  let loaded: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  async function read(start: number, end: number): Promise<Buffer> {
    const isLoaded = start >= loaded.start && end <= loaded.start + loaded.bytes.length;
    if (!isLoaded) {
      const to = Math.min(size, Math.max(end, start + windowBytes));
      loaded = { start, bytes: await file.read(start, to) };
    }
    return loaded.bytes.subarray(start - loaded.start, end - loaded.start);
  }
  const slice = (start: number, end: number) => ({
    arrayBuffer: async () => Uint8Array.from(await read(start, Math.min(end, size))).buffer,
  });
  // The part of a Blob that file-type uses. With it, file-type reads the central directory.
  const blob = { size, type: '', slice } as unknown as Blob;
  try {
    return (await fileTypeFromBlob(blob))?.mime ?? zip;
  } catch {
    return zip;
  }
}

/** The names of the main streams ([MS-DOC] 2.1, [MS-XLS] 2.1, [MS-PPT] 2.1). */
const streamTypes: ReadonlyMap<string, string> = new Map([
  ['WordDocument', 'application/msword'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['Book', 'application/vnd.ms-excel'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
]);

/** The sizes of [MS-CFB] 2.2 and 2.6.1. */
const headerBytes = 512;
const entryBytes = 128;
/** The main stream is usually among the first entries. */
const entriesMax = 32;

/** Reads the first sector of the directory. */
async function findCompoundType({ sizeBytes, read }: RandomAccess): Promise<string | undefined> {
  if (sizeBytes < headerBytes) return undefined;
  const header = await read(0, headerBytes);
  const sectorShift = header.readUInt16LE(0x1e);
  if (sectorShift !== 9 && sectorShift !== 12) return undefined;
  const start = (header.readUInt32LE(0x30) + 1) * 2 ** sectorShift;
  const end = Math.min(sizeBytes, start + entriesMax * entryBytes);
  if (start >= end) return undefined;
  const directory = await read(start, end);
  for (let at = 0; at + entryBytes <= directory.length; at += entryBytes) {
    const nameBytes = directory.readUInt16LE(at + 0x40);
    if (nameBytes < 2 || nameBytes > 64) continue;
    const name = directory.toString('utf16le', at, at + nameBytes - 2);
    const type = streamTypes.get(name);
    if (type !== undefined) return type;
  }
  return undefined;
}
