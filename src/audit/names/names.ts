// The names that a caller may read in the audit log and in the results of a search. The rule for a
// name is the one of the method that lists such resources.

import type { DescMethod } from '@bufbuild/protobuf';
import { AccountService } from '../../../gen/latchkey/identity/v1/account_pb.js';
import { AudienceService } from '../../../gen/latchkey/identity/v1/audience_pb.js';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
import { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { SigningKeyService } from '../../../gen/latchkey/identity/v1/signing_key_pb.js';
import { TrustedIssuerService } from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { ApiKeyService } from '../../../gen/latchkey/sharing/v1/api_key_pb.js';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { DomainService } from '../../../gen/latchkey/sharing/v1/domain_pb.js';
import { FolderService } from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import { LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { VisitorService } from '../../../gen/latchkey/sharing/v1/visitor_pb.js';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { isWithin, type Reach, reachOf } from '../../api/access/reach.ts';
import type { Caller } from '../../api/principal.ts';
import { printableOf } from '../../base/net/printable.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { idKinds, type OwnedResource, type ResourceKind } from './store.ts';

const listMethods: Record<ResourceKind, DescMethod> = {
  audience: AudienceService.method.listAudiences,
  client: ClientService.method.listClients,
  client_secret: ClientService.method.listClientSecrets,
  client_key: ClientService.method.listClientKeys,
  federated_identity: ClientService.method.listFederatedIdentities,
  trusted_issuer: TrustedIssuerService.method.listTrustedIssuers,
  account: AccountService.method.listAccounts,
  customer: CustomerService.method.listCustomers,
  customer_key: CustomerService.method.listApiKeys,
  identity_provider: IdentityProviderService.method.listIdentityProviders,
  user_identity: IdentityProviderService.method.listUserIdentities,
  passkey: PasskeyService.method.listPasskeys,
  user: UserService.method.listUsers,
  signing_key: SigningKeyService.method.listSigningKeys,
  session: SessionService.method.listUserSessions,
  workspace: WorkspaceService.method.listWorkspaces,
  invitation: WorkspaceService.method.listInvitations,
  domain: DomainService.method.listDomains,
  document: DocumentService.method.listDocuments,
  folder: FolderService.method.listFolders,
  link: LinkService.method.listLinks,
  visitor: VisitorService.method.listVisitors,
  workspace_key: ApiKeyService.method.listApiKeys,
};

// `Object.keys` returns strings.
const resourceKinds = Object.keys(listMethods) as ResourceKind[];

/** Where the caller may list resources of each kind. */
export type Reaches = ReadonlyMap<ResourceKind, Reach>;

export async function reachesOf(
  caller: Pick<Caller, 'principal' | 'membershipsOf'>,
): Promise<Reaches> {
  const reaches = resourceKinds.map(async (kind) => {
    return [kind, await reachOf(caller, listMethods[kind])] as const;
  });
  return new Map(await Promise.all(reaches));
}

type Name = { readonly id: string; readonly name: string };

export type NameAndParents = {
  readonly name: string;
  readonly parents: readonly Name[];
};

/** Finds the names that the caller may read. Unknown ids have none. */
export async function findNames(
  db: Database,
  reaches: Reaches,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NameAndParents>> {
  const names = new Map<string, NameAndParents>();
  for (const [prefix, { kinds, mayHave, find }] of Object.entries(idKinds)) {
    if (kinds.every((kind) => reaches.get(kind)?.length === 0)) continue;
    const wanted = new Set(ids.filter((id) => id.startsWith(`${prefix}_`) || mayHave?.(id)));
    if (wanted.size === 0) continue;
    for (const found of await find(db, [...wanted])) {
      const workspace = [found, ...found.parents].find(({ kind }) => kind === 'workspace');
      const mayRead = (kind: ResourceKind) => isWithin(reaches.get(kind), workspace?.id ?? '');
      if (mayRead(found.kind)) names.set(found.id, readableName(found, mayRead));
    }
  }
  return names;
}

function readableName(
  found: OwnedResource,
  mayRead: (kind: ResourceKind) => boolean,
): NameAndParents {
  const parents = found.parents.map(({ kind, id, name }) => {
    return { id, name: mayRead(kind) ? printableOf(name) : '' };
  });
  const own = printableOf(found.name);
  const [document] = parents;
  return { name: own === '' && found.kind === 'link' ? (document?.name ?? '') : own, parents };
}
