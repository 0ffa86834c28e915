/** Resolves like the promise, or to undefined if that takes longer than `ms`. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms).unref();
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
