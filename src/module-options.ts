import type { AuditLog } from './audit/audit-log.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { Random } from './crypto/ids.ts';
import type { MasterKey } from './crypto/master-key.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Log } from './observe/log.ts';
import type { Invalidations } from './storage/invalidation.ts';
import type { Database } from './storage/schema.ts';

/** The options that every module needs. */
export type ModuleOptions = {
  readonly config: Config;
  readonly log: Log;
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly auditLog: AuditLog;
  readonly masterKey: MasterKey;
  readonly mailer: Mailer;
  readonly now: Clock;
  readonly random: Random;
  readonly publicUrl: string;
  readonly uploadStalledMs: number;
  readonly blobLeaseMs: number;
};
