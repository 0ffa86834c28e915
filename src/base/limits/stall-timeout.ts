import { fail } from '../errors/errors.ts';

/** Throws `canceled` after `stalledMs` without a message. Empty ones do not count. */
export async function* failIfStalled<T>(
  messages: AsyncIterable<T>,
  stalledMs: number,
  isEmpty: (message: T) => boolean,
): AsyncGenerator<T> {
  const iterator = messages[Symbol.asyncIterator]();
  let failNext: ((error: unknown) => void) | undefined;
  let restarts = true;
  const timer = setTimeout(() => {
    // Otherwise the consumer is slow, not the client.
    if (failNext === undefined) restarts = true;
    else failNext(fail('canceled', 'The upload stalled.'));
  }, stalledMs);
  const readNext = () =>
    new Promise<IteratorResult<T>>((resolve, reject) => {
      failNext = reject;
      if (restarts) timer.refresh();
      iterator.next().then(resolve, reject);
    });
  try {
    for (;;) {
      const next = await readNext();
      failNext = undefined;
      if (next.done) return;
      restarts = !isEmpty(next.value);
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    // Not awaited: `return` would wait for the message that does not arrive.
    iterator.return?.().catch(() => {});
  }
}
