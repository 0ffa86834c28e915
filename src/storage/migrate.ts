// Migrates the schema of a database. Migrations expand the schema first and contract it in a later
// release, so that two successive releases run on one schema.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Migration, Migrator, sql } from 'kysely';
import { errorCodeOf } from '../base/files/error-code.ts';
import { createRecords, readApplied, recordSupport, recordsTable } from './migration-records.ts';
import { createFirstSchema } from './migrations/0001-schema.ts';
import { scaleOut } from './migrations/0002-scale-out.ts';
import { createBlobStores } from './migrations/0003-blob-store.ts';
import { recordSharedDocuments } from './migrations/0004-shared-documents.ts';
import { sortLists } from './migrations/0005-lists.ts';
import { addLinkOptions } from './migrations/0006-link-options.ts';
import { createIdentityTokens } from './migrations/0007-identity.ts';
import { addRecordedAnswers } from './migrations/0008-recorded-answers.ts';
import { addCertificateNames } from './migrations/0009-client-certificates.ts';
import { markJoinedMembers } from './migrations/0010-joined-members.ts';
import { addVersions } from './migrations/0011-versions.ts';
import { addVisitors } from './migrations/0012-visitors.ts';
import { addRecipients } from './migrations/0013-recipients.ts';
import { addAgreements } from './migrations/0014-agreements.ts';
import { addAudiences } from './migrations/0015-audiences.ts';
import { addClientTokens } from './migrations/0016-client-tokens.ts';
import { createClientKeys } from './migrations/0019-client-keys.ts';
import { addSigningAlgorithms } from './migrations/0020-signing-algorithms.ts';
import { addPreviews } from './migrations/0021-previews.ts';
import { addFolders } from './migrations/0022-folders.ts';
import { createUsageCounts } from './migrations/0023-usage.ts';
import { addFederation } from './migrations/0024-federation.ts';
import { addTokenExchange } from './migrations/0025-token-exchange.ts';
import { addLinkDefaults } from './migrations/0026-link-defaults.ts';
import { addIdentityProviders } from './migrations/0027-identity-providers.ts';
import { addBoundTokens } from './migrations/0028-bound-tokens.ts';
import { addPasskeys } from './migrations/0029-passkeys.ts';
import { addWatermarks } from './migrations/0030-watermarks.ts';
import { addDomains } from './migrations/0031-domains.ts';
import { addProgramAccess } from './migrations/0032-program-access.ts';
import { addCreators } from './migrations/0033-creators.ts';
import { indexSearch } from './migrations/0034-search.ts';
import { addExternalIds } from './migrations/0035-external-ids.ts';
import { addDeletions } from './migrations/0036-deletions.ts';
import { addDeviceSignIns } from './migrations/0037-device-sign-ins.ts';
import { addImportedSecrets } from './migrations/0038-imported-secrets.ts';
import { addRememberedReaders } from './migrations/0039-remembered-readers.ts';
import { prepareHomePages } from './migrations/0040-home-pages.ts';
import { addTokenIds } from './migrations/0041-token-ids.ts';
import { addNoticesAndKeyCopies } from './migrations/0042-notices-and-key-copies.ts';
import { addUpdateTimes } from './migrations/0043-update-times.ts';
import { addLastUses } from './migrations/0044-last-uses.ts';
import { keepDomains } from './migrations/0045-kept-domains.ts';
import { addCreatorsAndReads } from './migrations/0046-creators-and-reads.ts';
import { allowSeveralInvitations } from './migrations/0047-several-invitations.ts';
import { indexSignInSearch } from './migrations/0048-sign-in-search.ts';
import type { Database } from './schema/schema.ts';

/**
 * `oldestSupported` is the last migration of the oldest release that runs on the schema after this
 * migration. A migration that removes something raises it.
 */
type SchemaMigration = Migration & { readonly oldestSupported: string };

export type SchemaMigrations = Readonly<Record<string, SchemaMigration>>;

