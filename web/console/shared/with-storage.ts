/** Returns undefined if the browser blocks the storage. */
export function withStorage<T>(
  name: 'localStorage' | 'sessionStorage',
  work: (storage: Storage) => T,
): T | undefined {
  try {
    return work(window[name]);
  } catch {
    return undefined;
  }
}
