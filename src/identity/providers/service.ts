import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  type IdentityProviderService,
  UpdateIdentityProviderRequestSchema,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { isManagementScope, managementScopes, parseStoredScopes } from '../../api/access/scopes.ts';
import { etagOf, requireEtag, timeFields, touched } from '../../api/etag.ts';
import { printableName, requiredName } from '../../api/fields.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import type { ManagementOptions } from '../../audit/audit-log.ts';
import { nameCreator } from '../../audit/names/creators.ts';
import { newId } from '../../base/crypto/ids.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { invalid, requireFound } from '../../base/errors/errors.ts';
import { readDomain } from '../../base/net/email.ts';
import { refuseDuplicateWith } from '../../storage/duplicates.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { Executor, IdentityProviderRow } from '../../storage/schema/schema.ts';
import type { RequireHoldersLeft } from '../users/last-holders.ts';
import { redirectUriOf } from './flow.ts';
import { createIdentityMethods, type IdentityMethodOptions } from './identity-methods.ts';
import {
  type MappedRoles,
  mappedScopes,
  mappedWorkspaces,
  mappingMessages,
  storeMappings,
} from './role-mappings.ts';
import { secretPurpose } from './sealed-secrets.ts';
import {
  deleteProvider,
  endProvidedScopes,
  findProvidedStaff,
  findProvider,
  findProviders,
  insertProvider,
  lockProvider,
  lockStaffScopes,
  type ProviderChange,
  providerList,
  requireFewProviders,
  updateProvider,
} from './store.ts';

export type ProviderOptions = IdentityMethodOptions &
  ManagementOptions & {
    readonly masterKey: MasterKey;
    readonly mappedRoles: MappedRoles;
    readonly requireHoldersLeft: RequireHoldersLeft;
    /** Throws `invalid_argument` for a URL that the service never calls. */
    readonly requireIssuer: (issuer: string) => void;
    readonly publicUrl: string;
  };

const noun = 'identity provider';

const applyMappings = 'IdentityProviderService.ApplyMappings';

const defaultClaims = { groups: 'groups', verified: 'email_verified' };

export function createIdentityProviderService(
  options: ProviderOptions,
): ServiceImpl<typeof IdentityProviderService> {
  const { db, auditLog, masterKey, mappedRoles, endSessions, publicUrl, random, now } = options;

  const seal = (id: string, secret: string) => ({
    secret_ciphertext: masterKey.seal(Buffer.from(secret), secretPurpose(id)),
    master_key_id: masterKey.id,
  });

  /** A provider can sign in as any user, so the caller must hold every scope of every user. */
  async function requireEveryScope(trx: Executor, context: HandlerContext, mappings: string) {
    const ofStaff = (await lockStaffScopes(trx)).flatMap((text) => [...parseStoredScopes(text)]);
    const scopes = new Set([...managementScopes, ...ofStaff, ...mappedScopes(mappings)]);
    await requireHeldScopes(trx, context, scopes);
    const missing = await mappedRoles.findMissing(trx, mappedWorkspaces(mappings));
    if (missing.length > 0) throw invalid('role_mappings', `${missing[0]} does not exist`);
  }

  /** Ends what no later sign-in would end. Returns the id of a user for each change. */
  async function endGrants(
    trx: Executor,
    context: HandlerContext,
    { id, role_mappings }: IdentityProviderRow,
  ): Promise<readonly string[]> {
    await lockStaffScopes(trx);
    const staff = await findProvidedStaff(trx, id);
    const members = await mappedRoles.end(trx, id, mappedWorkspaces(role_mappings));
    const scopes = staff.flatMap((user) => [...parseStoredScopes(user.scopes)]);
    const ofRoles = members.length > 0 ? ['workspaces:write'] : [];
    await requireHeldScopes(trx, context, [...scopes.filter(isManagementScope), ...ofRoles]);
    await endProvidedScopes(trx, id, now());
    const enabled = staff.filter((user) => user.disable_time === null);
    const holders = new Map(
      enabled.flatMap((user) => [...parseStoredScopes(user.scopes)].map((one) => [one, user.id])),
    );
    for (const [held, userId] of holders) {
      const before = { kind: 'staff', disable_time: null, scopes: held } as const;
      await options.requireHoldersLeft(trx, before, { ...before, scopes: '' }, userId);
    }
    return [...staff.map((user) => user.id), ...members];
  }

  const message = (row: IdentityProviderRow) => ({
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    clientId: row.client_id,
    allowedDomains: row.allowed_domains.split(' '),
    roleMappings: mappingMessages(row.role_mappings),
    enabled: row.enabled === 1,
    createUsers: row.create_users === 1,
    groupsClaim: row.groups_claim,
    emailVerifiedClaim: row.email_verified_claim,
    additionalScopes: row.additional_scopes === '' ? [] : row.additional_scopes.split(' '),
    redirectUri: redirectUriOf(publicUrl, row.id),
    backchannelLogoutUri: `${publicUrl}/sessions/oidc/${row.id}/logout`,
    creator: row.creator_id ?? '',
    ...timeFields(row),
    etag: etagOf(stateOf(row)),
  });

  return {
    ...createIdentityMethods(options),

    async createIdentityProvider(request, context) {
      options.requireIssuer(request.issuer);
      const id = newId('idp', random);
      const row: IdentityProviderRow = {
        id,
        name: printableName(request.name),
        issuer: request.issuer,
        client_id: request.clientId,
        ...seal(id, request.clientSecret),
        allowed_domains: storeDomains(request.allowedDomains),
        role_mappings: storeMappings(request.roleMappings),
        enabled: (request.enabled ?? true) ? 1 : 0,
        create_users: request.createUsers ? 1 : 0,
        groups_claim: request.groupsClaim || defaultClaims.groups,
        email_verified_claim: request.emailVerifiedClaim || defaultClaims.verified,
        additional_scopes: [...new Set(request.additionalScopes)].join(' '),
        create_time: now(),
        update_time: null,
        creator_id: principalId(principalOf(context)),
      };
      return auditLog.create(context, { target: id }, async (trx) => {
        await requireEveryScope(trx, context, row.role_mappings);
        await requireFewProviders(trx);
        await insertProvider(trx, row).catch(refuseDuplicate);
        return { provider: message(row) };
      });
    },

    async getIdentityProvider({ providerId }, context) {
      const row = requireFound(await findProvider(db, providerId), noun);
      return { provider: await nameCreator(db, context, message(row)) };
    },

    async listIdentityProviders(request, { signal }) {
      const query = parseListRequest(request, providerList.sorts, signal);
      const { rows, ...page } = await findProviders(db, query);
      return { providers: rows.map(message), ...page };
    },

    async updateIdentityProvider(request, context) {
      const { providerId } = request;
      const update = readUpdate(UpdateIdentityProviderRequestSchema, request, updateFields);
      const { client_secret: secret, ...change } = update.change;
      const sealed = secret === undefined ? {} : seal(providerId, secret);
      const isNarrowing = update.paths.every(
        (path) => path === 'name' || (path === 'enabled' && change.enabled === 0),
      );
      const row = await auditLog.change(context, { target: providerId }, async (trx, also) => {
        const before = requireFound(await lockProvider(trx, providerId), noun);
        requireEtag(context, request, stateOf(before));
        const changed = { ...change, ...sealed };
        const timed = { ...changed, ...touched(before, changed, now()) };
        const after = { ...before, ...timed };
        if (!isNarrowing) await requireEveryScope(trx, context, after.role_mappings);
        await updateProvider(trx, providerId, timed);
        if (after.enabled === 0) await endSessions(trx, { providerId });
        // No later sign-in ends a role in a workspace that the mappings do not name.
        const kept = new Set(mappedWorkspaces(after.role_mappings));
        const dropped = mappedWorkspaces(before.role_mappings).filter((id) => !kept.has(id));
        for (const userId of await mappedRoles.end(trx, providerId, dropped)) {
          also(applyMappings, userId);
        }
        return after;
      });
      return { provider: message(row) };
    },

    async deleteIdentityProvider({ providerId }, context) {
      await auditLog.change(context, { target: providerId }, async (trx, also) => {
        const before = requireFound(await lockProvider(trx, providerId), noun);
        requireEtag(context, {}, stateOf(before));
        await endSessions(trx, { providerId });
        for (const userId of await endGrants(trx, context, before)) also(applyMappings, userId);
        await deleteProvider(trx, providerId);
      });
      return {};
    },
  };
}

