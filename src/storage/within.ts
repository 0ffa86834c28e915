/** Resolves to undefined if the promise is still pending after this time. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms).unref();
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
