// A valid request for each method that accepts an Idempotency-Key, except uploads.

import { randomBytes } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import { UserKind } from '../../gen/latchkey/identity/v1/user_pb.js';
import { MemberRole } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { methodFactsOf } from '../../src/api/endpoint.ts';
import { roleScopes } from '../../src/sharing/workspaces/roles.ts';
import type { Suite } from './app-suite.ts';
import { makePublicJwk } from './client-keys.ts';
import { addIssuer } from './federation.ts';
import { addInvitation } from './invitation-rows.ts';
import { credentialFor } from './member-rows.ts';
import { allMethods } from './method-calls.ts';
import { addClient, addCustomer, addWorkspace } from './owner-rows.ts';
import { newPasskey } from './passkeys.ts';
import { newProvider, removeProviders } from './provider-rows.ts';
import { upload } from './sharing-api.ts';
import { addTotp, addUser } from './user-rows.ts';

export const nameOf = ({ parent, name }: DescMethod) => `${parent.name}.${name}`;

export const creatingMethods = allMethods.filter(
  (method) => methodFactsOf(method).acceptsIdempotencyKey,
);

/** The scopes of all these methods, and those that the requests grant. */
const scopes = creatingMethods.map((method) => methodFactsOf(method).access.scope);
const granted = ['accounts:read', ...roleScopes.member, ...managementScopes];
const creatorScope = [...new Set([...scopes, ...granted])].filter(Boolean).join(' ');

/** The credential of a user who may call them, by default a new one. */
export const creator = async (
  { testApp }: Suite,
  { type = 'staff', sub, own }: Pick<Requests, 'type' | 'sub' | 'own'>,
) =>
  own ??
  credentialFor(testApp, {
    type,
    scope: type === 'staff' ? creatorScope : '',
    ...(sub === undefined ? {} : { sub }),
  });

export type Requests = {
  readonly first: Readonly<Record<string, unknown>>;
  /** A different request; undefined for a method without fields. */
  readonly other: Readonly<Record<string, unknown>> | undefined;
  /** The only caller who may make the call; by default any with the scopes. */
  readonly sub?: string;
  /** The only credential with which the call succeeds. */
  readonly own?: { readonly authorization: string };
  /** The type of the caller; by default staff. */
  readonly type?: 'staff' | 'member';
};

const unique = (name: string) => `${name} ${randomBytes(4).toString('hex')}`;
const newEmail = () => ({ email: `${randomBytes(4).toString('hex')}@example.com` });
const newUri = () => `urn:test:${randomBytes(4).toString('hex')}`;
const both = (fields: object, first: object, other: object): Requests => ({
  first: { ...fields, ...first },
  other: { ...fields, ...other },
});
const named = (fields: object = {}) =>
  both(fields, { name: unique('One') }, { name: unique('Other') });

