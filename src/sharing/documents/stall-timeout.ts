import { fail } from '../../errors/errors.ts';

/** Yields the same messages. Throws `canceled` if the next one takes longer than `stalledMs`. */
export async function* failIfStalled<T>(
  messages: AsyncIterable<T>,
  stalledMs: number,
): AsyncGenerator<T> {
  const iterator = messages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await within(stalledMs, iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: `return` would wait for the message that does not arrive.
    iterator.return?.().catch(() => {});
  }
}

async function within<T>(milliseconds: number, result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const stalled = () => reject(fail('canceled', 'The upload stalled.'));
    timer = setTimeout(stalled, milliseconds);
  });
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}
