import { expect, test } from 'vitest';
import { listAll } from '../../../clients/client/src/walk-list.ts';

type Page = { readonly rows: readonly string[]; readonly nextPageToken: string };

async function readAll(pages: Readonly<Record<string, string>>): Promise<string[]> {
  const found: string[] = [];
  const list = async ({ pageToken = '' }: { pageToken?: string }): Promise<Page> => {
    return { rows: [`row ${pageToken}`], nextPageToken: pages[pageToken] ?? '' };
  };
  try {
    for await (const row of listAll(list, {})) found.push(row);
  } catch (error) {
    found.push((error as { code: string }).code);
  }
  return found;
}

test('a list is read until a page has no next one', async () => {
  expect(await readAll({ '': 'a', a: 'b' })).toEqual(['row ', 'row a', 'row b']);
});

test('a list whose server returns the same page again ends with an error', async () => {
  expect(await readAll({ '': 'a', a: 'a' })).toEqual(['row ', 'unexpected_answer']);
});
