// One test for a rule: it walks all cases of the rule and names each case that breaks it.
import { inspect } from 'node:util';
import { expect, it } from 'vitest';

/** How long one rule may take, because it has hundreds of cases. */
const timeout = 900_000;

/** Makes TypeScript read a list as a tuple. */
type Case =
  | readonly [unknown, ...unknown[]]
  | readonly unknown[]
  | (string | number | boolean | object | null | undefined);

type PartsOf<T> = T extends readonly unknown[] ? [...T] : [T];

const partsOf = <T>(one: T) => (Array.isArray(one) ? one : [one]) as PartsOf<T>;

/** The name of a case: its texts and numbers, of which the first characters are enough. */
function nameOf(one: unknown): string {
  const parts: unknown[] = Array.isArray(one) ? one : [one];
  const words = parts.filter((part) => /^(string|number|boolean)$/.test(typeof part)).join(', ');
  return (words.trim() === '' ? inspect(one) : words).slice(0, 300);
}

/** Cases that only wait, and do not see each other's effects, run at the same time. */
type Order = 'in turn' | 'together';

/** Checks all cases. Returns the name and the error of each that fails. */
export async function findFailures<T>(
  cases: readonly T[],
  check: (...parts: PartsOf<T>) => unknown,
  order: Order = 'in turn',
): Promise<string[]> {
  async function failuresOf(one: T): Promise<string[]> {
    try {
      await check(...partsOf(one));
      return [];
    } catch (error) {
      return [`${nameOf(one)}: ${error instanceof Error ? error.message : error}`];
    }
  }
  if (order === 'together') return (await Promise.all(cases.map(failuresOf))).flat();
  const failures: string[] = [];
  for (const one of cases) failures.push(...(await failuresOf(one)));
  return failures;
}

/**
 * Declares one test for all cases, where `it.each(cases)(sentence, check)` declares one for each.
 * The test also fails if there are fewer than `least` cases, because a table that has become empty
 * checks nothing. Only a table that is written in place needs no number. `beforeEach` and
 * `afterEach` run once for all cases.
 */
export function itHoldsFor<T extends Case>(cases: readonly T[], least = 2, order?: Order) {
  return (sentence: string, check: (...parts: PartsOf<T>) => unknown): void => {
    it(sentence, { timeout }, async () => {
      expect(await findFailures(cases, check, order)).toEqual([]);
      expect(cases.length, 'the number of cases').toBeGreaterThanOrEqual(least);
    });
  };
}

/** A table of cases: by their outcome, and then by their name. */
export type Outcomes<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

/** The cases of a table: the name, the outcome, and the case. */
export const casesOf = <T>(outcomes: Outcomes<T>): [name: string, outcome: string, one: T][] =>
  Object.entries(outcomes).flatMap(([outcome, cases]) =>
    Object.entries(cases).map(([name, one]): [string, string, T] => [name, outcome, one]),
  );

/** All combinations of two lists, as the cases of one rule. */
export function product<A, B>(
  left: readonly A[],
  right: readonly B[] | ((one: A) => readonly B[]),
): [...PartsOf<A>, ...PartsOf<B>][] {
  return left.flatMap((one) => {
    const others = typeof right === 'function' ? right(one) : right;
    return others.map((other): [...PartsOf<A>, ...PartsOf<B>] => [
      ...partsOf(one),
      ...partsOf(other),
    ]);
  });
}
