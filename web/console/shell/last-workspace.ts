/**
 * Remembers the workspace that each user of this browser opened last, so that the other screens and
 * the next visit still have it. It stays in memory if the browser blocks the storage.
 */
const opened = new Map<string, string>();

const nameOf = (userId: string) => `latchkey workspace ${userId}`;

export const lastWorkspace = {
  get: (userId: string): string | undefined =>
    opened.get(userId) ?? withStorage((storage) => storage.getItem(nameOf(userId))) ?? undefined,
  set(userId: string, workspaceId: string): void {
    opened.set(userId, workspaceId);
    withStorage((storage) => storage.setItem(nameOf(userId), workspaceId));
  },
  forget(userId: string): void {
    opened.delete(userId);
    withStorage((storage) => storage.removeItem(nameOf(userId)));
  },
};

function withStorage<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return work(localStorage);
  } catch {
    return undefined;
  }
}
