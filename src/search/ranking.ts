// Sorts the rows that a search has found.
import { foldValue } from '../storage/queries/folded-text.ts';
import type { FoundRow } from '../storage/queries/search.ts';

/** Lower is better. */
const ranks = { equal: 0, nameStart: 1, idStart: 2, wordStart: 3, other: 4 };

type Ranked<R> = { readonly row: R; readonly rank: number; readonly turn: number };

/**
 * Returns the best `limit` rows, each once. `groups` has the rows of one kind each. Within a rank,
 * the kinds take turns, so that one kind does not fill all places.
 */
export function bestOf<R extends FoundRow>(
  groups: readonly (readonly R[])[],
  text: string,
  limit: number,
): R[] {
  const ranked = groups.flatMap((group) => rankGroup(group, text));
  ranked.sort((a, b) => a.rank - b.rank || a.turn - b.turn);
  return ranked.slice(0, limit).map(({ row }) => row);
}

function rankGroup<R extends FoundRow>(group: readonly R[], text: string): Ranked<R>[] {
  const rows = new Map(group.map((row) => [row.id, row]));
  const folded = text.toLowerCase();
  const ranked = [...rows.values()].map((row) => ({ row, rank: rankOf(row, folded) }));
  ranked.sort((a, b) => a.rank - b.rank || compare(nameOf(a.row), nameOf(b.row)));
  const counts = new Map<number, number>();
  return ranked.map((found) => {
    const turn = counts.get(found.rank) ?? 0;
    counts.set(found.rank, turn + 1);
    return { ...found, turn };
  });
}

const nameOf = ({ id, texts }: FoundRow) => `${foldValue(texts[0] ?? '')}\n${id}`;

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function rankOf({ id, texts }: FoundRow, text: string): number {
  const names = texts.map((name) => name.toLowerCase());
  const ownId = id.toLowerCase();
  if (ownId === text || names.includes(text)) return ranks.equal;
  if (names.some((name) => name.startsWith(text))) return ranks.nameStart;
  const idRest = ownId.slice(ownId.indexOf('_') + 1);
  if (ownId.startsWith(text) || idRest.startsWith(text)) return ranks.idStart;
  const isWordStart = (name: string) => wordStarts(name).some((word) => word.startsWith(text));
  return names.some(isWordStart) ? ranks.wordStart : ranks.other;
}

/** The rests of a name from each of its words. */
function wordStarts(name: string): string[] {
  return [...name.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index }) => name.slice(index));
}
