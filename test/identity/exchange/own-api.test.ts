// Exchanged tokens at the API of the service itself.
import { beforeAll, expect, it } from 'vitest';
import { AuditService } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { describeAppOnSqlite } from '../../support/app-suite.ts';
import { codeOf, managerCredential, messageOf } from '../../support/manager-calls.ts';
import { addMember } from '../../support/member-rows.ts';
import { type Added, addClient } from '../../support/owner-rows.ts';
import { bearer } from '../../support/sharing-api.ts';
import { signToken } from '../../support/signed-tokens.ts';
import { exchangedToken } from '../../support/token-exchange.ts';

const memberScopes = 'documents:read links:read workspaces:read workspaces:write';
const scopes = `${memberScopes} clients:write`;

describeAppOnSqlite('an agent that acts for a person', (suite) => {
  let agent: Added;
  let workspaceId: string;
  let userId: string;
  let delegated: { readonly authorization: string };
  const call = suite.callsThrough('http', () => delegated);

  beforeAll(async () => {
    const { app, testApp } = suite;
    agent = await addClient(app.inside.db, scopes, { mayAct: ['member', 'staff'] });
    workspaceId = testApp.env.WORKSPACE_ID;
    userId = await addMember(app.inside.db, workspaceId, 'owner');
    const token = await signToken(app, {
      ...{ type: 'member', sub: userId },
      scope: memberScopes,
    });
    delegated = bearer(await exchangedToken(app, agent, token));
  });

  it('reads the documents of the person', async () => {
    expect(codeOf(await call(DocumentService.method.listDocuments, { workspaceId }))).toBe('ok');
    const other = { workspaceId: 'ws_other' };
    expect(codeOf(await call(DocumentService.method.listDocuments, other))).toBe('forbidden');
  });

  it('is named in the audit event of a change', async () => {
    const request = { workspaceId, name: 'Renamed' };
    expect(codeOf(await call(WorkspaceService.method.updateWorkspace, request))).toBe('ok');
    const reader = await managerCredential(suite.app, 'audit:read');
    const filter = { actor: userId };
    const { listAuditEvents } = AuditService.method;
    const { events } = messageOf(await call(listAuditEvents, filter, reader));
    expect(events[0]).toMatchObject({
      ...{ actor: userId, actorType: 'member', actingClient: agent.ownerId },
      action: 'WorkspaceService.UpdateWorkspace',
    });
  });

  it('cannot use the account or the session of the person', async () => {
    const password = 'correct horse battery staple';
    const { getNotices, markNoticesRead } = InsightService.method;
    expect(codeOf(await call(getNotices, { workspaceId }))).toBe('ok');
    const calls = [
      await call(UserService.method.getUser, { userId }),
      await call(UserService.method.updateUser, { userId, name: 'Agent' }),
      await call(UserService.method.setPassword, { userId, password, currentPassword: password }),
      await call(UserService.method.enrolTotp, { userId }),
      await call(SessionService.method.signOut, {}),
      // Although the token has the scopes of these two.
      await call(WorkspaceService.method.leaveWorkspace, { workspaceId }),
      await call(markNoticesRead, { workspaceId }),
      // The scope of the member's token does not include it.
      await call(ClientService.method.createClient, { name: 'Mine', scopes: [] }),
    ];
    expect(calls.map(codeOf)).toEqual(calls.map(() => 'forbidden'));
  });

  it('cannot do what requires a recent sign-in of the person', async () => {
    const token = await signToken(suite.app, { type: 'staff', scope: 'clients:write' });
    const { createClient } = ClientService.method;
    const request = { name: 'Mine', scopes: [] };
    expect(codeOf(await call(createClient, request, bearer(token)))).toBe('ok');
    const own = bearer(await exchangedToken(suite.app, agent, token));
    expect(codeOf(await call(createClient, request, own))).toBe('step_up_required');
  });
});