/** Without the secret, which each rotation of the master key encrypts again, and its time. */
function stateOf(row: IdentityProviderRow): object {
  const { secret_ciphertext: _, master_key_id: __, update_time: ___, ...state } = row;
  return state;
}

type Change = ProviderChange & { readonly client_secret?: string };

const updateFields: UpdateFields<typeof UpdateIdentityProviderRequestSchema, Change> = {
  name: ({ name }) => ({ name: requiredName(name) }),
  client_id: ({ clientId }) => ({ client_id: required('client_id', clientId) }),
  client_secret: ({ clientSecret }) => ({ client_secret: required('client_secret', clientSecret) }),
  allowed_domains: ({ allowedDomains }) => ({ allowed_domains: storeDomains(allowedDomains) }),
  role_mappings: ({ roleMappings }) => ({ role_mappings: storeMappings(roleMappings) }),
  enabled: ({ enabled }) => {
    if (enabled === undefined) throw invalid('enabled', 'is required');
    return { enabled: enabled ? 1 : 0 };
  },
  create_users: ({ createUsers }) => ({ create_users: createUsers ? 1 : 0 }),
  groups_claim: ({ groupsClaim }) => ({ groups_claim: groupsClaim || defaultClaims.groups }),
  email_verified_claim: ({ emailVerifiedClaim }) => ({
    email_verified_claim: emailVerifiedClaim || defaultClaims.verified,
  }),
  additional_scopes: ({ additionalScopes }) => ({
    additional_scopes: [...new Set(additionalScopes)].join(' '),
  }),
};

function required(field: string, value: string): string {
  if (value === '') throw invalid(field, 'is required');
  return value;
}

function storeDomains(domains: readonly string[]): string {
  if (domains.length === 0) throw invalid('allowed_domains', 'is required');
  const read = domains.map((text, i) => {
    const domain = readDomain(text.trim());
    if (domain !== undefined) return domain;
    throw invalid('allowed_domains', `entry ${i + 1} must be a domain, such as example.com`);
  });
  return [...new Set(read)].join(' ');
}

const refuseDuplicate = refuseDuplicateWith('Another identity provider has this issuer.');