/** The migrations, in the order in which they are applied. */
export const schemaMigrations: SchemaMigrations = {
  '0001-schema': { up: createFirstSchema, oldestSupported: '0001-schema' },
  '0002-scale-out': { up: scaleOut, oldestSupported: '0001-schema' },
  '0003-blob-store': { up: createBlobStores, oldestSupported: '0001-schema' },
  '0004-shared-documents': { up: recordSharedDocuments, oldestSupported: '0001-schema' },
  '0005-lists': { up: sortLists, oldestSupported: '0001-schema' },
  '0006-link-options': { up: addLinkOptions, oldestSupported: '0001-schema' },
  '0007-identity': { up: createIdentityTokens, oldestSupported: '0001-schema' },
  '0008-recorded-answers': { up: addRecordedAnswers, oldestSupported: '0001-schema' },
  '0009-client-certificates': { up: addCertificateNames, oldestSupported: '0001-schema' },
  '0010-joined-members': { up: markJoinedMembers, oldestSupported: '0001-schema' },
  '0011-versions': { up: addVersions, oldestSupported: '0001-schema' },
  '0012-visitors': { up: addVisitors, oldestSupported: '0001-schema' },
  '0013-recipients': { up: addRecipients, oldestSupported: '0001-schema' },
  '0014-agreements': { up: addAgreements, oldestSupported: '0001-schema' },
  '0015-audiences': { up: addAudiences, oldestSupported: '0001-schema' },
  '0016-client-tokens': { up: addClientTokens, oldestSupported: '0001-schema' },
  '0019-client-keys': { up: createClientKeys, oldestSupported: '0001-schema' },
  '0020-signing-algorithms': { up: addSigningAlgorithms, oldestSupported: '0001-schema' },
  '0021-previews': { up: addPreviews, oldestSupported: '0001-schema' },
  '0022-folders': { up: addFolders, oldestSupported: '0001-schema' },
  '0023-usage': { up: createUsageCounts, oldestSupported: '0001-schema' },
  '0024-federation': { up: addFederation, oldestSupported: '0001-schema' },
  '0025-token-exchange': { up: addTokenExchange, oldestSupported: '0001-schema' },
  '0026-link-defaults': { up: addLinkDefaults, oldestSupported: '0001-schema' },
  '0027-identity-providers': { up: addIdentityProviders, oldestSupported: '0001-schema' },
  '0028-bound-tokens': { up: addBoundTokens, oldestSupported: '0001-schema' },
  '0029-passkeys': { up: addPasskeys, oldestSupported: '0001-schema' },
  '0030-watermarks': { up: addWatermarks, oldestSupported: '0001-schema' },
  '0031-domains': { up: addDomains, oldestSupported: '0001-schema' },
  '0032-program-access': { up: addProgramAccess, oldestSupported: '0001-schema' },
  '0033-creators': { up: addCreators, oldestSupported: '0001-schema' },
  '0034-search': { up: indexSearch, oldestSupported: '0001-schema' },
  '0035-external-ids': { up: addExternalIds, oldestSupported: '0001-schema' },
  '0036-deletions': { up: addDeletions, oldestSupported: '0001-schema' },
  '0037-device-sign-ins': { up: addDeviceSignIns, oldestSupported: '0001-schema' },
  '0038-imported-secrets': { up: addImportedSecrets, oldestSupported: '0001-schema' },
  '0039-remembered-readers': { up: addRememberedReaders, oldestSupported: '0001-schema' },
  '0040-home-pages': { up: prepareHomePages, oldestSupported: '0001-schema' },
  '0041-token-ids': { up: addTokenIds, oldestSupported: '0001-schema' },
  '0042-notices-and-key-copies': { up: addNoticesAndKeyCopies, oldestSupported: '0001-schema' },
  '0043-update-times': { up: addUpdateTimes, oldestSupported: '0001-schema' },
  '0044-last-uses': { up: addLastUses, oldestSupported: '0001-schema' },
  '0045-kept-domains': { up: keepDomains, oldestSupported: '0001-schema' },
  '0046-creators-and-reads': { up: addCreatorsAndReads, oldestSupported: '0001-schema' },
  '0047-several-invitations': { up: allowSeveralInvitations, oldestSupported: '0001-schema' },
  '0048-sign-in-search': { up: indexSignInSearch, oldestSupported: '0001-schema' },
};

