import { expect, test } from 'vitest';
import { listAll, walkPages } from '../../../clients/client/src/walk-list.ts';
import { itHoldsFor } from '../../support/rule.ts';

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

itHoldsFor([
  ['the same page', { '': 'a', a: 'a' }],
  ['two pages in turn', { '': 'a', a: 'b', b: 'a' }],
  ['three pages in turn', { '': 'a', a: 'b', b: 'c', c: 'a' }],
  ['two pages in turn after others', { '': 'a', a: 'b', b: 'c', c: 'd', d: 'e', e: 'd' }],
  [
    'fifty pages in turn',
    Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`${i || ''}`, `${(i + 1) % 50 || 1}`]),
    ),
  ],
] as const)('a list that never ends is an error', async (_name, pages) => {
  const found = await readAll(pages);
  expect(found.at(-1)).toBe('unexpected_answer');
  expect(found.length).toBeLessThanOrEqual(3 * Object.keys(pages).length + 1);
});

test('a list that begins at a page and returns to it is an error', async () => {
  const pages: unknown[] = [];
  const walk = walkPages(
    async (token) => token,
    (token) => (token === 'a' ? 'b' : 'a'),
    'a',
  );
  const read = async () => {
    for await (const page of walk) pages.push(page);
  };
  await expect(read()).rejects.toMatchObject({ code: 'unexpected_answer' });
  expect(pages.length).toBeLessThanOrEqual(4);
});
