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
 * a page token repeats, because the list would never end. It keeps one token to compare
 * with: after 1, 2, 4, … pages that of the current page (R. P. Brent, BIT 20, 1980). So it may
 * yield the pages of a cycle more than once.
 */
export async function* walkPages<P>(
  read: (pageToken: string) => Promise<P>,
  nextOf: (page: P) => string,
  pageToken = '',
): AsyncGenerator<P> {
  let [kept, pagesLeft, pages] = [pageToken, 1, 1];
  for (let token = pageToken; ; ) {
    const page = await read(token);
    const next = nextOf(page);
    if (next !== '' && (next === token || next === kept)) {
      throw new LatchkeyError('unexpected_answer', 'The server returned the same page again.');
    }
    yield page;
    if (next === '') return;
    token = next;
    pagesLeft -= 1;
    if (pagesLeft > 0) continue;
    kept = token;
    pages *= 2;
    pagesLeft = pages;
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
