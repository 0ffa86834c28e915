// The names that a caller may read in the audit log. The rule for a name is the one of the method
// that lists such resources.

import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { AudienceService } from '../../../gen/latchkey/identity/v1/audience_pb.js';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
import { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { TrustedIssuerService } from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { access as accessOption } from '../../../gen/latchkey/options/v1/access_pb.js';
import { ApiKeyService } from '../../../gen/latchkey/sharing/v1/api_key_pb.js';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { FolderService } from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import { LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { type Principal, principalTypes } from '../../api/principal.ts';
import { printableOf } from '../../base/net/printable.ts';
import type { Database } from '../../storage/schema.ts';
import { findMemberNames, idKinds, type OwnedResource, type ResourceKind } from './store.ts';

const listMethods: Record<ResourceKind, DescMethod> = {
  audience: AudienceService.method.listAudiences,
  client: ClientService.method.listClients,
  client_secret: ClientService.method.listClientSecrets,
  client_key: ClientService.method.listClientKeys,
  federated_identity: ClientService.method.listFederatedIdentities,
  trusted_issuer: TrustedIssuerService.method.listTrustedIssuers,
  customer: CustomerService.method.listCustomers,
  customer_key: CustomerService.method.listApiKeys,
  identity_provider: IdentityProviderService.method.listIdentityProviders,
  user_identity: IdentityProviderService.method.listUserIdentities,
  passkey: PasskeyService.method.listPasskeys,
  user: UserService.method.listUsers,
  session: SessionService.method.listUserSessions,
  workspace: WorkspaceService.method.listWorkspaces,
  invitation: WorkspaceService.method.listInvitations,
  document: DocumentService.method.listDocuments,
  folder: FolderService.method.listFolders,
  link: LinkService.method.listLinks,
  workspace_key: ApiKeyService.method.listApiKeys,
};

// `Object.keys` returns strings.
const resourceKinds = Object.keys(listMethods) as ResourceKind[];

function mayList(principal: Principal, kind: ResourceKind): boolean {
  // Other callers are limited to their workspaces, customers or accounts.
  if (principal.type !== 'service' && principal.type !== 'staff') return false;
  const { principals, scope } = getOption(listMethods[kind], accessOption);
  return principals.includes(principalTypes[principal.type]) && principal.scopes.has(scope);
}

type Name = { readonly id: string; readonly name: string };

export type NameAndParents = {
  readonly name: string;
  readonly parents: readonly Name[];
};

/** In their workspace, members may read the names of its members. */
export async function findNames(
  db: Database,
  principal: Principal,
  ids: readonly string[],
  workspaceId?: string,
): Promise<ReadonlyMap<string, NameAndParents>> {
  if (principal.type === 'member' && workspaceId !== undefined) {
    const users = await findMemberNames(db, workspaceId, ids);
    return new Map(users.map(({ id, name }) => [id, { name: printableOf(name), parents: [] }]));
  }
  const readable = new Set(resourceKinds.filter((kind) => mayList(principal, kind)));
  const names = new Map<string, NameAndParents>();
  for (const [prefix, { kinds, find }] of Object.entries(idKinds)) {
    if (!kinds.some((kind) => readable.has(kind))) continue;
    const wanted = new Set(ids.filter((id) => id.startsWith(`${prefix}_`)));
    if (wanted.size === 0) continue;
    for (const found of await find(db, [...wanted])) {
      if (readable.has(found.kind)) names.set(found.id, readableName(found, readable));
    }
  }
  return names;
}

function readableName(found: OwnedResource, readable: ReadonlySet<ResourceKind>): NameAndParents {
  const parents = found.parents.map(({ kind, id, name }) => {
    return { id, name: readable.has(kind) ? printableOf(name) : '' };
  });
  const own = printableOf(found.name);
  const [document] = parents;
  return { name: own === '' && found.kind === 'link' ? (document?.name ?? '') : own, parents };
}
