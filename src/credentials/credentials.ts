// The rules for generated credentials: how many an owner may have, when they expire, and how they
// are rotated. They are the same for the secrets of clients and the API keys of customers and
// workspaces.

import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext } from '@connectrpc/connect';
import { CredentialState } from '../../gen/latchkey/identity/v1/credential_pb.js';
import { printableName, readExpireTime } from '../api/fields.ts';
import { principalId, principalOf } from '../api/principal.ts';
import type { Clock } from '../base/clock.ts';
import {
  type CredentialKind,
  generateCredential,
  type NewCredential,
} from '../base/crypto/credential-format.ts';
import type { Random } from '../base/crypto/ids.ts';
import { fail } from '../base/errors/errors.ts';
import type { ListPage } from '../storage/queries/list.ts';
import { type ListRequest, parseListRequest } from '../storage/queries/list-request.ts';
import { lockRow } from '../storage/queries/row-locks.ts';
import type { CredentialRow, Database, Executor } from '../storage/schema/schema.ts';
import {
  type CredentialOwner,
  countLiveCredentials,
  credentialList,
  endCredentials,
  findCredentials,
  findOwnedCredential,
  hasOwner,
  type InsertedCredential,
  insertCredential,
  revokeCredential,
} from './store.ts';

export type { CredentialOwner } from './store.ts';

const facts = {
  cs: { max: 10, table: 'clients', owner: 'client', one: 'secret' },
  ck: { max: 50, table: 'customers', owner: 'customer', one: 'API key' },
  wk: { max: 100, table: 'workspaces', owner: 'workspace', one: 'API key' },
} as const satisfies Record<CredentialKind, object>;

const overlapSecondsDefault = 86_400;

/** A wrong secret of a client is compared with each of its hashes. */
const hashedSecretsMax = 2;

export type CreatedCredential = InsertedCredential & { readonly creatorId: string };

export function generateCredentialFor(
  context: HandlerContext,
  kind: CredentialKind,
  random: Random,
): CreatedCredential & NewCredential {
  return { ...generateCredential(kind, random), creatorId: principalId(principalOf(context)) };
}

export type NewCredentialFields = {
  readonly name: string;
  /** Space-separated; empty for a client's secret, which has the scopes of its client. */
  readonly scopes: string;
  /** If unset, the credential does not expire. */
  readonly expireTime: Timestamp | undefined;
};

/**
 * Every change runs in the caller's transaction and first locks the owner, so that no other
 * transaction changes the number of live credentials. Throws `not_found` if the owner or the
 * credential does not exist, and `conflict` if the owner would have too many live credentials.
 */
export type Credentials = {
  create(
    trx: Executor,
    owner: CredentialOwner,
    made: CreatedCredential,
    fields: NewCredentialFields,
  ): Promise<CredentialRow>;
  list(
    owner: CredentialOwner,
    request: ListRequest,
    signal: AbortSignal,
  ): Promise<ListPage<CredentialRow>>;
  /** At once and permanently, even the last live one. Revoking it again has no effect. */
  revoke(trx: Executor, owner: CredentialOwner, id: string): Promise<void>;
  /**
   * Creates a key with the name, scopes and expiry of a live one, which expires after the overlap.
   * Without `overlapSeconds`, the overlap is a day; 0 revokes the old key at once. Throws
   * `conflict` if the old key is expired or revoked.
   */
  rotate(
    trx: Executor,
    owner: CredentialOwner,
    id: string,
    made: CreatedCredential,
    overlapSeconds: number | undefined,
  ): Promise<CredentialRow>;
  rotateAll(
    trx: Executor,
    owner: CredentialOwner,
    made: CreatedCredential,
    fields: NewCredentialFields,
    overlapSeconds: number | undefined,
  ): Promise<CredentialRow>;
  describe(row: CredentialRow): ReturnType<typeof describeCredential>;
};

export type CredentialsOptions = {
  readonly db: Database;
  readonly now: Clock;
};

