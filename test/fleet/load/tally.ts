// Counts the requests of the load, and keeps the failed ones.

export type Failure = {
  /** Such as `http 503 unavailable` or `grpc UNAVAILABLE`. */
  readonly kind: string;
  readonly action: string;
  /** When the request was sent, by the clock of `performance.now()`. */
  readonly sentAt: number;
};

export type Tally = ReturnType<typeof createTally>;

export function createTally() {
  const requests = { http: 0, grpc: 0 };
  const failures: Failure[] = [];
  const times: number[] = [];
  return {
    requests,
    failures,
    /** A request that was sent at `sentAt` ends now. */
    count(transport: 'http' | 'grpc', action: string, sentAt: number, failure?: string): void {
      requests[transport]++;
      times.push(performance.now() - sentAt);
      if (failure !== undefined) failures.push({ kind: `${transport} ${failure}`, action, sentAt });
    },
    /** A counted request had a wrong answer. */
    fail(transport: 'http' | 'grpc', action: string, sentAt: number, failure: string): void {
      failures.push({ kind: `${transport} ${failure}`, action, sentAt });
    },
    /** The time within which this part of the requests was answered, in milliseconds. */
    percentile: (part: number) =>
      times.sort((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN,
    /** The failures by kind, such as `3×http 503 unavailable`. */
    kinds(): string {
      const counts = new Map<string, number>();
      for (const { kind } of failures) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return [...counts].map(([kind, count]) => `${count}×${kind}`).join(' ') || 'none';
    },
  };
}
