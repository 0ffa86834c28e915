import { type Failure, fail } from '../../base/errors/errors.ts';
import type { Database } from '../../storage/schema.ts';
import { findWorkspace } from './store.ts';

export type Workspaces = {
  require(id: string): Promise<void>;
};

export function createWorkspaces(db: Database): Workspaces {
  return {
    async require(id) {
      if ((await findWorkspace(db, id)) === undefined) throw workspaceNotFound(id);
    },
  };
}

export function workspaceNotFound(id: string): Failure {
  return fail('not_found', 'The workspace does not exist.', { target: id });
}
