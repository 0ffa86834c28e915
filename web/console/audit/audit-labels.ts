/** Labels for the values of audit events. */
import type { DescService } from '@bufbuild/protobuf';
import { AccountService } from '../../../gen/latchkey/identity/v1/account_pb.js';
import { AudienceService } from '../../../gen/latchkey/identity/v1/audience_pb.js';
import { AuditService } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { InstallationService } from '../../../gen/latchkey/identity/v1/installation_pb.js';
import { IssuanceService } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { OAuthService } from '../../../gen/latchkey/identity/v1/oauth_pb.js';
import { PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
import { PasswordResetService } from '../../../gen/latchkey/identity/v1/password_reset_pb.js';
import { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { SearchService } from '../../../gen/latchkey/identity/v1/search_pb.js';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { SigningKeyService } from '../../../gen/latchkey/identity/v1/signing_key_pb.js';
import { TrustedIssuerService } from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { UsageService } from '../../../gen/latchkey/identity/v1/usage_pb.js';
import { UserAccessService } from '../../../gen/latchkey/identity/v1/user_access_pb.js';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { VerificationService } from '../../../gen/latchkey/identity/v1/verification_pb.js';
import { ApiKeyService } from '../../../gen/latchkey/sharing/v1/api_key_pb.js';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { DomainService } from '../../../gen/latchkey/sharing/v1/domain_pb.js';
import { FolderService } from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import { InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { InvitationService } from '../../../gen/latchkey/sharing/v1/invitation_pb.js';
import { LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { VisitorService } from '../../../gen/latchkey/sharing/v1/visitor_pb.js';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';

const services: readonly DescService[] = [
  AccountService,
  ApiKeyService,
  AudienceService,
  AuditService,
  TrustedIssuerService,
  ClientService,
  CustomerService,
  DocumentService,
  DomainService,
  FolderService,
  IdentityProviderService,
  InsightService,
  InstallationService,
  InvitationService,
  IssuanceService,
  LinkService,
  OAuthService,
  PasskeyService,
  PasswordResetService,
  SearchService,
  SessionService,
  SigningKeyService,
  UsageService,
  UserAccessService,
  UserService,
  VerificationService,
  VisitorService,
  WorkspaceService,
];

/** Actions of the service itself, which are not methods. */
const ownActions = [
  'ClientService.PurgeClient',
  'CustomerService.PurgeCustomer',
  'IdentityProviderService.ApplyMappings',
  'IdentityProviderService.CreateUser',
  'IdentityProviderService.LinkUser',
  'MasterKey.Rotate',
  'SessionService.LogOutByProvider',
  'SessionService.SignInWithProvider',
  'SessionService.UseRecoveryCode',
  'SigningKeyService.CreateReceiptKey',
  'SigningKeyService.RemoveSigningKey',
  'SigningKeyService.ReplaceSigningKey',
  'Staff.Recover',
  'UserService.PurgeUser',
  'UserService.WithdrawPasswordLink',
  'WorkspaceService.PurgeWorkspace',
];

export const auditActions: readonly string[] = [
  ...ownActions,
  ...services.flatMap(({ name, methods }) => methods.map((method) => `${name}.${method.name}`)),
].sort();

type OutcomeLabel = { readonly text: string; readonly color: string };

const outcomes: Record<string, OutcomeLabel> = {
  ok: { text: 'Success', color: 'teal' },
  unauthenticated: { text: 'Not authenticated', color: 'red' },
  'identity.credential_invalid': { text: 'Invalid credentials', color: 'red' },
  'identity.code_invalid': { text: 'Wrong code', color: 'red' },
  forbidden: { text: 'Forbidden', color: 'red' },
  second_factor_required: { text: 'Second factor required', color: 'orange' },
  step_up_required: { text: 'Recent sign-in required', color: 'orange' },
};

export const outcomeCodes: readonly string[] = Object.keys(outcomes);

export const outcomeOf = (code: string): OutcomeLabel =>
  outcomes[code] ?? { text: code, color: 'gray' };

const actorTypes: Record<string, string> = {
  service: 'Client',
  customer: 'Customer',
  staff: 'Staff',
  member: 'Member',
  workspace_key: 'Workspace API key',
  anonymous: 'Anonymous',
  system: 'System',
};

export const actorTypeOf = (type: string): string => actorTypes[type] ?? type;
