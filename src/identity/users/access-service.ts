// Lists and ends everything by which a user has access.
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  AccessPart,
  type UserAccessService,
} from '../../../gen/latchkey/identity/v1/user_access_pb.js';
import type {
  AccessOwner,
  AccessSource,
  FoundAccess,
  KeptSource,
  SharedAccess,
} from '../../api/access/access-source.ts';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import { requireNotDeleted } from '../../api/deletion.ts';
import { touched } from '../../api/etag.ts';
import { callerOf, principalId, principalOf } from '../../api/principal.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { findNames, type NameAndParents, reachesOf } from '../../audit/names/names.ts';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import { grantChecksFor, type RolesOf } from './grant-checks.ts';
import { lockOwner, requireHoldersLeft } from './last-holders.ts';
import { deleteSeed, type User, type UserChange, updateUser } from './store.ts';
import { requireUser } from './users.ts';

/** The lists of `UserAccess`, each with the part that it belongs to. */
const parts = {
  memberships: AccessPart.ROLES,
  sessions: AccessPart.SIGN_IN,
  passkeys: AccessPart.SIGN_IN,
  identities: AccessPart.SIGN_IN,
  clientSecrets: AccessPart.CREDENTIALS,
  clientKeys: AccessPart.CREDENTIALS,
  federatedIdentities: AccessPart.CREDENTIALS,
  customerKeys: AccessPart.CREDENTIALS,
  workspaceKeys: AccessPart.CREDENTIALS,
  links: AccessPart.LINKS,
  sentInvitations: AccessPart.INVITATIONS,
  receivedInvitations: AccessPart.INVITATIONS,
} as const;

type EndedKind = keyof typeof parts;

// `Object.keys` returns strings.
const endedKinds = Object.keys(parts) as EndedKind[];

/** The lists that no part ends. */
const keptKinds = ['identityProviders', 'trustedIssuers', 'audiences'] as const;

type KeptKind = (typeof keptKinds)[number];

type Kind = EndedKind | KeptKind;

const kinds: readonly Kind[] = [...endedKinds, ...keptKinds];

const allParts: readonly AccessPart[] = [...new Set(Object.values(parts))];

export type AccessSources = Readonly<Record<EndedKind, AccessSource>>;

export type UserAccessOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly rolesOf: RolesOf;
  readonly sources: AccessSources;
  readonly keptSources: Readonly<Record<KeptKind, KeptSource>>;
  readonly shared: Pick<SharedAccess, 'lockOwned' | 'requireOwners'>;
  /** The longest lifetime of tokens that clients get with credentials that the user created. */
  readonly tokenSecondsOf: (trx: Executor, user: AccessOwner, time: number) => Promise<number>;
  readonly countClients: (db: Executor, creatorId: string) => Promise<number>;
  readonly countCustomers: (db: Executor, creatorId: string) => Promise<number>;
  readonly now: Clock;
};

type Found = Readonly<Record<Kind, FoundAccess>>;

const none: FoundAccess = { rows: [], totalSize: 0 };

type Ended = {
  readonly before: User;
  readonly after: User;
  readonly ended: Found;
  readonly remaining: Found;
  readonly counts: Readonly<
    Record<'remainingTokenSeconds' | 'remainingClients' | 'remainingCustomers', number>
  >;
};

/** Thrown to roll a call with `validate_only` back. */
class DryRun extends Error {
  constructor(readonly result: Ended) {
    super('the call only validates');
  }
}

