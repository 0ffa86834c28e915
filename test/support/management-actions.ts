// One successful call per management action. A new method needs an entry here.
import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { SigningKeyState } from '../../gen/latchkey/identity/v1/signing_key_pb.js';
import type { TokenPrincipalType } from '../../src/api/principal.ts';
import type { Place } from './app-suite.ts';
import { makeFolder } from './folder-calls.ts';
import { openLink } from './link-views.ts';
import { actionsOnDomains } from './management-actions-on-domains.ts';
import { actionsOnOwners } from './management-actions-on-owners.ts';
import { actionsOnUsers } from './management-actions-on-users.ts';
import { addClient } from './owner-rows.ts';
import { callSharingApi, makeLink, upload, uploadVersion } from './sharing-api.ts';
import { signToken } from './signed-tokens.ts';
import { keyManager, signingKeyOf } from './signing-keys.ts';

/** The resource fields of an answer. */
type Answer = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

export type ManagementAction = {
  /** The request's fields, by their local names. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The id that the audit event must name; a function reads it from the answer (proto names). */
  readonly target: string | ((answer: Answer) => unknown);
  /** The caller's type; by default a service with the method's scope. */
  readonly callerType?: TokenPrincipalType;
  /** The caller's id, if the method requires a specific caller. */
  readonly callerId?: string;
  /** The caller's token, if the method requires a specific session. */
  readonly token?: string;
  /** The caller's scopes, if the method's own scope is not enough. */
  readonly scope?: string;
  /** The reason in the audit event, if the method has one for a successful call. */
  readonly reason?: RegExp;
};

export const managementActions: Readonly<
  Record<string, (suite: Place) => Promise<ManagementAction>>
> = {
  async 'VerificationService.RevokeToken'({ app }) {
    const token = await signToken(app, { type: 'staff', scope: 'audit:read' });
    return { request: { token }, target: decodeJwt(token).sub ?? '' };
  },

  async 'SessionService.SignOut'({ app }) {
    const own = { type: 'staff', scope: '' } as const;
    const target = decodeJwt(await signToken(app, own)).sub ?? '';
    return { request: {}, target, callerType: own.type };
  },

  async 'SessionService.RevokeSession'({ app }) {
    const own = { type: 'staff', scope: '' } as const;
    const { sid } = decodeJwt(await signToken(app, own));
    return { request: { sessionId: sid }, target: String(sid), callerType: own.type };
  },

  ...actionsOnOwners,
  ...actionsOnUsers,
  ...actionsOnDomains,

  async 'InstallationService.ConfirmMasterKeyCopy'() {
    return { request: {}, target: ({ master_key }) => master_key?.key_id };
  },

  async 'SigningKeyService.CreateSigningKey'(suite) {
    await makeRoomForKey(suite);
    return { request: {}, target: ({ signing_key }) => signing_key?.kid };
  },

  async 'SigningKeyService.ActivateSigningKey'(suite) {
    const { kid } = await (await makeRoomForKey(suite)).create();
    return { request: { kid, force: true }, target: kid };
  },

  async 'SigningKeyService.RevokeSigningKey'(suite) {
    const { kid } = await (await makeRoomForKey(suite)).create();
    return { request: { kid }, target: kid };
  },

  async 'DocumentService.UploadDocument'({ testApp }) {
    const request = { file: Buffer.from('bytes'), workspaceId: testApp.env.WORKSPACE_ID };
    return { request, target: ({ document }) => document?.id };
  },

  async 'DocumentService.UpdateDocument'(suite) {
    const ids = await ofDocument(suite);
    return { request: { ...ids, name: 'Renamed' }, target: ids.documentId };
  },

  async 'DocumentService.DeleteDocument'(suite) {
    const ids = await ofDocument(suite);
    return { request: ids, target: ids.documentId };
  },

  async 'DocumentService.UploadVersion'(suite) {
    const ids = await ofDocument(suite);
    return { request: { ...ids, file: Buffer.from('second') }, target: ids.documentId };
  },

  async 'DocumentService.RestoreVersion'(suite) {
    const ids = await ofDocument(suite);
    return { request: { ...ids, version: 1 }, target: ids.documentId };
  },

  async 'DocumentService.DeleteVersion'(suite) {
    const ids = await ofDocument(suite);
    await uploadVersion(suite.testApp, ids.documentId, Buffer.from('second'));
    return { request: { ...ids, version: 1 }, target: ids.documentId };
  },

  async 'FolderService.CreateFolder'({ testApp }) {
    const request = { name: unique(), workspaceId: testApp.env.WORKSPACE_ID };
    return { request, target: ({ folder }) => folder?.id };
  },

  async 'FolderService.UpdateFolder'(suite) {
    const ids = await ofFolder(suite);
    return { request: { ...ids, name: unique() }, target: ids.folderId };
  },

  async 'FolderService.DeleteFolder'(suite) {
    const ids = await ofFolder(suite);
    return { request: ids, target: ids.folderId };
  },

  async 'LinkService.CreateLink'(suite) {
    return { request: await ofDocument(suite), target: ({ link }) => link?.id };
  },

  async 'LinkService.BatchCreateLinks'(suite) {
    const { workspaceId, documentId } = await ofDocument(suite);
    const requests = [{ documentId, recipient: 'ann@example.com' }];
    const target = ({ links }: Answer) => (links as unknown as { id: string }[])[0]?.id;
    return { request: { workspaceId, requests }, target };
  },

  async 'LinkService.UpdateLink'(suite) {
    const ids = await ofLink(suite);
    return { request: { ...ids, emailRequired: true }, target: ids.linkId };
  },

  async 'LinkService.BatchUpdateLinks'(suite) {
    const { workspaceId, linkId } = await ofLink(suite);
    const requests = [{ linkId, name: 'Renamed', updateMask: { paths: ['name'] } }];
    return { request: { workspaceId, requests }, target: linkId };
  },

  async 'VisitorService.DeleteVisitor'(suite) {
    const { id, ...request } = await ofVisitor(suite);
    return { request, target: id };
  },

  async 'LinkService.RevokeLink'(suite) {
    const ids = await ofLink(suite);
    return { request: ids, target: ids.linkId };
  },

  async 'LinkService.BatchRevokeLinks'(suite) {
    const { workspaceId, linkId } = await ofLink(suite);
    return { request: { workspaceId, ids: [linkId] }, target: linkId };
  },
};

