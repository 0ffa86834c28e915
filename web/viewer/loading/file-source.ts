/** The fetcher of pdf.js fails at the first lost request; this one waits and retries. */
import {
  FinalError,
  type LoadProblem,
  PersistentRequests,
  UnexpectedResponse,
} from './persistent-requests.ts';

export interface FileEvents {
  /** The received share of the whole file or of the page's long ranges, 0 to 1. */
  onProgress(share: number): void;
  /** `retry` is absent if a retry cannot help. */
  onProblem(problem: LoadProblem, retry?: () => void): void;
  onRecovered(): void;
}

export interface FileSource {
  /** Bytes. */
  readonly length: number;
  /** The whole file, if it is small or the server ignores ranges. */
  readonly whole: Uint8Array | undefined;
  /** Resolves when the bytes have arrived; waits while the connection is lost. */
  read(begin: number, end: number): Promise<Uint8Array>;
}

/** Bytes of the smallest range: small, because pdf.js may read from every page to find the last. */
export const chunkBytes = 8 * 1024;

/** Long ranges are fetched in pieces, so that a page that is requested later can overtake. */
const pieceBytes = 256 * 1024;

export const wholeBytesMax = 512 * 1024;

/** Both ends are prefetched: they contain the header or first page, and the index. */
const endBytes = 128 * 1024;

const finalProblems: Record<number, LoadProblem> = {
  401: 'refused',
  403: 'refused',
  404: 'gone',
  409: 'unmarked',
  410: 'gone',
  412: 'updated',
  416: 'broken',
};

/** The problem of a status that a retry cannot change. */
export function finalProblemOf(status: number): LoadProblem | undefined {
  return finalProblems[status];
}

interface Part {
  readonly begin: number;
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** `size`: the expected length in bytes; the responses override it. */
export async function openFile(url: string, size: number, events: FileEvents): Promise<FileSource> {
  const lost = new PersistentRequests(events.onProblem, events.onRecovered);
  const progress = { received: 0, requested: 0 };
  const count = (bytes: number) => {
    progress.received += bytes;
    events.onProgress(Math.min(1, progress.received / progress.requested));
  };
  const fetchPart = (begin: number, end: number, rank: number, isCounted: boolean) => {
    if (isCounted) progress.requested += end - begin;
    return lost.persist(async () => {
      const headers = { Range: `bytes=${begin}-${end - 1}` };
      // Neither a revoked document nor an old error may come from the browser cache.
      const response = await fetch(url, { headers, cache: 'no-store' });
      // The server ignores ranges.
      if (response.status === 200 && isCounted) progress.requested = lengthOf(response);
      return receive(response, begin, isCounted ? count : () => {});
    }, rank);
  };
  let rank = 0;
  const fetchPieces = async (begin: number, end: number): Promise<Uint8Array> => {
    const own = ++rank;
    const isLong = end - begin > pieceBytes;
    const begins = Array.from(
      { length: Math.ceil((end - begin) / pieceBytes) },
      (_, index) => begin + index * pieceBytes,
    );
    const pieces = begins.map(async (from) => {
      const to = Math.min(end, from + pieceBytes);
      return cut(await fetchPart(from, to, own, isLong), from, to);
    });
    return join(await Promise.all(pieces));
  };

  const small = !(size > wholeBytesMax);
  const tailBegin = small ? Infinity : size - endBytes;
  const tail = small ? undefined : fetchPart(tailBegin, size, rank, false);
  const head = await fetchPart(0, small ? size || wholeBytesMax : endBytes, rank, small);
  return {
    length: head.length,
    whole: head.bytes.byteLength >= head.length ? head.bytes : undefined,
    async read(begin, end) {
      if (end <= head.bytes.byteLength) return cut(head, begin, end);
      if (tail && begin >= tailBegin) return cut(await tail, begin, end);
      return fetchPieces(begin, end);
    },
  };
}

const lengthOf = ({ headers }: Response) => Number(headers.get('Content-Length')) || 1;

async function receive(
  response: Response,
  begin: number,
  count: (bytes: number) => void,
): Promise<Part> {
  const { status, headers } = response;
  const problem = finalProblemOf(status);
  if (problem) throw new FinalError(problem);
  if (status === 200) {
    const bytes = await receiveBytes(response, count);
    return { begin: 0, bytes, length: bytes.byteLength };
  }
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('Content-Range') ?? '');
  const [first = -1, , length = -1] = range?.slice(1).map(Number) ?? [];
  if (status !== 206 || first !== begin) {
    throw new UnexpectedResponse(`status ${status}`, Number(headers.get('Retry-After')));
  }
  return { begin, bytes: await receiveBytes(response, count), length };
}

async function receiveBytes(
  response: Response,
  count: (bytes: number) => void,
): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  try {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      chunks.push(part.value);
      received += part.value.byteLength;
      count(part.value.byteLength);
    }
  } catch (error) {
    // The attempt is repeated from its beginning.
    count(-received);
    throw error;
  }
  return join(chunks);
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const bytes = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function cut(part: Part, begin: number, end: number): Uint8Array {
  return part.bytes.slice(begin - part.begin, end - part.begin);
}
