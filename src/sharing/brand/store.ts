import type { Executor, LogoRow, WorkspaceRow } from '../../storage/schema/schema.ts';

export type BrandRow = Pick<WorkspaceRow, 'name' | 'accent_color' | 'logo_id'>;

export function findBrand(db: Executor, workspaceId: string): Promise<BrandRow | undefined> {
  return db
    .selectFrom('workspaces')
    .select(['name', 'accent_color', 'logo_id'])
    .where('id', '=', workspaceId)
    .executeTakeFirst();
}

export function findLogoType(
  db: Executor,
  id: string,
): Promise<Pick<LogoRow, 'content_type' | 'workspace_id'> | undefined> {
  const row = db.selectFrom('logos').select(['content_type', 'workspace_id']).where('id', '=', id);
  return row.executeTakeFirst();
}

export async function findLogoContent(db: Executor, id: string): Promise<string | undefined> {
  const row = db.selectFrom('logos').select('content').where('id', '=', id);
  return (await row.executeTakeFirst())?.content;
}

export async function replaceLogo(
  trx: Executor,
  workspaceId: string,
  logo: Omit<LogoRow, 'workspace_id'> | undefined,
  time: number,
): Promise<WorkspaceRow | undefined> {
  const old = await findBrand(trx, workspaceId);
  if (logo !== undefined) {
    const row = { ...logo, workspace_id: workspaceId };
    await trx.insertInto('logos').values(row).execute();
  }
  const changed = await trx
    .updateTable('workspaces')
    .set({ logo_id: logo?.id ?? '', update_time: time })
    .where('id', '=', workspaceId)
    .returningAll()
    .executeTakeFirst();
  if (old !== undefined && old.logo_id !== '') {
    await trx.deleteFrom('logos').where('id', '=', old.logo_id).execute();
  }
  return changed;
}
