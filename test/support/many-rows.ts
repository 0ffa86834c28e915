// Fills every listed table quickly with enough rows that an index pays off.
import { sql } from 'kysely';
import type { Database } from '../../src/storage/schema/schema.ts';
import type { Dialect } from './matrix.ts';

export const rowsPerTable = 20_000;

/** Gives a busy machine time to fill a table. */
export const fillSettings = { databaseQuerySeconds: 60 };

/** The columns of row number `n`, as SQL. Half of the rows with an owner belong to owner `1`. */
const half = `case when n % 2 = 0 then '1' else cast(n as text) end`;
const id = 'cast(n as text)';
const tables: readonly [table: string, columns: Record<string, string>][] = [
  ['audiences', { id, identifier: id, name: id, create_time: 'n' }],
  [
    'identity_providers',
    {
      ...{ id, name: id, issuer: id, create_time: 'n', client_id: `''` },
      ...{ secret_ciphertext: `''`, master_key_id: `''`, allowed_domains: `''` },
      ...{ role_mappings: `'[]'`, enabled: '1', create_users: '0', groups_claim: `''` },
      ...{ email_verified_claim: `''`, additional_scopes: `''` },
    },
  ],
  ['clients', { id, name: id, scopes: `''`, create_time: 'n' }],
  ['customers', { id, name: id, create_time: 'n' }],
  ['accounts', { id, create_time: 'n' }],
  ['customer_accounts', { customer_id: id, account_id: id }],
  ['workspaces', { id, name: id, create_time: 'n' }],
  [
    'users',
    {
      id,
      kind: `case when n % 1000 = 0 then 'staff' else 'member' end`,
      email: id,
      name: id,
      password_hash: `''`,
      scopes: `''`,
      create_time: 'n',
    },
  ],
  [
    'totp_seeds',
    {
      user_id: id,
      ciphertext: `''`,
      master_key_id: `''`,
      create_time: 'n',
      last_step: '0',
    },
  ],
  ['recovery_codes', { user_id: id, digest: `''` }],
  ['members', { workspace_id: `'1'`, user_id: id, role: `'member'`, create_time: 'n' }],
  [
    'invitations',
    {
      id,
      workspace_id: half,
      email: id,
      role: `'member'`,
      inviter_type: `'staff'`,
      inviter_id: `''`,
      digest: `''`,
      create_time: 'n',
      expire_time: 'n + 1000',
    },
  ],
  [
    'sessions',
    {
      id,
      user_id: half,
      digest: `''`,
      amr: `''`,
      address: `''`,
      create_time: 'n',
      refresh_time: 'n',
      expire_time: 'n + 1000',
      revoke_time: 'case when n % 10 > 0 then n end',
    },
  ],
  [
    'passkeys',
    {
      ...{ id, user_id: half, credential_id: id, name: id, create_time: 'n' },
      ...{ public_key: `''`, counter: '0', transports: `''`, synced: '0' },
    },
  ],
  [
    'user_identities',
    { id, user_id: id, provider_id: id, subject: id, manages_grants: '0', create_time: 'n' },
  ],
  [
    'signing_keys',
    {
      kid: id,
      state: `'removed'`,
      public_x: `''`,
      private_ciphertext: `''`,
      master_key_id: `''`,
      create_time: 'n',
      token_seconds_max: '1',
    },
  ],
  [
    'credentials',
    {
      id,
      client_id: `case when n % 3 = 0 then '1' end`,
      customer_id: `case when n % 3 = 1 then '1' end`,
      workspace_id: `case when n % 3 = 2 then '1' end`,
      name: id,
      digest: `''`,
      scopes: `''`,
      create_time: 'n',
    },
  ],
  [
    'client_keys',
    {
      id,
      client_id: id,
      name: id,
      jwk: `'{}'`,
      thumbprint: id,
      create_time: 'n',
    },
  ],
  ['trusted_issuers', { id, name: id, issuer: id, audience: `''`, enabled: '1', create_time: 'n' }],
  [
    'federated_identities',
    { id, client_id: id, issuer_id: id, subject: id, claims: `'{}'`, create_time: 'n' },
  ],
  [
    'audit_events',
    {
      id,
      create_time: 'n',
      actor_type: `''`,
      actor_id: half,
      action: half,
      token_id: half,
      target: half,
      code: half,
      count: '1',
      request_id: `''`,
      address: `''`,
    },
  ],
  [
    'folders',
    {
      id,
      workspace_id: half,
      parent_id: `case when n > 2 and n % 4 > 0 then '1' end`,
      name: id,
      name_key: id,
      create_time: 'n',
    },
  ],
  [
    'documents',
    {
      id,
      workspace_id: half,
      name: id,
      content_type: `''`,
      size_bytes: 'n',
      sha256: `''`,
      page_count: '1',
      blob_id: id,
      create_time: 'n',
      view_count: 'n',
      folder_id: `case when n % 4 > 0 then '1' end`,
    },
  ],
  [
    'domains',
    {
      id,
      workspace_id: `'1'`,
      name: id,
      txt_value: `''`,
      is_primary: '0',
      create_time: 'n',
    },
  ],
  [
    'links',
    {
      id,
      slug: id,
      workspace_id: `'1'`,
      document_id: `case when n % 4 > 0 then ${half} end`,
      folder_id: `case when n % 4 = 0 then ${half} end`,
      name: id,
      email_required: '0',
      email_verification_required: '0',
      allow_download: '0',
      gate_revision: '1',
      create_time: 'n',
      expire_time: 'n',
      view_count: 'n',
    },
  ],
  [
    'views',
    {
      id,
      link_id: half,
      document_id: half,
      email: id,
      email_verified: '0',
      create_time: 'n',
      duration_ms: 'n',
    },
  ],
];

export async function fillTables(db: Database, dialect: Dialect): Promise<void> {
  for (const [table, columns] of tables) await fill(db, dialect, table, columns, rowsPerTable);
  // A trigger has added the visitors, each with one view.
  await sql`update visitors set view_count = create_time`.execute(db.withoutPlugins());
  if (dialect === 'postgres') await sql`analyze`.execute(db);
}

type Events = {
  readonly count: number;
  readonly action: string;
  /** One event in so many has the code `rare`; all others have `ok`. */
  readonly rareEvery: number;
};

/** Inserts events at the times 1 to `count`. */
export async function fillEvents(
  db: Database,
  dialect: Dialect,
  { count, action, rareEvery }: Events,
): Promise<void> {
  const event = tables.find(([table]) => table === 'audit_events')?.[1];
  const code = `case when n % ${rareEvery} = 0 then 'rare' else 'ok' end`;
  await fill(db, dialect, 'audit_events', { ...event, action: `'${action}'`, code }, count);
}

async function fill(
  db: Database,
  dialect: Dialect,
  table: string,
  columns: Record<string, string>,
  count: number,
): Promise<void> {
  const names = Object.keys(columns).join(', ');
  const values = Object.values(columns).join(', ');
  const numbers = `with recursive numbers(n) as
    (select 1 union all select n + 1 from numbers where n < ${count})`;
  const text =
    dialect === 'sqlite'
      ? `insert into ${table} (${names}) ${numbers} select ${values} from numbers`
      : `insert into ${table} (${names}) select ${values}
          from generate_series(1, ${count}) as numbers(n)`;
  await sql.raw(text).execute(db.withoutPlugins());
}
