// Reads lists page by page, for suites about their order.
import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Credential, Transport, UnaryMethod } from './transports.ts';

/** The part of a list request that every list has. */
export type ListOptions = {
  readonly query?: string;
  readonly orderBy?: string;
  readonly pageSize?: number;
};

export type Walk<M extends UnaryMethod> = {
  readonly pages: MessageShape<M['output']>[];
  readonly totals: number[];
};

/** Reads all pages of a list. Throws if a call fails. */
export async function walkList<M extends UnaryMethod>(
  transport: Transport,
  method: M,
  request: MessageInitShape<M['input']>,
  credential: Credential,
): Promise<Walk<M>> {
  const pages: MessageShape<M['output']>[] = [];
  const totals: number[] = [];
  let pageToken = '';
  do {
    const input = { ...request, pageToken } as MessageInitShape<M['input']>;
    const answer = await transport.call(method, input, credential);
    if (!answer.ok) throw new Error(answer.error.message);
    pages.push(answer.message);
    const { nextPageToken, totalSize } = answer.message as unknown as {
      nextPageToken: string;
      totalSize: number;
    };
    totals.push(totalSize);
    pageToken = nextPageToken;
  } while (pageToken !== '');
  return { pages, totals };
}
