import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  type FolderService,
  UpdateFolderRequestSchema,
} from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import { etagOf, requireEtag, timeFields, touched } from '../../api/etag.ts';
import { requiredName } from '../../api/fields.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { nameCreator } from '../../audit/names/creators.ts';
import type { Clock } from '../../base/clock.ts';
import { newId, type Random } from '../../base/crypto/ids.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { refuseDuplicateWith } from '../../storage/duplicates.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { Database, Executor, FolderRow } from '../../storage/schema/schema.ts';
import {
  countEntries,
  findAncestors,
  findDescendants,
  folderDepthMax,
} from '../queries/folder-tree.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { type Folders, nameKeyOf, requireCountedFolder } from './folders.ts';
import {
  type CountedFolder,
  countFolders,
  type FolderChange,
  findFolders,
  folderList,
  insertFolder,
  removeFolder,
  updateFolder,
} from './store.ts';

const foldersMax = 10_000;

export type FolderOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly quotas: Pick<Quotas, 'inTurn' | 'lock'>;
  readonly workspaces: Workspaces;
  readonly folders: Folders;
  readonly random: Random;
  readonly now: Clock;
};

export function createFolderService(options: FolderOptions): ServiceImpl<typeof FolderService> {
  const { db, auditLog, quotas, workspaces, folders, random, now } = options;

  /** Changes folders of a workspace while no other call does. */
  async function changeTree<T>(
    context: HandlerContext,
    id: string,
    work: (trx: Executor, workspaceId: string) => Promise<T>,
  ): Promise<T> {
    const workspaceId = workspaceOf(context);
    // The workspace may not exist, and then has no usage to lock.
    await folders.require(db, workspaceId, id);
    return quotas.inTurn(workspaceId, () =>
      auditLog.change(context, { target: id }, async (trx) => {
        await quotas.lock(trx, workspaceId);
        return work(trx, workspaceId);
      }),
    );
  }

  async function requirePlace(
    trx: Executor,
    workspaceId: string,
    parentId: string | null,
    height: number,
  ): Promise<void> {
    if (parentId === null) return;
    await folders.requireRoom(trx, workspaceId, parentId);
    const { length } = await findAncestors(trx, parentId);
    if (length + height <= folderDepthMax) return;
    throw fail('conflict', `Folders can be nested at most ${folderDepthMax} deep.`);
  }

  async function answer(trx: Executor, row: CountedFolder) {
    const [, ...above] = await findAncestors(trx, row.id);
    const ancestors = above.toReversed().map(({ id, name }) => ({ id, name }));
    return { folder: { ...folderMessage(row), ancestors } };
  }

  return {
    async createFolder({ name, parentId }, context) {
      const workspaceId = workspaceOf(context);
      await workspaces.require(workspaceId);
      const row: FolderRow = {
        id: newId('fld', random),
        workspace_id: workspaceId,
        parent_id: parentId === '' ? null : parentId,
        ...readName(name),
        create_time: now(),
        update_time: null,
        creator_id: principalId(principalOf(context)),
      };
      return quotas.inTurn(workspaceId, () =>
        auditLog.create(context, { target: row.id }, async (trx) => {
          await quotas.lock(trx, workspaceId);
          if ((await countFolders(trx, workspaceId)) >= foldersMax) {
            throw fail('conflict', `The workspace already has ${foldersMax} folders.`);
          }
          await requirePlace(trx, workspaceId, row.parent_id, 1);
          await insertFolder(trx, row).catch(refuseDuplicate);
          return answer(trx, { ...row, link_count: 0 });
        }),
      );
    },

    async listFolders(request, context) {
      const query = parseListRequest(request, folderList.sorts, context.signal);
      const { parentId } = request;
      const filter = { workspaceId: workspaceOf(context), parentId };
      const { rows, ...page } = await findFolders(db, filter, query);
      return { folders: rows.map(folderMessage), ...page };
    },

    async getFolder({ folderId }, context) {
      const workspaceId = workspaceOf(context);
      const row = await requireCountedFolder(db, workspaceId, folderId);
      const { folder } = await answer(db, row);
      return { folder: await nameCreator(db, context, folder, workspaceId) };
    },

    async updateFolder(request, context) {
      const { change } = readUpdate(UpdateFolderRequestSchema, request, updateFields);
      return changeTree(context, request.folderId, async (trx, workspaceId) => {
        const before = await requireCountedFolder(trx, workspaceId, request.folderId);
        requireEtag(context, request, folderState(before));
        const { parent_id = before.parent_id } = change;
        if (parent_id !== before.parent_id) {
          const moved = await findDescendants(trx, before.id);
          if (moved.some(({ id }) => id === parent_id)) {
            throw invalid('parent_id', 'must not be the folder or a folder within it');
          }
          const height = Math.max(...moved.map((folder) => folder.height)) + 1;
          await requirePlace(trx, workspaceId, parent_id, height);
        }
        const timed = { ...change, ...touched(before, change, now()) };
        await updateFolder(trx, before.id, timed).catch(refuseDuplicate);
        return answer(trx, { ...before, ...timed });
      });
    },

    async deleteFolder({ folderId }, context) {
      await changeTree(context, folderId, async (trx, workspaceId) => {
        const before = await folders.require(trx, workspaceId, folderId);
        requireEtag(context, {}, folderState(before));
        if ((await countEntries(trx, folderId)) > 0) {
          throw fail('conflict', 'The folder is not empty. Delete or move its content first.');
        }
        await removeFolder(trx, folderId, now());
      });
      return {};
    },
  };
}

const updateFields: UpdateFields<typeof UpdateFolderRequestSchema, FolderChange> = {
  name: ({ name }) => readName(name),
  parent_id: ({ parentId }) => ({ parent_id: parentId === '' ? null : parentId }),
};

function readName(name: string): Pick<FolderRow, 'name' | 'name_key'> {
  return { name: requiredName(name), name_key: nameKeyOf(name) };
}

const refuseDuplicate = refuseDuplicateWith(
  'The folder that contains it already has a folder of this name.',
);

/** The columns that count for the entity tag. */
const folderState = ({ name, parent_id }: FolderRow) => ({ name, parent_id });

function folderMessage(row: CountedFolder) {
  return {
    id: row.id,
    name: row.name,
    parentId: row.parent_id ?? '',
    workspaceId: row.workspace_id,
    linkCount: row.link_count,
    creator: row.creator_id ?? '',
    ...timeFields(row),
    etag: etagOf(folderState(row)),
  };
}
