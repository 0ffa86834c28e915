// Reads the pages of a list.
import { walkPages } from '../../../client/src/walk-list.ts';
import { explain } from './errors.ts';
import type { Remote } from './remote.ts';

/** Throws a CommandError if the list does not end. */
export async function* readPages<P>(
  { profile }: Pick<Remote, 'profile'>,
  ...list: Parameters<typeof walkPages<P>>
): AsyncGenerator<P> {
  try {
    yield* walkPages(...list);
  } catch (error) {
    throw explain(error, profile.server);
  }
}
