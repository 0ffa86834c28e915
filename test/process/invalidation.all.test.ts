// Two processes on one database and one folder: the second rejects within a second what the first
// has revoked.
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CredentialState } from '../../gen/latchkey/identity/v1/credential_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { ApiKeyService } from '../../gen/latchkey/sharing/v1/api_key_pb.js';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { cookieOf } from '../support/gated-document.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { describeDialects } from '../support/matrix.ts';
import { type Added, addClient, addCustomer } from '../support/owner-rows.ts';
import { publicUrl, startProgramPair } from '../support/program-pair.ts';
import { itHoldsFor } from '../support/rule.ts';
import { bearer } from '../support/sharing-api.ts';
import type { Transport, TransportAnswer } from '../support/transports.ts';
import { useStarted } from '../support/use-started.ts';
import { addUser } from '../support/user-rows.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const { issueToken, exchangeApiKey } = IssuanceService.method;
const { verifyToken } = VerificationService.method;
const { signIn } = SessionService.method;
const clients = ClientService.method;
const customers = CustomerService.method;
const keys = ApiKeyService.method;
const { listDocuments, deleteDocument } = DocumentService.method;
const { createLink, updateLink, revokeLink } = LinkService.method;
const { putMember, removeMember } = WorkspaceService.method;

const credentialInvalid = 'identity.credential_invalid';

type Process = 0 | 1;
type Change = Promise<TransportAnswer<unknown>>;
/** The answers of a process before and after a change by the first one. */
type Case = {
  readonly read: (process: Process) => Promise<unknown>;
  readonly before?: unknown;
  readonly change: () => Change;
  readonly after: unknown;
};

