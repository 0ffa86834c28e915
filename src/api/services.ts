// Every service with its implementation.
import type { DescService } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import { AccountService } from '../../gen/latchkey/identity/v1/account_pb.js';
import { AudienceService } from '../../gen/latchkey/identity/v1/audience_pb.js';
import { AuditService } from '../../gen/latchkey/identity/v1/audit_pb.js';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { InstallationService } from '../../gen/latchkey/identity/v1/installation_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { OAuthService } from '../../gen/latchkey/identity/v1/oauth_pb.js';
import { PasskeyService } from '../../gen/latchkey/identity/v1/passkey_pb.js';
import { PasswordResetService } from '../../gen/latchkey/identity/v1/password_reset_pb.js';
import { IdentityProviderService } from '../../gen/latchkey/identity/v1/provider_pb.js';
import { SearchService } from '../../gen/latchkey/identity/v1/search_pb.js';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { SigningKeyService } from '../../gen/latchkey/identity/v1/signing_key_pb.js';
import { TrustedIssuerService } from '../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { UsageService } from '../../gen/latchkey/identity/v1/usage_pb.js';
import { UserAccessService } from '../../gen/latchkey/identity/v1/user_access_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { ApiKeyService } from '../../gen/latchkey/sharing/v1/api_key_pb.js';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { DomainService } from '../../gen/latchkey/sharing/v1/domain_pb.js';
import { FolderService } from '../../gen/latchkey/sharing/v1/folder_pb.js';
import { InsightService } from '../../gen/latchkey/sharing/v1/insight_pb.js';
import { InvitationService } from '../../gen/latchkey/sharing/v1/invitation_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { VisitorService } from '../../gen/latchkey/sharing/v1/visitor_pb.js';
import { WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import type { Endpoint, Handler } from './endpoint.ts';
import type { Guard } from './guard.ts';

export const services = {
  issuance: IssuanceService,
  verification: VerificationService,
  oauth: OAuthService,
  account: AccountService,
  audience: AudienceService,
  trustedIssuer: TrustedIssuerService,
  client: ClientService,
  customer: CustomerService,
  identityProvider: IdentityProviderService,
  session: SessionService,
  passkey: PasskeyService,
  passwordReset: PasswordResetService,
  audit: AuditService,
  search: SearchService,
  installation: InstallationService,
  signingKey: SigningKeyService,
  usage: UsageService,
  user: UserService,
  userAccess: UserAccessService,
  document: DocumentService,
  folder: FolderService,
  link: LinkService,
  insight: InsightService,
  visitor: VisitorService,
  apiKey: ApiKeyService,
  workspace: WorkspaceService,
  invitation: InvitationService,
  domain: DomainService,
} as const satisfies Record<string, DescService>;

export type Implementations = {
  readonly [K in keyof typeof services]: ServiceImpl<(typeof services)[K]>;
};

export function guardAll(guard: Guard, implementations: Implementations): Endpoint[] {
  return Object.entries(services).flatMap(([name, service]) => {
    const implementation: Record<string, Handler> = implementations[name as keyof typeof services];
    return service.methods.map((method) => {
      const handler = implementation[method.localName];
      if (handler === undefined) throw new Error(`${method.name} has no implementation`);
      return guard(method, handler.bind(implementation));
    });
  });
}
