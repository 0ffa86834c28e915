/**
 * Remembers that this browser has signed in, because scripts cannot see the session cookie. Without
 * the marker, the console does not ask for a session: each refused request is an audit event.
 */
import { withStorage } from '../shared/with-storage.ts';

const name = 'latchkey session';

export const sessionMarker = {
  /** True as well if the browser blocks the storage. */
  isSet: () => withStorage('localStorage', (storage) => storage.getItem(name) !== null) ?? true,
  set: () => withStorage('localStorage', (storage) => storage.setItem(name, 'started')),
  clear: () => withStorage('localStorage', (storage) => storage.removeItem(name)),
};
