/** Returns a function that wraps others, so that they throw the errors that `failureOf` returns. */
export function mapErrors(failureOf: (error: unknown) => unknown) {
  return <A extends unknown[], T>(work: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> =>
      work(...args).catch((error: unknown) => {
        throw failureOf(error);
      });
}
