/** Reads a text part by part, so that a large one is never loaded as a whole. */
import { formatSize } from '../../../src/base/http/format-size.ts';
import { detectEncoding } from '../../../src/base/http/text-encoding.ts';
import type { Shell } from '../shell/shell.ts';
import { finalProblemOf } from './file-source.ts';
import { FinalError, PersistentRequests, UnexpectedResponse } from './persistent-requests.ts';

export interface TextFile {
  readonly isComplete: boolean;
  /** How much was read, such as "the first 500 kB of 50 MB". */
  readonly readPart: string;
  read(bytes: number): Promise<string>;
}

export function openTextFile({ main, toolbar, notices }: Shell): TextFile {
  const { file = '', size } = main.dataset;
  const total = Number(size);
  const requests = new PersistentRequests(
    (problem, retry) => {
      if (!retry && problem !== 'updated') toolbar.close();
      notices.showProblem(problem, retry);
    },
    () => notices.clear(),
  );
  let received = 0;
  let decoder: TextDecoder | undefined;
  return {
    get isComplete() {
      return received >= total;
    },
    get readPart() {
      return `the first ${formatSize(received)} of ${formatSize(total)}`;
    },
    async read(bytes) {
      const end = Math.min(total, received + bytes);
      const part = await requests.persist(() => fetchPart(file, received, end));
      received = end;
      decoder ??= new TextDecoder(detectEncoding(part, received >= total));
      return decoder.decode(part, { stream: received < total });
    },
  };
}

async function fetchPart(url: string, begin: number, end: number): Promise<Uint8Array> {
  const headers = { Range: `bytes=${begin}-${end - 1}` };
  // Neither a revoked document nor an old error may come from the browser cache.
  const response = await fetch(url, { headers, cache: 'no-store' });
  const problem = finalProblemOf(response.status);
  if (problem) throw new FinalError(problem);
  if (response.status !== 206) {
    const retryAfter = Number(response.headers.get('Retry-After'));
    throw new UnexpectedResponse(`status ${response.status}`, retryAfter);
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.byteLength !== end - begin) throw new UnexpectedResponse('wrong length', 0);
  return bytes;
}

export function decodeText(bytes: Uint8Array, isComplete: boolean): string {
  return new TextDecoder(detectEncoding(bytes, isComplete)).decode(bytes, { stream: !isComplete });
}