async function ofVisitor(suite: Place) {
  const { id } = await upload(suite.testApp, Buffer.from('bytes'));
  const link = await makeLink(suite.testApp, id, { email_required: true });
  const email = `${id.toLowerCase()}@example.com`;
  await openLink(link, email);
  const { body } = await callSharingApi<{ id: string }>(suite.testApp, 'GET', `/visitors/${email}`);
  return { email, id: body.id, workspaceId: suite.testApp.env.WORKSPACE_ID };
}

/** Successful calls of public methods that revoke something. */
export const publicActions: typeof managementActions = {
  async 'OAuthService.Revoke'({ app }) {
    const { ownerId, text } = await addClient(app.inside.db, 'audit:read');
    const token = await signToken(app, { type: 'service', scope: 'audit:read', sub: ownerId });
    const request = { token, clientId: ownerId, clientSecret: text };
    return { request, target: ownerId };
  },
};

/** Only one call leaves a key behind, because the number of published keys is limited. */
async function makeRoomForKey(suite: Place) {
  const keys = keyManager(
    () => suite.app,
    () => suite.transport('grpc'),
  );
  for (const { kid, state } of await keys.list()) {
    if (state === SigningKeyState.PENDING) signingKeyOf(await keys.revoke(kid));
  }
  return keys;
}

async function ofDocument({ testApp }: Place) {
  const { id } = await upload(testApp, Buffer.from('bytes'));
  return { documentId: id, workspaceId: testApp.env.WORKSPACE_ID };
}

const unique = () => `Folder ${randomBytes(6).toString('hex')}`;

async function ofFolder({ testApp }: Place) {
  const { id } = await makeFolder(testApp, unique());
  return { folderId: id, workspaceId: testApp.env.WORKSPACE_ID };
}

async function ofLink(suite: Place) {
  const { documentId, workspaceId } = await ofDocument(suite);
  const { id } = await makeLink(suite.testApp, documentId);
  return { linkId: id, workspaceId };
}
