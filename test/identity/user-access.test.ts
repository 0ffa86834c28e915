import { expect, it } from 'vitest';
import { AudienceService } from '../../gen/latchkey/identity/v1/audience_pb.js';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { IdentityProviderService } from '../../gen/latchkey/identity/v1/provider_pb.js';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { TrustedIssuerService } from '../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { UserAccessService } from '../../gen/latchkey/identity/v1/user_access_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { ApiKeyService } from '../../gen/latchkey/sharing/v1/api_key_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { allScopes, useAdministrator } from '../support/administrator.ts';
import { describeApp } from '../support/app-suite.ts';
import { allRows, backgroundTables, withFailingAuditLog } from '../support/audit-rows.ts';
import { makePublicJwk } from '../support/client-keys.ts';
import { addInvitation } from '../support/invitation-rows.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { describeTransports } from '../support/matrix.ts';
import { addClient } from '../support/owner-rows.ts';
import { addPasskeyRow } from '../support/passkeys.ts';
import { addIdentity, newProvider, removeProviders } from '../support/provider-rows.ts';
import { upload } from '../support/sharing-api.ts';
import type { TransportAnswer } from '../support/transports.ts';
import { addTotp, addUser } from '../support/user-rows.ts';

const { getUserAccess, revokeAllAccess } = UserAccessService.method;
const { createClient, createClientSecret, createClientKey } = ClientService.method;
const { createCustomer, createApiKey: createCustomerKey } = CustomerService.method;

const scope = allScopes;
const password = 'the lantern of a leaver';

