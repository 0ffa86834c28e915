// Every write to a cached table evicts cache entries, whichever code makes it.
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import {
  endCredentials,
  insertCredential,
  revokeCredential,
  updateLastUsedTimes,
} from '../../src/credentials/store.ts';
import { insertClient, updateClient } from '../../src/identity/clients/store.ts';
import {
  deleteAccounts,
  insertAccounts,
  insertCustomer,
  updateCustomer,
} from '../../src/identity/customers/store.ts';
import {
  insertSigningKey,
  raiseTokenSeconds,
  updateSealedKey,
  updateSigningKey,
} from '../../src/identity/keys/store.ts';
import { endSessions, extendSession, insertSession } from '../../src/identity/sessions/store.ts';
import { deleteExpiredRevocations, insertRevokedToken } from '../../src/identity/tokens/store.ts';
import { endSessionsOf, insertUser, updateUser } from '../../src/identity/users/store.ts';
import { deleteMember, insertWorkspace, putMember } from '../../src/sharing/workspaces/store.ts';
import { cachedTables, type Topic } from '../../src/storage/cached-tables.ts';
import { transact } from '../../src/storage/database.ts';
import { deleteOldest } from '../../src/storage/delete-oldest.ts';
import { watchInvalidations } from '../../src/storage/invalidation.ts';
import { lockRows } from '../../src/storage/row-locks.ts';
import type { Database, Executor } from '../../src/storage/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/harness.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const owner = { kind: 'ck', id: 'cus_1' } as const;
const credential = { id: 'key_1', text: '', digest: '' };
const member = { workspace_id: 'ws_1', user_id: 'usr_1', role: 'member', create_time: 1 } as const;
const user = {
  id: 'usr_1',
  kind: 'member',
  email: 'a@example.com',
  name: '',
  password_hash: '',
  scopes: '',
  create_time: 1,
  disable_time: null,
} as const;
const session = {
  id: 'ses_1',
  user_id: 'usr_1',
  digest: '',
  amr: 'pwd',
  address: '',
  create_time: 1,
  refresh_time: 1,
  expire_time: 100,
  revoke_time: null,
};
const key = {
  kid: 'kid_1',
  state: 'active',
  public_x: '',
  private_ciphertext: '',
  master_key_id: '',
  create_time: 1,
  activate_time: 1,
  retire_time: null,
  remove_time: null,
  revoke_time: null,
  token_seconds_max: 300,
} as const;
const revoked = { jti: 'jti_1', expire_time: 1, revision: 1 };

/** One row per cached table. */
async function fill(trx: Executor): Promise<void> {
  const times = { create_time: 1, disable_time: null };
  await insertClient(trx, { id: 'cli_1', name: '', scopes: 'a:read', ...times });
  await insertCustomer(trx, { id: 'cus_1', name: '', ...times });
  await insertAccounts(trx, 'cus_1', ['acc_1'], 1);
  await insertCredential(trx, owner, credential, { name: '', scopes: '', createTime: 1 });
  await insertUser(trx, user);
  await insertWorkspace(trx, { id: 'ws_1', name: '', create_time: 1 });
  await putMember(trx, member);
  await insertSession(trx, session);
  await insertSigningKey(trx, key);
  await insertRevokedToken(trx, revoked);
}

type Write = (trx: Executor) => Promise<unknown>;
type Table = keyof typeof cachedTables;

const evicting: [string, Table, Write][] = [
  ['updateClient', 'clients', (trx) => updateClient(trx, 'cli_1', { scopes: '' })],
  ['updateCustomer', 'customers', (trx) => updateCustomer(trx, 'cus_1', { disable_time: 2 })],
  ['insertAccounts', 'customer_accounts', (trx) => insertAccounts(trx, 'cus_1', ['acc_2'], 2)],
  ['deleteAccounts', 'customer_accounts', (trx) => deleteAccounts(trx, 'cus_1', ['acc_1'])],
  ['revokeCredential', 'credentials', (trx) => revokeCredential(trx, 'key_1', 2)],
  [
    'endCredentials at once',
    'credentials',
    (trx) => endCredentials(trx, owner, { time: 2, overlapMs: 0 }),
  ],
  [
    'endCredentials after an overlap',
    'credentials',
    (trx) => endCredentials(trx, owner, { id: 'key_1', time: 2, overlapMs: 5 }),
  ],
  ['updateUser', 'users', (trx) => updateUser(trx, 'usr_1', { disable_time: 2 })],
  ['putMember', 'members', (trx) => putMember(trx, { ...member, role: 'admin' })],
  ['deleteMember', 'members', (trx) => deleteMember(trx, 'ws_1', 'usr_1')],
  ['endSessions', 'sessions', (trx) => endSessions(trx, ['ses_1'], 2)],
  ['endSessionsOf', 'sessions', (trx) => endSessionsOf(trx, 'usr_1', { time: 2 })],
  [
    'insertSigningKey',
    'signing_keys',
    (trx) => insertSigningKey(trx, { ...key, kid: 'kid_2', state: 'pending' }),
  ],
  [
    'updateSigningKey',
    'signing_keys',
    (trx) => updateSigningKey(trx, 'kid_1', { state: 'retired', retire_time: 2 }),
  ],
  [
    'updateSealedKey',
    'signing_keys',
    (trx) => updateSealedKey(trx, { id: 'kid_1', ciphertext: 'x', masterKeyId: 'x' }),
  ],
  [
    'insertRevokedToken',
    'revoked_tokens',
    (trx) => insertRevokedToken(trx, { ...revoked, jti: 'jti_2' }),
  ],
];

