import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  UpdateWorkspaceRequestSchema,
  type WorkspaceService,
} from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import type { Trail } from '../../identity/audit/trail.ts';
import { newId, type Random } from '../../ids.ts';
import { invalid } from '../../rpc/errors.ts';
import { principalOf } from '../../rpc/principal.ts';
import { readUpdate, type UpdateFields } from '../../rpc/update.ts';
import { workspaceOf } from '../../rpc/workspace.ts';
import { pageOf, pageQuery } from '../../storage/page-token.ts';
import type { Database, Executor, WorkspaceRow } from '../../storage/schema.ts';
import { createMemberMethods } from './members.ts';
import { findWorkspace, findWorkspaces, insertWorkspace, renameWorkspace } from './store.ts';
import { noSuchWorkspace } from './workspaces.ts';

export type WorkspaceOptions = {
  readonly db: Database;
  readonly trail: Trail;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export function createWorkspaceService(
  options: WorkspaceOptions,
): ServiceImpl<typeof WorkspaceService> {
  const { db, trail, random, now } = options;

  async function existing(trx: Executor, id: string): Promise<WorkspaceRow> {
    const row = await findWorkspace(trx, id);
    if (row === undefined) throw noSuchWorkspace(id);
    return row;
  }

  return {
    ...createMemberMethods(options),

    async createWorkspace({ name }, context) {
      const row = { id: newId('ws', random), name, create_time: now() };
      await trail.change(context, { target: row.id }, (trx) => insertWorkspace(trx, row));
      return { workspace: workspaceMessage(row) };
    },

    async getWorkspace(_request, context) {
      return { workspace: workspaceMessage(await existing(db, workspaceOf(context))) };
    },

    async listWorkspaces(request, context) {
      const caller = principalOf(context);
      const member = caller.type === 'member' ? caller.userId : undefined;
      const query = pageQuery(request);
      const { rows, nextPageToken } = pageOf(await findWorkspaces(db, member, query), query);
      return { workspaces: rows.map(workspaceMessage), nextPageToken };
    },

    async updateWorkspace(request, context) {
      const id = workspaceOf(context);
      const { name } = readUpdate(UpdateWorkspaceRequestSchema, request, fields).change;
      if (name === undefined) return { workspace: workspaceMessage(await existing(db, id)) };
      const row = await trail.change(context, { target: id }, async (trx) => {
        const renamed = await renameWorkspace(trx, id, name);
        if (renamed === undefined) throw noSuchWorkspace(id);
        return renamed;
      });
      return { workspace: workspaceMessage(row) };
    },
  };
}

/** What an update can change, by its path in the mask. */
const fields = {
  name({ name }) {
    if (name === '') throw invalid('name', 'is required');
    return { name };
  },
} satisfies UpdateFields<typeof UpdateWorkspaceRequestSchema, Pick<WorkspaceRow, 'name'>>;

function workspaceMessage({ id, name, create_time }: WorkspaceRow) {
  return { id, name, createTime: timestampFromMs(create_time) };
}
