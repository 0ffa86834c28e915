// Reads all pages of a list.
import type { CallOptions } from '@connectrpc/connect';

type ListPage = { readonly nextPageToken: string };

/** The fields of a message, without those that the library adds. */
type FieldOf<P> = Exclude<keyof P, `$${string}`>;

/** The items of a page: the elements of its only list. */
type ItemOf<P> = { [K in FieldOf<P>]: P[K] extends readonly (infer T)[] ? T : never }[FieldOf<P>];

type ListMethod<R, P extends ListPage> = (request: R, options?: CallOptions) => Promise<P>;

/**
 * Yields all items of a list: `for await (const link of listAll(client.links.listLinks, {}))`.
 * Reads the next page when the loop needs it. Throws a LatchkeyError like the method.
 */
export async function* listAll<R extends { readonly pageToken?: string }, P extends ListPage>(
  list: ListMethod<R, P>,
  request: Omit<R, 'pageToken'>,
  options?: CallOptions,
): AsyncGenerator<ItemOf<P>> {
  let pageToken = '';
  do {
    // The request has every field of R but the token.
    const page = await list({ ...request, pageToken } as R, options);
    // A page has one list, which `ItemOf` describes.
    yield* (Object.values(page).find(Array.isArray) ?? []) as ItemOf<P>[];
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}