export function createUserAccessService(
  options: UserAccessOptions,
): ServiceImpl<typeof UserAccessService> {
  const { db, auditLog, rolesOf, sources, shared, now } = options;
  const allSources: Readonly<Record<Kind, KeptSource>> = { ...sources, ...options.keptSources };

  async function find(executor: Executor, user: User, wanted = kinds): Promise<Found> {
    const time = now();
    const found: Partial<Record<Kind, FoundAccess>> = {};
    for (const kind of wanted) found[kind] = await allSources[kind].find(executor, user, time);
    return Object.fromEntries(kinds.map((kind) => [kind, found[kind] ?? none])) as Found;
  }

  /** Throws `forbidden` without the scopes of the methods that end a single row. */
  async function requireScopes(trx: Executor, context: HandlerContext, user: User, ended: Found) {
    const scopes: string[] = [];
    for (const kind of endedKinds.filter((one) => ended[one].totalSize > 0)) {
      scopes.push(...((await sources[kind].scopesToEnd?.(trx, user, now())) ?? []));
    }
    if (scopes.length > 0) await requireHeldScopes(trx, context, scopes);
  }

  async function endAll(
    trx: Executor,
    context: HandlerContext,
    userId: string,
    chosen: ReadonlySet<AccessPart>,
  ): Promise<Ended> {
    const { user: before, owned } = await lockOwner(trx, shared, userId);
    requireNotDeleted(before, 'user');
    await grantChecksFor(context, userId, rolesOf).requireToWeaken(trx, before);
    const time = now();
    const wanted = endedKinds.filter((kind) => chosen.has(parts[kind]));
    const ended = await find(trx, before, wanted);
    await requireScopes(trx, context, before, ended);
    const seconds = chosen.has(AccessPart.CREDENTIALS)
      ? await options.tokenSecondsOf(trx, before, time)
      : 0;
    for (const kind of wanted) await sources[kind].end(trx, before, time);
    const change = changeOf(before, chosen, time);
    const { password_hash: _, ...counted } = change;
    await updateUser(trx, userId, { ...change, ...touched(before, counted, time) });
    if (chosen.has(AccessPart.SIGN_IN)) await deleteSeed(trx, userId);
    const after = await requireUser(trx, userId);
    await requireHoldersLeft(trx, before, after);
    if (chosen.has(AccessPart.ROLES) || after.disable_time !== before.disable_time) {
      await shared.requireOwners(trx, owned);
    }
    const counts = {
      remainingTokenSeconds: seconds,
      remainingClients: await options.countClients(trx, userId),
      remainingCustomers: await options.countCustomers(trx, userId),
    };
    return { before, after, ended, remaining: await find(trx, after), counts };
  }

  async function namesOf(context: HandlerContext, ...found: Found[]) {
    const rows = found.flatMap((each) => kinds.flatMap((kind) => each[kind].rows));
    const ids = [...new Set(rows.map(({ id }) => id))];
    return findNames(db, await reachesOf(callerOf(context)), ids);
  }

  return {
    async getUserAccess({ userId }, context) {
      const user = await requireUser(db, userId);
      const found = await find(db, user);
      return { access: accessMessage(user, found, await namesOf(context, found)) };
    },

    async revokeAllAccess({ userId, parts: wanted, validateOnly }, context) {
      if (principalId(principalOf(context)) === userId) throw isCaller();
      const chosen = new Set(wanted.length === 0 ? allParts : wanted);
      let summary = '';
      const change = { target: userId, reason: () => summary };
      // The names that an answer shows are read before the rows with them are deleted.
      const names = await namesOf(context, await find(db, await requireUser(db, userId)));
      const { before, after, ended, remaining, counts } = await auditLog
        .change(context, change, async (trx) => {
          const result = await endAll(trx, context, userId, chosen);
          if (validateOnly) throw new DryRun(result);
          summary = summaryOf(chosen, result.ended);
          return result;
        })
        .catch((error: unknown) => {
          if (error instanceof DryRun) return error.result;
          throw error;
        });
      return {
        ended: accessMessage(endedOf(before, after), ended, names),
        remaining: accessMessage(after, remaining, names),
        ...counts,
      };
    },
  };
}

function changeOf(user: User, chosen: ReadonlySet<AccessPart>, time: number): UserChange {
  return {
    ...(chosen.has(AccessPart.SIGN_IN)
      ? { disable_time: user.disable_time ?? time, password_hash: '' }
      : {}),
    ...(chosen.has(AccessPart.ROLES) ? { scopes: '' } : {}),
  };
}

/** The access that the user had before and has lost. */
function endedOf(before: User, after: User): User {
  return {
    ...before,
    disable_time: before.disable_time === null ? after.disable_time : null,
    scopes: after.scopes === '' ? before.scopes : '',
    password_hash: after.password_hash === '' ? before.password_hash : '',
    totp_confirm_time: after.totp_confirm_time === null ? before.totp_confirm_time : null,
  };
}

/** For the audit log, such as `roles sign_in: sessions 2, passkeys 1`. */
function summaryOf(chosen: ReadonlySet<AccessPart>, ended: Found): string {
  const names = allParts.filter((part) => chosen.has(part)).map((part) => AccessPart[part]);
  const counts = kinds
    .filter((kind) => ended[kind].totalSize > 0)
    .map(
      (kind) => `${kind.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`)} ${ended[kind].totalSize}`,
    );
  return `${names.join(' ').toLowerCase()}: ${counts.join(', ') || 'nothing else'}`;
}

function accessMessage(user: User, found: Found, names: ReadonlyMap<string, NameAndParents>) {
  const lists = kinds.map((kind) => [kind, listMessage(found[kind], names)] as const);
  return {
    userId: user.id,
    scopes: [...parseStoredScopes(user.scopes)],
    passwordEnabled: user.password_hash !== '',
    totpEnabled: user.totp_confirm_time !== null,
    ...(user.disable_time === null ? {} : { disableTime: timestampFromMs(user.disable_time) }),
    ...(Object.fromEntries(lists) as Record<Kind, ReturnType<typeof listMessage>>),
  };
}

function listMessage({ rows, totalSize }: FoundAccess, names: ReadonlyMap<string, NameAndParents>) {
  return {
    totalSize,
    items: rows.map(({ id, create_time, expire_time = null, detail = '', name = '' }) => ({
      id,
      detail,
      name: names.get(id)?.name || name,
      parents: [...(names.get(id)?.parents ?? [])],
      createTime: timestampFromMs(create_time),
      ...(expire_time === null ? {} : { expireTime: timestampFromMs(expire_time) }),
    })),
  };
}

const isCaller = () =>
  fail('conflict', 'You cannot end all of your own access. Ask another administrator.');