describeApp('all access of a user', (suite) => {
  const db = () => suite.app.inside.db;
  const { admin, caller } = useAdministrator(suite);
  const eventsOf = (userId: string) =>
    db()
      .selectFrom('audit_events')
      .select(['reason', 'target'])
      .where('action', '=', 'UserAccessService.RevokeAllAccess')
      .where('target', '=', userId)
      .execute();

  describeTransports(suite, (name) => {
    const call = suite.callsThrough(name, admin);
    const codeFrom = (answer: Promise<TransportAnswer<unknown>>) => answer.then(codeOf);
    const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

    /** A staff user with every kind of access, and a check for each kind that can be tried. */
    async function aLeaver() {
      const user = await addUser(db(), { kind: 'staff', scopes: scope, password });
      const own = await caller(user.id);
      const workspaceId = suite.testApp.env.WORKSPACE_ID;
      const document = await upload(suite.testApp, Buffer.from('a'), 'a.txt');
      const made = messageOf(
        await call(createClient, { name: 'Reports', scopes: ['payments:read'] }, own),
      );
      const clientId = made.client?.id ?? '';
      const shared = await addClient(db(), 'payments:read');
      const added = messageOf(await call(createClientSecret, { clientId: shared.ownerId }, own));
      const jwk = makePublicJwk();
      messageOf(await call(createClientKey, { clientId, jwk, name: 'Laptop' }, own));
      const { customer } = messageOf(await call(createCustomer, { name: 'Acme' }, own));
      const customerKey = messageOf(
        await call(
          createCustomerKey,
          { customerId: customer?.id ?? '', scopes: ['accounts:read'] },
          own,
        ),
      );
      const workspaceKey = messageOf(
        await call(
          ApiKeyService.method.createApiKey,
          { workspaceId, name: 'CI', scopes: ['links:read'] },
          own,
        ),
      );
      const { link } = messageOf(
        await call(LinkService.method.createLink, { workspaceId, documentId: document.id }, own),
      );
      const email = `friend-of-${user.id}@example.com`.toLowerCase();
      const invitation = { workspaceId, email, role: MemberRole.MEMBER };
      messageOf(await call(WorkspaceService.method.createInvitation, invitation, own));
      await addInvitation(suite.testApp, user.email);
      await addPasskeyRow(db(), user.id);
      await removeProviders(db());
      await addIdentity(db(), user.id);
      const { createIdentityProvider } = IdentityProviderService.method;
      messageOf(await call(createIdentityProvider, newProvider(), own));
      const issuer = { issuer: `urn:${user.id}`, jwks: { keys: [makePublicJwk()] } };
      messageOf(await call(TrustedIssuerService.method.createTrustedIssuer, issuer, own));
      const audience = { identifier: `urn:${user.id}`, name: 'Ledger' };
      messageOf(await call(AudienceService.method.createAudience, audience, own));
      const issue = (id: string, clientSecret: string) =>
        codeFrom(
          call(
            IssuanceService.method.issueToken,
            { clientId: id, clientSecret, scope: 'payments:read' },
            {},
          ),
        );
      const { email: address, id } = user;
      const tries: Readonly<Record<string, () => Promise<string>>> = {
        session: () => codeFrom(call(UserService.method.getUser, { userId: id }, own)),
        password: () =>
          codeFrom(call(SessionService.method.signIn, { email: address, password }, {})),
        clientSecret: () => issue(clientId, made.clientSecret),
        addedSecret: () => issue(shared.ownerId, added.clientSecret),
        customerKey: () =>
          codeFrom(call(IssuanceService.method.exchangeApiKey, { apiKey: customerKey.apiKey }, {})),
        workspaceKey: () =>
          codeFrom(call(LinkService.method.listLinks, {}, bearer(workspaceKey.apiKey))),
        link: async () => String((await fetch(link?.url ?? '')).status),
      };
      const tryAll = async () => {
        const codes: Record<string, string> = {};
        for (const [kind, run] of Object.entries(tries)) codes[kind] = await run();
        return codes;
      };
      const other = () => issue(shared.ownerId, shared.text);
      return { id, own, tryAll, other, link };
    }

    const counts = (access: object) =>
      Object.fromEntries(
        Object.entries(access).flatMap(([kind, list]) =>
          list?.totalSize > 0 ? [[kind, list.totalSize]] : [],
        ),
      );
    /** No part ends them. */
    const kept = { identityProviders: 1, trustedIssuers: 1, audiences: 1 };
    const all = {
      // One of the credential, and one of the sign-in.
      sessions: 2,
      ...{ passkeys: 1, identities: 1, clientSecrets: 2, clientKeys: 1, customerKeys: 1 },
      ...{ workspaceKeys: 1, links: 1, sentInvitations: 1, receivedInvitations: 1 },
    };

    it('ends with one call, and the resources of others stay', async () => {
      const leaver = await aLeaver();
      const { id: userId } = leaver;
      expect(await leaver.tryAll()).toEqual({
        ...{ session: 'ok', password: 'ok', clientSecret: 'ok', addedSecret: 'ok' },
        ...{ customerKey: 'ok', workspaceKey: 'ok', link: '200' },
      });
      await addTotp(suite.testApp, userId);
      const { access } = messageOf(await call(getUserAccess, { userId }));
      expect(counts(access ?? {})).toEqual({ ...all, ...kept });
      expect(access?.identityProviders?.items).toMatchObject([{ name: 'Acme' }]);
      expect(access).toMatchObject({ passwordEnabled: true, totpEnabled: true });
      expect(access?.links?.items[0]).toMatchObject({
        id: leaver.link?.id,
        parents: [{ name: 'a.txt' }, { id: suite.testApp.env.WORKSPACE_ID }],
      });

      const answer = messageOf(await call(revokeAllAccess, { userId }));

      const failed = 'identity.credential_invalid';
      expect(await leaver.tryAll()).toEqual({
        ...{ session: 'unauthenticated', password: failed, clientSecret: failed },
        ...{ addedSecret: failed, customerKey: failed, workspaceKey: 'unauthenticated' },
        link: '410',
      });
      expect(await leaver.other()).toBe('ok');
      expect(counts(answer.ended ?? {})).toEqual(all);
      expect(answer).toMatchObject({
        ...{ remainingTokenSeconds: 300, remainingClients: 1, remainingCustomers: 1 },
        ended: { passwordEnabled: true, totpEnabled: true },
      });
      const after = messageOf(await call(getUserAccess, { userId })).access;
      expect(after).toEqual(answer.remaining);
      expect(counts(after ?? {})).toEqual(kept);
      expect(after).toMatchObject({ scopes: [], passwordEnabled: false, totpEnabled: false });
      expect(after?.disableTime).toBeDefined();
      expect(await eventsOf(userId)).toEqual([
        { target: userId, reason: expect.stringContaining('client secrets 2') },
      ]);
    });

    it('is as it was after a call that only validates or whose event fails', async () => {
      const leaver = await aLeaver();
      const { id: userId } = leaver;
      // Read before the rows, because the sign-in of the check adds some.
      const works = await leaver.tryAll();
      const rows = await allRows(db(), backgroundTables);

      const validated = messageOf(await call(revokeAllAccess, { userId, validateOnly: true }));
      const broken = await withFailingAuditLog(db(), suite.dialect, () =>
        codeFrom(call(revokeAllAccess, { userId })),
      );

      expect(broken).not.toBe('ok');
      expect(await allRows(db(), backgroundTables)).toEqual(rows);
      expect(await eventsOf(userId)).toEqual([]);
      expect(await leaver.tryAll()).toEqual(works);
      expect(counts(validated.ended ?? {})).toMatchObject({ links: 1, clientSecrets: 2 });
      expect(counts(validated.remaining ?? {})).toEqual(kept);
    });
  });
});
