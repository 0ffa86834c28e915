// The tokens of audit events, with which an incident can be followed.
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { AuditService } from '../../gen/latchkey/identity/v1/audit_pb.js';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { auditEventsOf } from '../support/audit-rows.ts';
import { managerCredential, messageOf } from '../support/manager-calls.ts';
import { addClient, addCustomer } from '../support/owner-rows.ts';
import { keyOf, upload } from '../support/sharing-api.ts';
import { signToken } from '../support/signed-tokens.ts';
import { transportNames } from '../support/transports.ts';

const { issueToken, exchangeApiKey } = IssuanceService.method;
const { createClient } = ClientService.method;
const { createLink } = LinkService.method;
const { listAuditEvents } = AuditService.method;

describeApp('an audit event', (suite) => {
  const idOf = (token: string) => decodeJwt(token).jti ?? '';
  const bearerOf = (token: string) => ({ authorization: `Bearer ${token}` });

  it('has the id of the token of the call, by which the list finds its calls', async () => {
    const { db } = suite.app.inside;
    const client = await addClient(db, 'clients:write');
    const customer = await addCustomer(db, 'accounts:read');
    const created = 'ClientService.CreateClient';
    const list = async (tokenId: string) => {
      const credential = await managerCredential(suite.app, 'audit:read');
      const answer = await suite.transport('grpc').call(listAuditEvents, { tokenId }, credential);
      return messageOf(answer).events.map((event) => [event.tokenId, event.action, event.code]);
    };
    for (const name of transportNames) {
      const { call } = suite.transport(name);
      const issue = async () => {
        const scope = 'clients:write';
        const secret = { clientId: client.ownerId, clientSecret: client.text, scope };
        return messageOf(await call(issueToken, secret)).accessToken;
      };
      const [first, second] = [await issue(), await issue()];
      messageOf(await call(createClient, { name: 'One', scopes: [] }, bearerOf(first)));
      messageOf(await call(createClient, { name: 'Two', scopes: [] }, bearerOf(second)));
      messageOf(await call(createClient, { name: 'Three', scopes: [] }, bearerOf(second)));
      expect(await list(idOf(first))).toEqual([[idOf(first), created, 'ok']]);
      expect(await list(idOf(second))).toEqual([
        [idOf(second), created, 'ok'],
        [idOf(second), created, 'ok'],
      ]);
    }
    const { call } = suite.transport('http');
    const { accessToken } = messageOf(await call(exchangeApiKey, { apiKey: customer.text }));
    const staff = await signToken(suite.app, { type: 'staff', scope: 'audit:read' });
    for (const token of [accessToken, staff]) {
      const refused = await call(createClient, { name: 'No', scopes: [] }, bearerOf(token));
      expect(refused).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    }
    for (const token of [accessToken, staff]) {
      await expect.poll(() => list(idOf(token))).toEqual([[idOf(token), created, 'forbidden']]);
    }
  });

  it('of an API key of a workspace has no token', async () => {
    const { id } = await upload(suite.testApp, Buffer.from('text'), 'One.txt');
    const requestId = 'by-a-workspace-key';
    const credential = { requestId, ...keyOf(suite.testApp) };
    messageOf(await suite.transport('connect').call(createLink, { documentId: id }, credential));
    const events = await auditEventsOf(suite.app.inside.db, requestId);
    expect(events.map(({ token_id }) => token_id)).toEqual(['']);
  });
});
