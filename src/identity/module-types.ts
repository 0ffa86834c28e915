// The parts of the identity module that the service uses, and the parts that it receives.
import type { SharedAccess } from '../api/access/access-source.ts';
import type { UserData } from '../api/access/user-data.ts';
import type { Authenticate, AuthenticateToken } from '../api/authentication.ts';
import type { RequireOwnFactor } from '../api/method-guard.ts';
import type { MembershipsOf } from '../api/principal.ts';
import type { AuthenticateProgram } from '../api/routes/program-reader.ts';
import type { HttpRoute } from '../api/routes/route.ts';
import type { Implementations } from '../api/services.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import type { Random } from '../base/crypto/ids.ts';
import type { MasterKey } from '../base/crypto/master-key.ts';
import type { Mailer } from '../base/mail/mailer.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Passwords } from '../credentials/passwords.ts';
import type { Log } from '../observe/log.ts';
import type { ObserveUsage } from '../observe/usage.ts';
import type { SearchKind } from '../search/search-kind.ts';
import type { Invalidations } from '../storage/invalidation.ts';
import type { Leases } from '../storage/leases.ts';
import type { Database } from '../storage/schema.ts';
import type { Keyring } from './keys/keyring.ts';
import type { ReceiptKeys } from './keys/receipt-keys.ts';
import type { Rotation } from './keys/rotation.ts';
import type { MappedRoles } from './providers/role-mappings.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { Signer } from './tokens/signer.ts';
import type { RolesOf } from './users/grant-checks.ts';
import type { MemberAccounts } from './users/new-members.ts';
import type { SecurityNotices } from './users/security-notices.ts';

export type IdentityModule = {
  readonly services: Pick<
    Implementations,
    | 'issuance'
    | 'verification'
    | 'oauth'
    | 'account'
    | 'audience'
    | 'trustedIssuer'
    | 'client'
    | 'customer'
    | 'session'
    | 'identityProvider'
    | 'passkey'
    | 'passwordReset'
    | 'audit'
    | 'signingKey'
    | 'usage'
    | 'user'
    | 'userAccess'
  >;
  readonly searchKinds: readonly SearchKind[];
  readonly credentials: Credentials;
  readonly passwords: Passwords;
  readonly newMembers: MemberAccounts;
  readonly keyring: Keyring;
  readonly receiptKeys: ReceiptKeys;
  readonly signer: Signer;
  readonly rotation: Rotation;
  readonly sessions: Sessions;
  readonly securityNotices: Pick<SecurityNotices, 'settle'>;
  readonly requireOwnFactor: RequireOwnFactor;
  readonly authenticateToken: AuthenticateToken;
  readonly authenticateWorkspaceKey: Authenticate;
  readonly authenticateProgram: AuthenticateProgram;
  readonly routes: readonly HttpRoute[];
  /** Writes the pending last-used times and stops the background tasks. */
  stop(): Promise<void>;
};

export type IdentityModuleOptions = {
  readonly config: Pick<
    Config,
    | 'audience'
    | 'egressNetworks'
    | 'httpClientCa'
    | 'serviceTokenSeconds'
    | 'customerTokenSeconds'
    | 'keyRotationDays'
    | 'workers'
    | 'stepUpSeconds'
    | 'localPasswords'
    | 'requireSecondFactor'
    | 'secondFactorGraceDays'
  >;
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
  /** The access of users in workspaces. */
  readonly sharedAccess: SharedAccess;
  /** The data about users in workspaces. */
  readonly sharedData: Readonly<Record<string, UserData>>;
  readonly publicUrl: string;
  /** How many backups stay in the target of backups; 0 without a target. */
  readonly keptBackups: number;
  readonly random: Random;
  readonly now: Clock;
  readonly onFailure: (close: () => unknown) => void;
};
