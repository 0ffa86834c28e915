// Measures operations that must take equally long.

export type Timed = () => Promise<unknown>;

/**
 * Runs the operations in turn, so many times each, so that a slow machine slows all of them
 * equally.
 */
export async function timeInterleaved<K extends string>(
  works: Readonly<Record<K, Timed>>,
  rounds: number,
): Promise<Record<K, number[]>> {
  const names = Object.keys(works) as K[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    // Reverses the order in every other round.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const started = performance.now();
      await works[name]();
      times[name]?.push(performance.now() - started);
    }
  }
  return times as Record<K, number[]>;
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
