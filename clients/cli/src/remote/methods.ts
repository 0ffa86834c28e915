// The methods that the tables of commands name.
import type { DescMethod, DescMethodUnary, DescService } from '@bufbuild/protobuf';
import { AccountService } from '../../../../gen/latchkey/identity/v1/account_pb.js';
import { AudienceService } from '../../../../gen/latchkey/identity/v1/audience_pb.js';
import { AuditService } from '../../../../gen/latchkey/identity/v1/audit_pb.js';
import { ClientService } from '../../../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../../../gen/latchkey/identity/v1/customer_pb.js';
import { InstallationService } from '../../../../gen/latchkey/identity/v1/installation_pb.js';
import { PasskeyService } from '../../../../gen/latchkey/identity/v1/passkey_pb.js';
import { PasswordResetService } from '../../../../gen/latchkey/identity/v1/password_reset_pb.js';
import { IdentityProviderService } from '../../../../gen/latchkey/identity/v1/provider_pb.js';
import { SearchService } from '../../../../gen/latchkey/identity/v1/search_pb.js';
import { SessionService } from '../../../../gen/latchkey/identity/v1/session_pb.js';
import { SigningKeyService } from '../../../../gen/latchkey/identity/v1/signing_key_pb.js';
import { TrustedIssuerService } from '../../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { UsageService } from '../../../../gen/latchkey/identity/v1/usage_pb.js';
import { UserAccessService } from '../../../../gen/latchkey/identity/v1/user_access_pb.js';
import { UserService } from '../../../../gen/latchkey/identity/v1/user_pb.js';
import { ApiKeyService } from '../../../../gen/latchkey/sharing/v1/api_key_pb.js';
import { DocumentService } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { DomainService } from '../../../../gen/latchkey/sharing/v1/domain_pb.js';
import { FolderService } from '../../../../gen/latchkey/sharing/v1/folder_pb.js';
import { InsightService } from '../../../../gen/latchkey/sharing/v1/insight_pb.js';
import { InvitationService } from '../../../../gen/latchkey/sharing/v1/invitation_pb.js';
import { LinkService } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { VisitorService } from '../../../../gen/latchkey/sharing/v1/visitor_pb.js';
import { WorkspaceService } from '../../../../gen/latchkey/sharing/v1/workspace_pb.js';
import type { CallSpec } from './call-spec.ts';

const services: Readonly<Record<string, DescService>> = {
  account: AccountService,
  audience: AudienceService,
  trustedIssuer: TrustedIssuerService,
  audit: AuditService,
  client: ClientService,
  customer: CustomerService,
  identityProvider: IdentityProviderService,
  installation: InstallationService,
  passkey: PasskeyService,
  passwordReset: PasswordResetService,
  search: SearchService,
  session: SessionService,
  signingKey: SigningKeyService,
  usage: UsageService,
  user: UserService,
  userAccess: UserAccessService,
  apiKey: ApiKeyService,
  document: DocumentService,
  domain: DomainService,
  folder: FolderService,
  insight: InsightService,
  visitor: VisitorService,
  invitation: InvitationService,
  link: LinkService,
  workspace: WorkspaceService,
};

export const methods: readonly DescMethod[] = Object.values(services).flatMap(
  (service) => service.methods,
);

export function methodOf({ method: path }: Pick<CallSpec, 'method'>): DescMethodUnary {
  const [name = '', localName] = path.split('.');
  const methods: readonly DescMethod[] = services[name]?.methods ?? [];
  const found = methods.find((one) => one.localName === localName);
  if (found?.methodKind !== 'unary') throw new Error(`there is no method ${path}`);
  // `methodKind` proves it; the library's type does not follow.
  return found as DescMethodUnary;
}
