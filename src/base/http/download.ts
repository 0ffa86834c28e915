// The headers of a response with a document's bytes.
import { create as contentDisposition } from 'content-disposition';
import type { DownloadHeader } from '../../../gen/latchkey/http/v1/download_pb.js';
import { servingOf } from './viewer-kinds.ts';

type Facts = Omit<DownloadHeader, '$typeName' | '$unknown'>;

/** A message of a stream that the gateway sends as a file: the header first, then the chunks. */
export type DownloadMessage = {
  readonly part:
    | { readonly case: 'header'; readonly value: DownloadHeader }
    | { readonly case: 'chunk'; readonly value: Uint8Array }
    | { readonly case: undefined };
};

export type DownloadHead = { readonly status: number; readonly headers: Record<string, string> };

/** Content that a tab must not show is always an attachment. */
export function createDownloadHead(
  facts: Facts,
  disposition: 'inline' | 'attachment',
): DownloadHead {
  if (facts.generated) return createGeneratedHead(facts);
  const serving = servingOf(facts.contentType, disposition);
  const policies = ["default-src 'none'", serving.policy, "frame-ancestors 'none'", 'sandbox'];
  const headers: Record<string, string> = {
    // Without an entity tag, the bytes are different in each response.
    ...(facts.etag === '' ? { 'accept-ranges': 'none' } : rangesOf(facts)),
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'content-security-policy': policies.filter((policy) => policy !== undefined).join('; '),
  };
  if (facts.notModified) return { status: 304, headers };
  headers['content-type'] = serving.contentType;
  headers['content-disposition'] = dispositionOf(facts.name, serving.disposition);
  headers['content-length'] = String(facts.lengthBytes);
  if (!facts.partial) return { status: 200, headers };
  const last = facts.offsetBytes + facts.lengthBytes - 1;
  headers['content-range'] = `bytes ${facts.offsetBytes}-${last}/${facts.sizeBytes}`;
  return { status: 206, headers };
}

/**
 * Document names may contain `/` and `\`. In a file name they could lead into another folder
 * (RFC 6266 §4.3).
 */
function dispositionOf(name: string, type: 'inline' | 'attachment'): string {
  const file = name.replace(/[/\\]|^\.{1,2}$/g, '_');
  return contentDisposition(file, { type });
}

const rangesOf = ({ etag }: Facts) => ({ etag, 'accept-ranges': 'bytes' });

/** The body has no length. It ends early if the connection is closed before its last chunk. */
function createGeneratedHead({ name, contentType }: Facts): DownloadHead {
  const headers = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'content-type': contentType,
    'content-disposition': dispositionOf(name, 'attachment'),
  };
  return { status: 200, headers };
}

/** Awaits the first chunk: unreadable bytes give an error. Read or `return` the result. */
export async function startBody(
  chunks: AsyncGenerator<Uint8Array>,
): Promise<AsyncGenerator<Uint8Array>> {
  const first = await chunks.next();
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (first.done !== true) yield first.value;
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  }
  return all();
}
