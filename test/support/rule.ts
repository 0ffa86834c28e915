// One test for a rule: it walks all cases of the rule and names each case that breaks it.
import { expect, it } from 'vitest';

/** How long one rule may take, because it has hundreds of cases. */
const timeout = 300_000;

type Case = string | readonly unknown[];

/** The name of a case: its texts. */
const nameOf = (one: Case) =>
  typeof one === 'string' ? one : one.filter((part) => typeof part === 'string').join(', ');

type PartsOf<T extends Case> = T extends readonly unknown[] ? [...T] : [T];

const partsOf = <T extends Case>(one: T) => (typeof one === 'string' ? [one] : one) as PartsOf<T>;

/** Checks all cases, one after the other. Returns the name and the error of each that fails. */
export async function findFailures<T extends Case>(
  cases: readonly T[],
  check: (...parts: PartsOf<T>) => unknown,
): Promise<string[]> {
  const failures: string[] = [];
  for (const one of cases) {
    try {
      await check(...partsOf(one));
    } catch (error) {
      failures.push(`${nameOf(one)}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return failures;
}

/**
 * Declares one test for all cases, where `it.each(cases)(sentence, check)` declares one for each.
 * The test also fails if there are fewer than `least` cases, because a table that has become empty
 * checks nothing.
 */
export function itHoldsFor<const T extends Case>(cases: readonly T[], least: number) {
  return (sentence: string, check: (...parts: PartsOf<T>) => unknown): void => {
    it(sentence, { timeout }, async () => {
      expect(await findFailures(cases, check)).toEqual([]);
      expect(cases.length, 'the number of cases').toBeGreaterThanOrEqual(least);
    });
  };
}

/** All combinations of two lists, as the cases of one rule. */
export function product<A extends Case, B extends Case>(
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
