// Finds the names of resources by their ids, in one query for each kind of id. Accounts, signing
// keys and visitors have no such names.
import { sql } from 'kysely';
import { isForeignClientId } from '../../base/crypto/ids.ts';
import type { Database, Schema } from '../../storage/schema/schema.ts';

export type ResourceKind =
  | 'audience'
  | 'client'
  | 'client_secret'
  | 'client_key'
  | 'federated_identity'
  | 'trusted_issuer'
  | 'account'
  | 'customer'
  | 'customer_key'
  | 'identity_provider'
  | 'user_identity'
  | 'passkey'
  | 'user'
  | 'signing_key'
  | 'session'
  | 'workspace'
  | 'invitation'
  | 'domain'
  | 'document'
  | 'folder'
  | 'link'
  | 'visitor'
  | 'workspace_key';

type Resource = {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly name: string;
};

export type OwnedResource = Resource & { readonly parents: readonly Resource[] };

type IdKind = {
  readonly kinds: readonly ResourceKind[];
  /** Whether an id without the prefix may be one of this kind. */
  readonly mayHave?: (id: string) => boolean;
  find(db: Database, ids: readonly string[]): Promise<OwnedResource[]>;
};

const owners = {
  client: { table: 'clients', name: sql`owner.name` },
  user: { table: 'users', name: sql`coalesce(nullif(owner.name, ''), owner.email)` },
  workspace: { table: 'workspaces', name: sql`owner.name` },
} as const;

const users = named('user', 'users', 'email');

export const idKinds: Readonly<Record<string, IdKind>> = {
  aud: named('audience', 'audiences'),
  cli: { ...named('client', 'clients'), mayHave: isForeignClientId },
  sec: owned('client_secret', 'credentials', { by: 'client' }),
  iss: named('trusted_issuer', 'trusted_issuers', 'issuer'),
  fed: owned('federated_identity', 'federated_identities', { by: 'client', name: 'subject' }),
  jwk: owned('client_key', 'client_keys', { by: 'client' }),
  cus: named('customer', 'customers'),
  key: { kinds: ['customer_key', 'workspace_key'], find: findKeys },
  idp: named('identity_provider', 'identity_providers'),
  uid: owned('user_identity', 'user_identities', { by: 'user', name: 'subject' }),
  pky: owned('passkey', 'passkeys', { by: 'user' }),
  usr: users,
  ses: owned('session', 'sessions', { by: 'user', name: undefined }),
  ws: named('workspace', 'workspaces'),
  inv: owned('invitation', 'invitations', { by: 'workspace', name: 'email' }),
  dom: owned('domain', 'domains', { by: 'workspace', isRemovable: true }),
  fld: owned('folder', 'folders', { by: 'workspace', isRemovable: true }),
  doc: owned('document', 'documents', { by: 'workspace', isRemovable: true }),
  lnk: { kinds: ['link'], find: findLinkNames },
};

/** The column `substitute` names a resource whose `name` is empty. */
function named(kind: ResourceKind, table: keyof Schema, substitute = 'name'): IdKind {
  return {
    kinds: [kind],
    async find(db, ids) {
      const name = sql`coalesce(nullif(name, ''), ${sql.ref(substitute)})`;
      const { rows } = await sql<{ id: string; name: string }>`
        select id, ${name} as name from ${sql.table(table)} where id in (${sql.join(ids)})
      `.execute(db);
      return rows.map((row) => ({ kind, ...row, parents: [] }));
    },
  };
}

type Ownership = {
  readonly by: keyof typeof owners;
  readonly name?: string | undefined;
  /** Whether the table keeps removed rows. The query skips them. */
  readonly isRemovable?: boolean;
};

function owned(kind: ResourceKind, table: keyof Schema, ownership: Ownership): IdKind {
  const { by, name, isRemovable = false } = { name: 'name', ...ownership };
  const owner = owners[by];
  return {
    kinds: [kind],
    async find(db, ids) {
      const { rows } = await sql<Record<'id' | 'name' | 'owner_id' | 'owner_name', string>>`
        select owned.id, ${name === undefined ? sql.lit('') : sql.ref(`owned.${name}`)} as name,
          owner.id as owner_id, ${owner.name} as owner_name
        from ${sql.table(table)} as owned
        inner join ${sql.table(owner.table)} as owner on owner.id = ${sql.ref(`owned.${by}_id`)}
        where owned.id in (${sql.join(ids)})
          ${isRemovable ? sql`and owned.remove_time is null` : sql``}
      `.execute(db);
      return rows.map(({ owner_id, owner_name, ...row }) => {
        return { kind, ...row, parents: [{ kind: by, id: owner_id, name: owner_name }] };
      });
    },
  };
}

async function findKeys(db: Database, ids: readonly string[]): Promise<OwnedResource[]> {
  const rows = await db
    .selectFrom('credentials')
    .leftJoin('customers', 'customers.id', 'customer_id')
    .leftJoin('workspaces', 'workspaces.id', 'workspace_id')
    .select(['credentials.id', 'credentials.name', 'customer_id', 'workspace_id'])
    .select(['customers.name as customer', 'workspaces.name as workspace'])
    .where('credentials.id', 'in', ids)
    .execute();
  return rows.map(({ id, name, customer_id, workspace_id, customer, workspace }) =>
    workspace_id === null
      ? {
          ...{ kind: 'customer_key', id, name },
          parents: [{ kind: 'customer', id: customer_id ?? '', name: customer ?? '' }],
        }
      : {
          ...{ kind: 'workspace_key', id, name },
          parents: [{ kind: 'workspace', id: workspace_id, name: workspace ?? '' }],
        },
  );
}

export async function findMemberNames(
  db: Database,
  workspaceId: string,
  ids: readonly string[],
): Promise<OwnedResource[]> {
  const userIds = ids.filter((id) => id.startsWith('usr_'));
  if (userIds.length === 0) return [];
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', 'in', [...new Set(userIds)])
    .execute();
  const members = rows.map(({ user_id }) => user_id);
  return members.length === 0 ? [] : users.find(db, members);
}

/** The links of a removed document are not found. */
async function findLinkNames(db: Database, ids: readonly string[]): Promise<OwnedResource[]> {
  const rows = await db
    .selectFrom('links')
    .leftJoin('documents', 'documents.id', 'document_id')
    .leftJoin('folders', 'folders.id', 'links.folder_id')
    .innerJoin('workspaces', 'workspaces.id', 'links.workspace_id')
    .select(['links.id', 'links.name', 'document_id', 'documents.name as document'])
    .select(['links.folder_id', 'folders.name as folder'])
    .select(['links.workspace_id', 'workspaces.name as workspace'])
    .where('links.id', 'in', ids)
    .where('documents.remove_time', 'is', null)
    .execute();
  return rows.map(({ id, name, workspace_id, workspace, ...shared }) => ({
    ...{ kind: 'link', id, name },
    parents: [
      shared.document_id === null
        ? { kind: 'folder', id: shared.folder_id ?? '', name: shared.folder ?? '' }
        : { kind: 'document', id: shared.document_id, name: shared.document ?? '' },
      { kind: 'workspace', id: workspace_id, name: workspace },
    ],
  }));
}
