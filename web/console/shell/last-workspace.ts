/**
 * Remembers the workspace that each user of this browser opened last, so that the other screens and
 * the next visit still have it. It stays in memory if the browser blocks the storage.
 */
import { withStorage } from '../shared/with-storage.ts';

const opened = new Map<string, string>();

const nameOf = (userId: string) => `latchkey workspace ${userId}`;

export const lastWorkspace = {
  get: (userId: string): string | undefined =>
    opened.get(userId) ??
    withStorage('localStorage', (storage) => storage.getItem(nameOf(userId))) ??
    undefined,
  set(userId: string, workspaceId: string): void {
    opened.set(userId, workspaceId);
    withStorage('localStorage', (storage) => storage.setItem(nameOf(userId), workspaceId));
  },
  forget(userId: string): void {
    opened.delete(userId);
    withStorage('localStorage', (storage) => storage.removeItem(nameOf(userId)));
  },
};
