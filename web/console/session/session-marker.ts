/**
 * Remembers that this browser has signed in, because scripts cannot see the session cookie. Without
 * the marker, the console does not ask for a session: each refused request is an audit event.
 */
const name = 'latchkey session';

export const sessionMarker = {
  /** True as well if the browser blocks the storage. */
  isSet: () => withStorage((storage) => storage.getItem(name) !== null) ?? true,
  set: () => withStorage((storage) => storage.setItem(name, 'started')),
  clear: () => withStorage((storage) => storage.removeItem(name)),
};

function withStorage<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return work(localStorage);
  } catch {
    return undefined;
  }
}
