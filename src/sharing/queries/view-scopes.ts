// Which views a list or a figure covers.

import { foldedColumn } from '../../storage/queries/folded-text.ts';
import { countRows } from '../../storage/queries/row-counts.ts';
import type { Executor } from '../../storage/schema/schema.ts';

/** The views of a link, or of all links of a document. */
export type ViewScope = {
  readonly column: 'link_id' | 'document_id';
  readonly id: string;
  /** Only the views of this version; 0 for all versions. */
  readonly version: number;
};

/** The views of a visitor of a workspace. `email` is folded. */
export type VisitorScope = {
  readonly column: 'visitor';
  readonly workspaceId: string;
  readonly email: string;
};

export function viewsIn(db: Executor, scope: ViewScope | VisitorScope) {
  const views = db.selectFrom('views');
  if (scope.column === 'visitor') {
    const { workspaceId, email } = scope;
    return views
      .where('workspace_id', '=', workspaceId)
      .where(foldedColumn(db, 'email'), '=', email);
  }
  const all = views.where(scope.column, '=', scope.id);
  return scope.version === 0 ? all : all.where('version', '=', scope.version);
}

export const countViewsIn = (db: Executor, scope: ViewScope): Promise<number> =>
  countRows(viewsIn(db, scope));
