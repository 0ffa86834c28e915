// The rules of folders. Every change that could break one locks the usage of the workspace first,
// so that the changes of a workspace happen one after another.
import { type Failure, fail } from '../../base/errors/errors.ts';
import type { Executor, FolderRow } from '../../storage/schema/schema.ts';
import { countEntries, findFolder, folderEntriesMax } from '../queries/folder-tree.ts';
import { type CountedFolder, findCountedFolder } from './store.ts';

export type Folders = {
  /** Returns a folder of the workspace. Throws `not_found`. */
  require(executor: Executor, workspaceId: string, id: string): Promise<FolderRow>;
  /**
   * Throws `not_found`, or `conflict` if the folder can have no more entries. The transaction has
   * locked the usage of the workspace.
   */
  requireRoom(trx: Executor, workspaceId: string, id: string): Promise<FolderRow>;
};

export function createFolders(): Folders {
  async function require(executor: Executor, workspaceId: string, id: string) {
    const row = await findFolder(executor, workspaceId, id);
    if (row === undefined) throw folderNotFound();
    return row;
  }
  return {
    require,
    async requireRoom(trx, workspaceId, id) {
      const row = await require(trx, workspaceId, id);
      if ((await countEntries(trx, id)) < folderEntriesMax) return row;
      throw fail('conflict', `The folder already contains ${folderEntriesMax} entries.`);
    },
  };
}

export async function requireCountedFolder(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<CountedFolder> {
  const row = await findCountedFolder(db, workspaceId, id);
  if (row === undefined) throw folderNotFound();
  return row;
}

/**
 * The form in which names of folders are compared; names of documents are not. Upper case first, so
 * that `ß` and `ss`, or the two small sigmas, are equal.
 */
export const nameKeyOf = (name: string) =>
  name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC').trim();

const folderNotFound = (): Failure => fail('not_found', 'The workspace has no such folder.');
