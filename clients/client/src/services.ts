// A typed client of each service.
import type { DescMessage, DescService, Message } from '@bufbuild/protobuf';
import {
  createClient as createServiceClient,
  type Client as ServiceClient,
  type Transport,
} from '@connectrpc/connect';
import { AccountService } from '../../../gen/latchkey/identity/v1/account_pb.js';
import { AudienceService } from '../../../gen/latchkey/identity/v1/audience_pb.js';
import { AuditService } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { InstallationService } from '../../../gen/latchkey/identity/v1/installation_pb.js';
import { OAuthService } from '../../../gen/latchkey/identity/v1/oauth_pb.js';
import { PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
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
import { LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { VisitorService } from '../../../gen/latchkey/sharing/v1/visitor_pb.js';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { latchkeyErrorOf } from './errors.ts';
import { makeReadable } from './readable-json.ts';

/**
 * Every service except those of tokens, which this package fetches, and of people without an
 * account. The type names the services, so that editors show the comments of their methods.
 */
type Table = {
  readonly verification: typeof VerificationService;
  readonly oauth: typeof OAuthService;
  readonly accounts: typeof AccountService;
  readonly audiences: typeof AudienceService;
  readonly trustedIssuers: typeof TrustedIssuerService;
  readonly clients: typeof ClientService;
  readonly customers: typeof CustomerService;
  readonly audit: typeof AuditService;
  readonly signingKeys: typeof SigningKeyService;
  readonly identityProviders: typeof IdentityProviderService;
  readonly search: typeof SearchService;
  readonly installation: typeof InstallationService;
  readonly usage: typeof UsageService;
  readonly users: typeof UserService;
  readonly userAccess: typeof UserAccessService;
  readonly sessions: typeof SessionService;
  readonly passkeys: typeof PasskeyService;
  readonly documents: typeof DocumentService;
  readonly folders: typeof FolderService;
  readonly links: typeof LinkService;
  readonly insight: typeof InsightService;
  readonly visitors: typeof VisitorService;
  readonly apiKeys: typeof ApiKeyService;
  readonly workspaces: typeof WorkspaceService;
  readonly domains: typeof DomainService;
};

export const clientServices: Table = {
  verification: VerificationService,
  oauth: OAuthService,
  accounts: AccountService,
  audiences: AudienceService,
  trustedIssuers: TrustedIssuerService,
  clients: ClientService,
  customers: CustomerService,
  audit: AuditService,
  signingKeys: SigningKeyService,
  identityProviders: IdentityProviderService,
  search: SearchService,
  installation: InstallationService,
  usage: UsageService,
  users: UserService,
  userAccess: UserAccessService,
  sessions: SessionService,
  passkeys: PasskeyService,
  documents: DocumentService,
  folders: FolderService,
  links: LinkService,
  insight: InsightService,
  visitors: VisitorService,
  apiKeys: ApiKeyService,
  workspaces: WorkspaceService,
  domains: DomainService,
};

export type Services = { readonly [K in keyof Table]: ServiceClient<Table[K]> };

export function createServices(transport: Transport): Services {
  const entries = Object.entries<DescService>(clientServices).map(([name, service]) => [
    name,
    createTypedClient(service, transport),
  ]);
  // The keys and the services are those of the table.
  return Object.fromEntries(entries) as Services;
}

type Method = (request: unknown, options?: { signal?: AbortSignal }) => unknown;

/** A Connect client whose methods throw LatchkeyError. */
export function createTypedClient<S extends DescService>(
  service: S,
  transport: Transport,
): ServiceClient<S> {
  const plain = createServiceClient(service, transport) as Record<string, Method>;
  const methods = service.methods.map(({ localName, methodKind, output }) => {
    const method = plain[localName] as Method;
    const isStream = methodKind === 'server_streaming' || methodKind === 'bidi_streaming';
    return [
      localName,
      isStream ? streamWithErrors(method, output) : callWithErrors(method, output),
    ];
  });
  // The methods have the names and parameters of the plain client.
  return Object.fromEntries(methods) as ServiceClient<S>;
}

function callWithErrors(method: Method, output: DescMessage): Method {
  return async (request, options) => {
    try {
      return makeReadable(output, (await method(request, options)) as Message);
    } catch (thrown) {
      throw latchkeyErrorOf(thrown);
    }
  };
}

/** A loop that ends early ends the call, too. Connect alone would leave it open. */
function streamWithErrors(method: Method, output: DescMessage): Method {
  return async function* (request, options = {}) {
    const stop = new AbortController();
    const signals = [stop.signal, ...(options.signal === undefined ? [] : [options.signal])];
    try {
      const signal = AbortSignal.any(signals);
      const messages = method(request, { ...options, signal }) as AsyncIterable<Message>;
      for await (const message of messages) yield makeReadable(output, message);
    } catch (thrown) {
      throw latchkeyErrorOf(thrown);
    } finally {
      stop.abort();
    }
  };
}
