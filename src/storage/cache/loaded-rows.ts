// Keeps a small set of rows in memory, and reads it again after each change.
import type { Entity } from '../schema/change.ts';
import { failToUpdate, type Invalidations } from './invalidation.ts';
import { createLoader } from './loader.ts';

export type LoadedRows = {
  /**
   * Returns undefined if the rows are current. Otherwise reads them, and throws `unavailable` if
   * the database could not be read for 5 seconds.
   */
  ensureCurrent(): Promise<void> | undefined;
  isCurrent(): boolean;
  /** Reads the rows if they are not current. */
  load(): Promise<void>;
  reload(): Promise<void>;
};

/** `read` reads all rows of the entity. Resolves when it has read them once. */
export async function keepLoaded(
  invalidations: Pick<Invalidations, 'onEviction' | 'ensureFresh'>,
  entity: Entity,
  read: () => Promise<void>,
): Promise<LoadedRows> {
  const loader = createLoader(read);
  invalidations.onEviction(({ isComplete, list }) => {
    if (isComplete && !list.some((change) => change.entity === entity)) return;
    loader.noteChange();
    // Reads the rows before the next call needs them. If this fails, that call tries again.
    loader.load().catch(() => {});
  });
  await loader.load();

  async function update(refresh: Promise<void> | undefined): Promise<void> {
    await refresh;
    if (!loader.isCurrent()) await loader.load().catch(failToUpdate);
  }
  return {
    ensureCurrent() {
      const refresh = invalidations.ensureFresh();
      return refresh === undefined && loader.isCurrent() ? undefined : update(refresh);
    },
    isCurrent: loader.isCurrent,
    load: loader.load,
    reload() {
      loader.noteChange();
      return loader.load();
    },
  };
}