describeDialects('a process', (dialect) => {
  const pair = useStarted(() => startProgramPair(dialect));
  const manage: Transport['call'] = (...call) => pair.manage(...call);

  /** Whether the credential of a client or customer still yields a token. */
  const tokenAt = async (process: Process, kind: string, { ownerId, text }: Added) => {
    const request = { clientId: ownerId, clientSecret: text, scope: 'payments:read' };
    const transport = pair.transports[process];
    return kind === 'client'
      ? codeOf(await transport.call(issueToken, request))
      : codeOf(await transport.call(exchangeApiKey, { apiKey: text }));
  };
  const token =
    (kind: 'client' | 'customer', change: (of: Added) => Change, after = credentialInvalid) =>
    async (): Promise<Case> => {
      const scopes = 'payments:read payments:write';
      const added = await (kind === 'client'
        ? addClient(pair.db, scopes)
        : addCustomer(pair.db, scopes));
      const read = (process: Process) => tokenAt(process, kind, added);
      return { read, change: () => change(added), after };
    };

  async function makeKey() {
    const { workspaceId } = pair;
    const scopes = ['documents:read', 'documents:write', 'links:read', 'links:write'];
    const request = { workspaceId, name: 'A key', scopes };
    const { key, apiKey } = messageOf(await manage(keys.createApiKey, request));
    return { ids: { workspaceId, keyId: key?.id ?? '' }, credential: bearer(apiKey) };
  }
  type KeyIds = Awaited<ReturnType<typeof makeKey>>['ids'];
  const listsAt = async (process: Process, credential: { authorization: string }) =>
    codeOf(await pair.transports[process].call(listDocuments, {}, credential));
  const key = (change: (ids: KeyIds) => Change) => async (): Promise<Case> => {
    const { ids, credential } = await makeKey();
    const read = (process: Process) => listsAt(process, credential);
    return { read, change: () => change(ids), after: 'unauthenticated' };
  };

  async function member(): Promise<Case> {
    const { workspaceId } = pair;
    const password = 'a long enough password';
    const { id: userId, email } = await addUser(pair.db, { kind: 'member', password });
    messageOf(await manage(putMember, { workspaceId, userId, role: MemberRole.MEMBER }));
    const signedIn = await pair.transports[1].call(signIn, { email, password });
    const credential = bearer(messageOf(signedIn).accessToken);
    await expect.poll(() => listsAt(1, credential)).toBe('ok');
    return {
      read: (process) => listsAt(process, credential),
      change: () => manage(removeMember, { workspaceId, userId }),
      after: 'forbidden',
    };
  }

  /** A document with a link, and the status of each in a process. */
  async function share() {
    const { credential, ids } = await makeKey();
    const { workspaceId } = ids;
    const body = new FormData();
    body.set('file', new Blob(['%PDF-1.7']), 'a.pdf');
    const route = '/api/v1/documents';
    const sent = { method: 'POST', headers: credential, body };
    const uploaded = await fetch(pair.origins[0] + route, sent);
    const { id: documentId } = (await uploaded.json()) as { id: string };
    const created = await pair.transports[0].call(createLink, { documentId }, credential);
    const { link } = messageOf(created);
    const path = (link?.url ?? '').slice(publicUrl.length);
    const cookie = cookieOf(await fetch(pair.origins[0] + path));
    const statusOf = async (process: Process, target: string, init: RequestInit) => {
      const answer = await fetch(pair.origins[process] + target, init);
      await answer.arrayBuffer();
      return answer.status;
    };
    return {
      ids: {
        document: { workspaceId, documentId },
        link: { workspaceId, linkId: link?.id ?? '' },
      },
      fileOfLink: (process: Process) => statusOf(process, `${path}/file`, { headers: { cookie } }),
      // A HEAD request does not read the bytes, which are gone at once.
      document: (process: Process) =>
        statusOf(process, `${route}/${documentId}/file`, { method: 'HEAD', headers: credential }),
    };
  }
  type Ids = Awaited<ReturnType<typeof share>>['ids'];
  const shared =
    (what: 'fileOfLink' | 'document', after: number, change: (ids: Ids) => Change) =>
    async (): Promise<Case> => {
      const { ids, [what]: read } = await share();
      return { read, before: 200, change: () => change(ids), after };
    };

  async function tokenOfClient(): Promise<Case> {
    const { ownerId: clientId, text: clientSecret } = await addClient(pair.db, 'payments:read');
    const request = { clientId, clientSecret, scope: 'payments:read' };
    const issued = await pair.transports[1].call(issueToken, request);
    const { accessToken } = messageOf(issued);
    const scope = 'tokens:read';
    const checker = await addClient(pair.db, scope);
    const own = { clientId: checker.ownerId, clientSecret: checker.text, scope };
    const credential = bearer(
      messageOf(await pair.transports[0].call(issueToken, own)).accessToken,
    );
    const read = async (process: Process) => {
      const verified = await pair.transports[process].call(
        verifyToken,
        { token: accessToken },
        credential,
      );
      return messageOf(verified).active;
    };
    const change = () => manage(clients.disableClient, { clientId });
    return { read, before: true, change, after: false };
  }

  async function accountsOfCustomer(): Promise<Case> {
    const accounts = ['acc_1', 'acc_2'];
    const added = await addCustomer(pair.db, 'payments:read', { accounts });
    const { ownerId: customerId, text: apiKey } = added;
    const read = async (process: Process) => {
      const answer = await pair.transports[process].call(exchangeApiKey, { apiKey });
      return decodeJwt(messageOf(answer).accessToken).accounts;
    };
    const change = () => manage(customers.putAccounts, { customerId, accountIds: ['acc_2'] });
    return { read, before: accounts, change, after: ['acc_2'] };
  }

  const cases: [what: string, arrange: () => Promise<Case>][] = [
    [
      'a revoked secret',
      token('client', ({ ownerId: clientId, credentialId: secretId }) =>
        manage(clients.revokeClientSecret, { clientId, secretId }),
      ),
    ],
    [
      'a secret that was rotated without an overlap',
      token('client', ({ ownerId: clientId }) =>
        manage(clients.rotateClientSecret, { clientId, overlapSeconds: 0 }),
      ),
    ],
    [
      "a disabled client's secret",
      token('client', ({ ownerId: clientId }) => manage(clients.disableClient, { clientId })),
    ],
    [
      'a removed scope',
      token(
        'client',
        ({ ownerId: clientId }) =>
          manage(clients.updateClient, { clientId, scopes: ['payments:write'] }),
        'identity.scope_not_granted',
      ),
    ],
    [
      'a revoked key of a customer',
      token('customer', ({ ownerId: customerId, credentialId: keyId }) =>
        manage(customers.revokeApiKey, { customerId, keyId }),
      ),
    ],
    [
      'a key of a customer that was rotated without an overlap',
      token('customer', ({ ownerId: customerId, credentialId: keyId }) =>
        manage(customers.rotateApiKey, { customerId, keyId, overlapSeconds: 0 }),
      ),
    ],
    [
      "a disabled customer's key",
      token('customer', ({ ownerId: customerId }) =>
        manage(customers.disableCustomer, { customerId }),
      ),
    ],
    ['the token of a disabled client', tokenOfClient],
    ['a removed account', accountsOfCustomer],
    ['a revoked key', key((ids) => manage(keys.revokeApiKey, ids))],
    [
      'a key that was rotated without an overlap',
      key((ids) => manage(keys.rotateApiKey, { ...ids, overlapSeconds: 0 })),
    ],
    ['a removed member', member],
    ['a revoked link', shared('fileOfLink', 410, (ids) => manage(revokeLink, ids.link))],
    [
      'a link with another gate',
      shared('fileOfLink', 403, (ids) => manage(updateLink, { ...ids.link, emailRequired: true })),
    ],
    [
      'a link to a deleted document',
      shared('fileOfLink', 404, (ids) => manage(deleteDocument, ids.document)),
    ],
    ['a deleted document', shared('document', 404, (ids) => manage(deleteDocument, ids.document))],
  ];
  itHoldsFor(cases, 16)(
    'refuses at once, and the other one within a second',
    async (_, arrange) => {
      const { read, before = 'ok', change, after } = await arrange();
      // Both processes cache it from now on.
      for (const process of [0, 1, 1] as const) expect(await read(process)).toEqual(before);

      expect(await change()).toMatchObject({ ok: true });

      expect(await read(0)).toEqual(after);
      await expectWithinOneSecond(pair.db, () => read(1), after);
    },
  );

  it('loses no secret if both rotate at once', async () => {
    const { ownerId: clientId, text: clientSecret } = await addClient(pair.db, 'clients:write');
    const issued = { clientId, clientSecret, scope: 'clients:write' };
    const answer = await pair.transports[0].call(issueToken, issued);
    const credential = bearer(messageOf(answer).accessToken);
    const { ownerId } = await addClient(pair.db, 'payments:read');
    const request = { clientId: ownerId };
    const rotate = async (process: Process) => {
      for (;;) {
        const rotated = await pair.transports[process].call(
          clients.rotateClientSecret,
          request,
          credential,
        );
        // The other process may keep an SQLite file busy for as long as the machine delays it.
        if (codeOf(rotated) !== 'unavailable') return rotated;
      }
    };

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => rotate(i % 2 === 0 ? 0 : 1)),
    );

    expect(new Set(answers.map(codeOf))).toEqual(new Set(['ok', 'conflict']));
    const made = answers.flatMap((one) => (one.ok ? [one.message.clientSecret] : []));
    expect(made).toHaveLength(9);
    const { secrets } = messageOf(await manage(clients.listClientSecrets, request));
    expect(secrets.filter(({ state }) => state === CredentialState.LIVE)).toHaveLength(10);
    for (const text of made) {
      const added = { ownerId, credentialId: '', text };
      for (const process of [0, 1] as const)
        expect(await tokenAt(process, 'client', added)).toBe('ok');
    }
  });
});
