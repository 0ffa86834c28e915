// Finds the names of resources by their ids, in one query for each kind of id. Accounts, signing
// keys and visitors have no such names.
import { isForeignClientId } from '../../base/crypto/ids.ts';
import type { Database } from '../../storage/schema.ts';

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

export const idKinds: Readonly<Record<string, IdKind>> = {
  aud: named('audience'),
  cli: { ...named('client'), mayHave: isForeignClientId },
  sec: { kinds: ['client_secret'], find: findSecrets },
  iss: { kinds: ['trusted_issuer'], find: findIssuerNames },
  fed: { kinds: ['federated_identity'], find: findIdentitySubjects },
  jwk: { kinds: ['client_key'], find: findClientKeyNames },
  cus: named('customer'),
  key: { kinds: ['customer_key', 'workspace_key'], find: findKeys },
  idp: named('identity_provider'),
  uid: { kinds: ['user_identity'], find: findIdentityUsers },
  pky: { kinds: ['passkey'], find: findPasskeyNames },
  usr: { kinds: ['user'], find: findUserNames },
  ses: { kinds: ['session'], find: findSessionUsers },
  ws: named('workspace'),
  inv: { kinds: ['invitation'], find: findInvitationNames },
  dom: owned('domain'),
  fld: owned('folder'),
  doc: owned('document'),
  lnk: { kinds: ['link'], find: findLinkNames },
};

const tables = {
  audience: 'audiences',
  client: 'clients',
  customer: 'customers',
  identity_provider: 'identity_providers',
  workspace: 'workspaces',
} as const;

const ownedTables = {
  domain: 'domains',
  folder: 'folders',
  document: 'documents',
} as const;

function named(kind: keyof typeof tables): IdKind {
  return {
    kinds: [kind],
    async find(db, ids) {
      const query = db.selectFrom(tables[kind]).select(['id', 'name']);
      const rows = await query.where('id', 'in', ids).execute();
      return rows.map((row) => ({ kind, ...row, parents: [] }));
    },
  };
}

async function findSecrets(db: Database, ids: readonly string[]): Promise<OwnedResource[]> {
  const rows = await db
    .selectFrom('credentials')
    .innerJoin('clients', 'clients.id', 'client_id')
    .select(['credentials.id', 'credentials.name', 'clients.id as owner', 'clients.name as of'])
    .where('credentials.id', 'in', ids)
    .execute();
  return rows.map(({ owner, of, ...row }) => {
    return { kind: 'client_secret', ...row, parents: [{ kind: 'client', id: owner, name: of }] };
  });
}

async function findClientKeyNames(db: Database, ids: readonly string[]): Promise<OwnedResource[]> {
  const rows = await db
    .selectFrom('client_keys')
    .innerJoin('clients', 'clients.id', 'client_id')
    .select(['client_keys.id', 'client_keys.name', 'clients.id as owner', 'clients.name as of'])
    .where('client_keys.id', 'in', ids)
    .execute();
  return rows.map(({ id, name, owner, of }) => {
    return { kind: 'client_key', id, name, parents: [{ kind: 'client', id: owner, name: of }] };
  });
}

async function findIssuerNames(db: Database, ids: readonly string[]): Promise<OwnedResource[]> {
  const rows = await db
    .selectFrom('trusted_issuers')
    .select(['id', 'name', 'issuer'])
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id, name, issuer }) => {
    return { kind: 'trusted_issuer', id, name: name || issuer, parents: [] };
  });
}

async function findIdentitySubjects(
  db: Database,
  ids: readonly string[],
): Promise<OwnedResource[]> {
  const rows = await db
    .selectFrom('federated_identities as f')
    .innerJoin('clients', 'clients.id', 'client_id')
    .select(['f.id', 'f.subject as name', 'clients.id as owner', 'clients.name as of'])
    .where('f.id', 'in', ids)
    .execute();
  return rows.map(({ id, name, owner, of }) => ({
    ...{ kind: 'federated_identity', id, name },
    parents: [{ kind: 'client', id: owner, name: of }],
  }));
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

async function findUserNames(db: Database, ids: readonly string[]): Promise<OwnedResource[]> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id, name, email }) => ({
    kind: 'user',
    id,
    name: name || email,
    parents: [],
  }));
}

/** The names of the members of a workspace among these ids. */
export async function findMemberNames(
  db: Database,
  workspaceId: string,
  ids: readonly string[],
): Promise<OwnedResource[]> {
  const users = ids.filter((id) => id.startsWith('usr_'));
  if (users.length === 0) return [];
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', 'in', [...new Set(users)])
    .execute();
  const members = rows.map(({ user_id }) => user_id);
  return members.length === 0 ? [] : findUserNames(db, members);
}

async function findIdentityUsers(db: Database, ids: readonly string[]): Promise<OwnedResource[]> {
  const rows = await db
    .selectFrom('user_identities')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['user_identities.id', 'users.id as user', 'users.name', 'email'])
    .where('user_identities.id', 'in', ids)
    .execute();
  return rows.map(({ id, user, name, email }) => ({
    ...{ kind: 'user_identity', id, name: '' },
    parents: [{ kind: 'user', id: user, name: name || email }],
  }));
}

async function findPasskeyNames(db: Database, ids: readonly string[]): Promise<OwnedResource[]> {
  const rows = await db
    .selectFrom('passkeys')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['passkeys.id', 'passkeys.name as passkey', 'users.id as user', 'users.name', 'email'])
    .where('passkeys.id', 'in', ids)
    .execute();
  return rows.map(({ id, passkey, user, name, email }) => ({
    ...{ kind: 'passkey', id, name: passkey },
    parents: [{ kind: 'user', id: user, name: name || email }],
  }));
}

async function findSessionUsers(db: Database, ids: readonly string[]): Promise<OwnedResource[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['sessions.id', 'users.id as user', 'users.name', 'email'])
    .where('sessions.id', 'in', ids)
    .execute();
  return rows.map(({ id, user, name, email }) => {
    const parent = { kind: 'user', id: user, name: name || email } as const;
    return { kind: 'session', id, name: '', parents: [parent] };
  });
}

async function findInvitationNames(db: Database, ids: readonly string[]): Promise<OwnedResource[]> {
  const rows = await db
    .selectFrom('invitations')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_id')
    .select(['invitations.id', 'email', 'workspace_id', 'workspaces.name as workspace'])
    .where('invitations.id', 'in', ids)
    .execute();
  return rows.map(({ id, email, workspace_id, workspace }) => ({
    ...{ kind: 'invitation', id, name: email },
    parents: [{ kind: 'workspace', id: workspace_id, name: workspace }],
  }));
}

/** Resources that a workspace owns, unless they were removed. */
function owned(kind: keyof typeof ownedTables): IdKind {
  return {
    kinds: [kind],
    async find(db, ids) {
      const rows = await db
        .selectFrom(ownedTables[kind])
        .select(['id', 'name', 'workspace_id'])
        .select((eb) =>
          eb
            .selectFrom('workspaces')
            .select('workspaces.name')
            .whereRef('workspaces.id', '=', 'workspace_id')
            .as('workspace'),
        )
        .where('id', 'in', ids)
        .where('remove_time', 'is', null)
        .execute();
      return rows.map(({ id, name, workspace_id, workspace }) => ({
        ...{ kind, id, name },
        parents: [{ kind: 'workspace', id: workspace_id, name: workspace ?? '' }],
      }));
    },
  };
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
