/** Distinguishes errors of a source from those of the store that reads it. */
export function watchSource(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]();
  let failed = false;
  // Without `throw`: a stream would use it to pass the error of the store to the source.
  const watched: AsyncIterableIterator<Uint8Array> = {
    async next() {
      try {
        return await iterator.next();
      } catch (error) {
        failed = true;
        throw error;
      }
    },
    async return() {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => watched,
  };
  return { source: watched, hasFailed: () => failed };
}