export type SchemaComparison = {
  /** The migrations that this version has and the database does not. */
  readonly missing: readonly string[];
  /** The applied migrations that this version does not know. */
  readonly unknown: readonly string[];
  /** Whether no migration was ever applied. */
  readonly isNew: boolean;
  /** Whether this version runs on the schema, once the missing migrations are applied. */
  readonly isSupported: boolean;
};

export async function compareSchema(
  db: Database,
  migrations = schemaMigrations,
): Promise<SchemaComparison> {
  const applied = await readApplied(db);
  const known = Object.keys(migrations).sort();
  const latest = known.at(-1) ?? '';
  const missing = known.filter((name) => !applied.has(name));
  const unknown = [...applied.keys()].filter((name) => !known.includes(name)).sort();
  const runsOn = (name: string) => {
    const oldestSupported = applied.get(name);
    return oldestSupported !== undefined && oldestSupported <= latest;
  };
  return {
    missing,
    unknown,
    isNew: applied.size === 0,
    isSupported: unknown.length === 0 || (missing.length === 0 && unknown.every(runsOn)),
  };
}

/** How a dialect migrates. */
export type MigrationDialect = {
  readonly db: Database;
  /**
   * Begins a transaction that has the migration lock until it ends. Returns false, without a
   * transaction, while another process has the lock.
   */
  readonly begin: (connection: Database) => Promise<boolean>;
  /** Locks the existing tables until the transaction ends. Unset if `begin` locks the database. */
  readonly lockTables?: (connection: Database) => Promise<void>;
};

const attemptsMax = 5;
const lockPollMs = 200;
const lockWaitMsMax = 15 * 60_000;

/**
 * Applies all missing migrations, or none if one fails. Returns the applied ones. Waits while
 * another process migrates, or a long transaction, such as a backup, locks a table. Release 0.1
 * does not use the migration lock, so a failed attempt is repeated: a process of that release may
 * have created the same tables.
 */
export async function migrate(
  { db, begin, lockTables }: MigrationDialect,
  migrations = schemaMigrations,
  // While an attempt waits for a table, the queries of the service wait for the attempt.
  { lockedPauseMs = 3_000 } = {},
): Promise<readonly string[]> {
  const lockEnd = performance.now() + lockWaitMsMax;
  for (let failures = 0; ; ) {
    let isLocked = false;
    const attempt = db.connection().execute(async (connection) => {
      if (!(await begin(connection))) return undefined;
      try {
        const names = await applyMissing(connection, migrations, lockTables);
        await sql`commit`.execute(connection);
        return names;
      } catch (error) {
        await sql`rollback`.execute(connection).catch(() => {});
        throw error;
      }
    });
    const applied = await attempt.catch((error: unknown) => {
      isLocked = errorCodeOf(error) === lockNotAvailable;
      if (!isLocked) failures += 1;
      if (failures === attemptsMax) throw error;
      return undefined;
    });
    if (applied !== undefined) return applied;
    if (performance.now() > lockEnd) throw new Error(describeBlocked(isLocked));
    await sleep(isLocked ? lockedPauseMs : lockPollMs);
  }
}

/** The SQLSTATE of a statement that `lock_timeout` ended. */
const lockNotAvailable = '55P03';

function describeBlocked(isLocked: boolean): string {
  return isLocked
    ? 'A long transaction, such as a backup, has blocked the migration for 15 minutes.'
    : 'Another process has been migrating the database for 15 minutes.';
}

async function applyMissing(
  connection: Database,
  migrations: SchemaMigrations,
  lockTables?: (connection: Database) => Promise<void>,
): Promise<readonly string[]> {
  await createRecords(connection);
  const comparison = await compareSchema(connection, migrations);
  if (comparison.missing.length === 0) return [];
  if (!comparison.isNew) await lockTables?.(connection);
  const { error } = await new Migrator({
    db: connection,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
    migrationTableName: recordsTable,
    // The clocks of two machines may contradict the order.
    allowUnorderedMigrations: true,
    disableTransactions: true,
  }).migrateToLatest();
  if (error !== undefined) throw error;
  for (const name of comparison.missing) {
    await recordSupport(connection, name, migrations[name]?.oldestSupported ?? name);
  }
  return comparison.missing;
}
