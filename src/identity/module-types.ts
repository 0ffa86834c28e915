// The parts that the identity module receives.
import type { SharedAccess } from '../api/access/access-source.ts';
import type { UserData } from '../api/access/user-data.ts';
import type { MembershipsOf } from '../api/principal.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import type { Random } from '../base/crypto/ids.ts';
import type { MasterKey } from '../base/crypto/master-key.ts';
import type { Mailer } from '../base/mail/mailer.ts';
import type { Log } from '../observe/log.ts';
import type { ObserveUsage } from '../observe/usage.ts';
import type { Invalidations } from '../storage/cache/invalidation.ts';
import type { Database } from '../storage/schema/schema.ts';
import type { Leases } from '../storage/upkeep/leases.ts';
import type { MappedRoles } from './providers/role-mappings.ts';
import type { RolesOf } from './users/grant-checks.ts';

export type IdentityModuleOptions = {
  readonly config: Config;
  readonly threadProgram: string;
  readonly observeUsage: ObserveUsage | undefined;
  readonly log: Log;
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly leases: Leases;
  readonly auditLog: AuditLog;
  readonly masterKey: MasterKey;
  readonly mailer: Mailer;
  readonly membershipsOf: MembershipsOf;
  readonly rolesOf: RolesOf;
  readonly mappedRoles: MappedRoles;
  readonly sharedAccess: SharedAccess;
  readonly sharedData: Readonly<Record<string, UserData>>;
  readonly publicUrl: string;
  /** How many backups stay in the target of backups; 0 without a target. */
  readonly keptBackups: number;
  readonly random: Random;
  readonly now: Clock;
  readonly onFailure: (close: () => unknown) => void;
};