const expiring = { table: 'sessions', key: 'id', time: 'expire_time' } as const;

const keeping: [string, Write][] = [
  ['the name of a client', (trx) => updateClient(trx, 'cli_1', { name: 'new' })],
  ['the name of a customer', (trx) => updateCustomer(trx, 'cus_1', { name: 'new' })],
  ['the last use of a credential', (trx) => updateLastUsedTimes(trx, [{ id: 'key_1', time: 5 }])],
  ['the e-mail address of a user', (trx) => updateUser(trx, 'usr_1', { email: 'b@example.com' })],
  ['the expiry of a session', (trx) => extendSession(trx, 'ses_1', 2, 200)],
  ['the maximum lifetime of a token', (trx) => raiseTokenSeconds(trx, 'kid_1', 600)],
  ['expired sessions', (trx) => deleteOldest(trx, expiring, { before: 1_000 }, 10)],
  ['expired revocations', (trx) => deleteExpiredRevocations(trx, 1_000)],
  ['no row', (trx) => updateClient(trx, 'cli_none', { scopes: '' })],
  ['row locks only', (trx) => lockRows(trx, 'users', 'kind', ['member'])],
  ['a table without a cache', (trx) => insertWorkspace(trx, { id: 'w', name: '', create_time: 1 })],
];

describeDialects('a write', (dialect) => {
  async function open() {
    const url = await migratedDatabaseUrl(dialect);
    const here = await openUntilFinished(url);
    await transact(here, fill);
    return { here, url };
  }

  async function listen(db: Database) {
    const invalidations = await watchInvalidations(db);
    onTestFinished(() => invalidations.stop());
    const heard: Topic[] = [];
    for (const topic of ['access', 'signing_keys', 'revoked_tokens'] as const) {
      invalidations.onInvalidation(topic, () => void heard.push(topic));
    }
    return heard;
  }

  it.each(evicting)(
    'by %s to %s evicts at once in this process, and within 1 s in others',
    async (...row) => {
      const [, table, write] = row;
      const { here, url } = await open();
      const heardHere = await listen(here);
      const heardElsewhere = await listen(await openUntilFinished(url));

      await transact(here, async (trx) => void (await write(trx)));

      const topic = cachedTables[table]?.topic;
      expect(heardHere).toEqual([topic]);
      await expectWithinOneSecond(here, () => heardElsewhere, [topic]);
    },
  );

  it('is tested for each cached table', () => {
    const tables = new Set(evicting.map(([, table]) => table));
    expect([...tables].sort()).toEqual(Object.keys(cachedTables).sort());
  });

  it.each(keeping)('of %s evicts nothing', async (_, write) => {
    const { here } = await open();
    const heard = await listen(here);
    const before = await here.selectFrom('revisions').selectAll().execute();

    await transact(here, async (trx) => void (await write(trx)));

    expect(heard).toEqual([]);
    expect(await here.selectFrom('revisions').selectAll().execute()).toEqual(before);
  });

  it('to a table without a cache costs no additional query', async () => {
    const { here } = await open();
    let queries = 0;
    const counted = here.withPlugin({
      transformQuery({ node }) {
        queries++;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });

    await transact(counted, (trx) =>
      insertWorkspace(trx, { id: 'ws_2', name: '', create_time: 1 }),
    );
    expect(queries).toBe(1);

    await transact(counted, (trx) => updateClient(trx, 'cli_1', { disable_time: 2 }));
    expect(queries).toBe(3);
  });

  it('to a cached table outside of a transaction is rejected', async () => {
    const { here } = await open();
    await expect(updateClient(here, 'cli_1', { scopes: '' })).rejects.toThrow('within transact()');
  });

  it('in raw SQL is rejected', async () => {
    const { here } = await open();
    const raw = sql`update clients set scopes = ''`;
    await expect(raw.execute(here)).rejects.toThrow('raw SQL');
    await expect(transact(here, (trx) => raw.execute(trx))).rejects.toThrow('raw SQL');
  });
});
