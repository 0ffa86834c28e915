// Reads all pages of a list.
import type { CallOptions } from '@connectrpc/connect';
import { LatchkeyError } from './errors.ts';

type ListPage = { readonly nextPageToken: string };

/** The fields of a message, without those that the library adds. */
type FieldOf<P> = Exclude<keyof P, `$${string}`>;

/** The items of a page: the elements of its only list. */
type ItemOf<P> = { [K in FieldOf<P>]: P[K] extends readonly (infer T)[] ? T : never }[FieldOf<P>];

type ListMethod<R, P extends ListPage> = (request: R, options?: CallOptions) => Promise<P>;

/**
 * Yields the pages of a list, from the one with the token `pageToken`. Throws a LatchkeyError if
 * the next page has the same token, because the list would never end.
 */
export async function* walkPages<P>(
  read: (pageToken: string) => Promise<P>,
  nextOf: (page: P) => string,
  pageToken = '',
): AsyncGenerator<P> {
  for (let token = pageToken; ; ) {
    const page = await read(token);
    const next = nextOf(page);
    if (next !== '' && next === token) {
      throw new LatchkeyError('unexpected_answer', 'The server returned the same page again.');
    }
    yield page;
    if (next === '') return;
    token = next;
  }
}

/**
 * Yields all items of a list: `for await (const link of listAll(client.links.listLinks, {}))`.
 * Reads the next page when the loop needs it. Throws a LatchkeyError like the method.
 */
export async function* listAll<R extends { readonly pageToken?: string }, P extends ListPage>(
  list: ListMethod<R, P>,
  request: Omit<R, 'pageToken'>,
  options?: CallOptions,
): AsyncGenerator<ItemOf<P>> {
  // The request has every field of R but the token.
  const read = (pageToken: string) => list({ ...request, pageToken } as R, options);
  for await (const page of walkPages(read, ({ nextPageToken }) => nextPageToken)) {
    // A page has one list, which `ItemOf` describes.
    yield* (Object.values(page).find(Array.isArray) ?? []) as ItemOf<P>[];
  }
}