/** By the name of the method. */
export const requestsFor: Readonly<Record<string, (suite: Suite) => Promise<Requests>>> = {
  'AudienceService.CreateAudience': async () =>
    both({ name: 'One' }, { identifier: newUri() }, { identifier: newUri() }),
  'TrustedIssuerService.CreateTrustedIssuer': async () => {
    const jwks = { keys: [makePublicJwk()] };
    return both({ jwks }, { issuer: newUri() }, { issuer: newUri() });
  },
  'ClientService.CreateClient': async () => named(),
  'ClientService.CreateClientSecret': async ({ app }) =>
    named({ clientId: (await addClient(app.inside.db, 'payments:read')).ownerId }),
  'ClientService.RotateClientSecret': async ({ app }) =>
    named({ clientId: (await addClient(app.inside.db, 'payments:read')).ownerId }),
  'ClientService.CreateClientKey': async ({ app }) => {
    const { ownerId: clientId } = await addClient(app.inside.db, 'payments:read');
    return both({ clientId }, { jwk: makePublicJwk() }, { jwk: makePublicJwk() });
  },
  'ClientService.CreateFederatedIdentity': async ({ app }) => {
    const { db } = app.inside;
    const { ownerId: clientId } = await addClient(db, 'payments:read');
    const issuerId = await addIssuer(db);
    return both({ clientId, issuerId }, { subject: 'spiffe://a' }, { subject: 'spiffe://b' });
  },
  'CustomerService.CreateCustomer': async () => named(),
  'CustomerService.CreateApiKey': async ({ app }) =>
    named({
      customerId: (await addCustomer(app.inside.db, 'accounts:read')).ownerId,
      scopes: ['accounts:read'],
    }),
  'CustomerService.RotateApiKey': async ({ app }) => {
    const key = await addCustomer(app.inside.db, 'accounts:read');
    const fields = { customerId: key.ownerId, keyId: key.credentialId };
    return both(fields, { overlapSeconds: 60 }, { overlapSeconds: 61 });
  },
  'IdentityProviderService.CreateIdentityProvider': async ({ app }) => {
    await removeProviders(app.inside.db);
    return { first: newProvider(), other: newProvider() };
  },
  'PasskeyService.CreatePasskey': async (suite) => {
    const { app } = suite;
    const { id } = await addUser(app.inside.db, { scopes: creatorScope });
    const own = await creator(suite, { sub: id });
    const start = () => newPasskey(suite.transport('http'), app.publicUrl, own);
    const [first, other] = [await start(), await start()];
    return { first: first.request, other: other.request, sub: id, own };
  },
  'SigningKeyService.CreateSigningKey': async () => ({ first: {}, other: undefined }),
  'UserService.CreateUser': async () => {
    const fields = { kind: UserKind.MEMBER, ...newEmail(), name: 'Nora' };
    const password = randomBytes(12).toString('hex');
    return both(fields, { password }, { password: `${password}x` });
  },
  'UserService.MailPasswordLink': async ({ app }) => {
    const users = [addUser(app.inside.db), addUser(app.inside.db)];
    const [first, other] = (await Promise.all(users)).map(({ id }) => ({ userId: id }));
    return { first: first ?? {}, other };
  },
  'UserService.ConfirmTotp': async ({ app, testApp, clock }) => {
    const password = 'correct horse battery staple';
    const { id } = await addUser(app.inside.db, { scopes: creatorScope, password });
    const codeAt = await addTotp(testApp, id, { confirmed: false });
    const fields = { userId: id, code: codeAt(clock.now()) };
    return { ...both(fields, {}, { endOtherSessions: true }), sub: id };
  },
  'UserService.CreateRecoveryCodes': async ({ app, testApp }) => {
    const { id } = await addUser(app.inside.db, { scopes: creatorScope });
    await addTotp(testApp, id);
    return { first: { userId: id }, other: undefined, sub: id };
  },
  'DocumentService.UploadDocument': async () => {
    throw new Error('an upload is a stream');
  },
  'DocumentService.UploadVersion': async () => {
    throw new Error('an upload is a stream');
  },
  'FolderService.CreateFolder': async ({ testApp }) =>
    named({ workspaceId: testApp.env.WORKSPACE_ID }),
  'LinkService.CreateLink': async ({ testApp }) => {
    const { id, workspace_id } = await upload(testApp, Buffer.from('The terms.'));
    return named({ documentId: id, workspaceId: workspace_id });
  },
  'LinkService.BatchCreateLinks': async ({ testApp }) => {
    const { id: documentId, workspace_id: workspaceId } = await upload(testApp, Buffer.from('x'));
    const requestsTo = (recipient: string) => ({ requests: [{ documentId, recipient }] });
    return both({ workspaceId }, requestsTo('ann@example.com'), requestsTo('bob@example.com'));
  },
  'ApiKeyService.CreateApiKey': async ({ app }) =>
    named({
      workspaceId: (await addWorkspace(app.inside.db, '')).ownerId,
      scopes: ['links:write'],
    }),
  'ApiKeyService.RotateApiKey': async ({ app }) => {
    const key = await addWorkspace(app.inside.db, 'links:write');
    const fields = { workspaceId: key.ownerId, keyId: key.credentialId };
    return both(fields, { overlapSeconds: 60 }, { overlapSeconds: 61 });
  },
  'WorkspaceService.CreateWorkspace': async () => named(),
  'WorkspaceService.CreateInvitation': async ({ app }) => {
    const { ownerId: workspaceId } = await addWorkspace(app.inside.db, '');
    return both({ workspaceId, role: MemberRole.MEMBER }, newEmail(), newEmail());
  },
  'InvitationService.JoinWorkspace': async ({ app, testApp }) => {
    const { id, email } = await addUser(app.inside.db, { kind: 'member' });
    const { token } = await addInvitation(testApp, email);
    const other = await addInvitation(testApp, email);
    return { ...both({ userId: id }, { token }, { token: other.token }), sub: id, type: 'member' };
  },
  'DomainService.CreateDomain': async ({ app }) => {
    const { ownerId: workspaceId } = await addWorkspace(app.inside.db, '');
    return both({ workspaceId }, { name: 'one.example.com' }, { name: 'two.example.com' });
  },
};

export const newKey = () => randomBytes(16).toString('hex');