export function createCredentials({ db, now }: CredentialsOptions): Credentials {
  return {
    async create(trx, owner, made, fields) {
      printableName(fields.name);
      await lock(trx, owner);
      const time = now();
      const expireTime = readExpireTime(fields.expireTime, time);
      return insertWithin(trx, owner, made, { ...fields, expireTime }, time);
    },

    async list(owner, request, signal) {
      if (!(await hasOwner(db, owner))) throw noSuchOwner(owner);
      return findCredentials(db, owner, parseListRequest(request, credentialList.sorts, signal));
    },

    async revoke(trx, owner, id) {
      await lock(trx, owner);
      const row = await existing(trx, owner, id);
      await revokeCredential(trx, row.id, now());
    },

    async rotate(trx, owner, id, made, overlapSeconds = overlapSecondsDefault) {
      await lock(trx, owner);
      const time = now();
      const old = await existing(trx, owner, id);
      if (credentialStateOf(old, time) !== CredentialState.LIVE) {
        throw fail('conflict', `The ${facts[owner.kind].one} is expired or revoked.`);
      }
      await endCredentials(trx, owner, { id, time, overlapMs: overlapSeconds * 1000 });
      const { name, scopes, expire_time } = old;
      const fields = { name, scopes, expireTime: expire_time };
      return insertWithin(trx, owner, made, fields, time);
    },

    async rotateAll(trx, owner, made, fields, overlapSeconds = overlapSecondsDefault) {
      printableName(fields.name);
      await lock(trx, owner);
      const time = now();
      const expireTime = readExpireTime(fields.expireTime, time);
      await endCredentials(trx, owner, { time, overlapMs: overlapSeconds * 1000 });
      return insertWithin(trx, owner, made, { ...fields, expireTime }, time);
    },

    describe: (row) => describeCredential(row, now()),
  };
}

async function lock(trx: Executor, owner: CredentialOwner): Promise<void> {
  const row = await lockRow(trx, facts[owner.kind].table, 'id', owner.id);
  if (row === undefined) throw noSuchOwner(owner);
}

/** The owner must be locked, so that no other transaction adds a credential in between. */
async function insertWithin(
  trx: Executor,
  owner: CredentialOwner,
  made: CreatedCredential,
  fields: { name: string; scopes: string; expireTime: number | null },
  time: number,
): Promise<CredentialRow> {
  const { max, one } = facts[owner.kind];
  if ((await countLiveCredentials(trx, owner, time)) >= max) {
    const detail = `The ${facts[owner.kind].owner} already has ${max} live ${one}s.`;
    throw fail('conflict', detail);
  }
  const hashes = made.importedHash
    ? await countLiveCredentials(trx, owner, time, { isHash: true })
    : 0;
  if (hashes >= hashedSecretsMax) {
    const detail = `The client already has ${hashedSecretsMax} secrets with imported hashes.`;
    throw fail('conflict', detail);
  }
  return insertCredential(trx, owner, made, { ...fields, createTime: time });
}

async function existing(trx: Executor, owner: CredentialOwner, id: string): Promise<CredentialRow> {
  const row = await findOwnedCredential(trx, owner, id);
  if (row !== undefined) return row;
  const { owner: noun, one } = facts[owner.kind];
  throw fail('not_found', `The ${noun} has no such ${one}.`);
}

function noSuchOwner({ kind }: CredentialOwner) {
  return fail('not_found', `The ${facts[kind].owner} does not exist.`);
}

type Lifetime = Pick<CredentialRow, 'expire_time' | 'revoke_time'>;

type DescribedRow = Lifetime &
  Pick<CredentialRow, 'id' | 'name' | 'create_time' | 'creator_id' | 'last_used_time'>;

/** The fields that the messages of all credentials have. */
export function describeCredential(row: DescribedRow, time: number) {
  const { expire_time, revoke_time, last_used_time } = row;
  return {
    id: row.id,
    name: row.name,
    state: credentialStateOf(row, time),
    createTime: timestampFromMs(row.create_time),
    creator: row.creator_id ?? '',
    ...(expire_time === null ? {} : { expireTime: timestampFromMs(expire_time) }),
    ...(revoke_time === null ? {} : { revokeTime: timestampFromMs(revoke_time) }),
    ...(last_used_time === null ? {} : { lastUsedTime: timestampFromMs(last_used_time) }),
  };
}

function credentialStateOf(row: Lifetime, time: number): CredentialState {
  if (row.revoke_time !== null) return CredentialState.REVOKED;
  const expired = row.expire_time !== null && row.expire_time <= time;
  return expired ? CredentialState.EXPIRED : CredentialState.LIVE;
}
