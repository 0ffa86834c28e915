// The names in the audit log, and who reads them.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { AuditService } from '../../gen/latchkey/identity/v1/audit_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { newId } from '../../src/base/crypto/ids.ts';
import type { AuditEventRow } from '../../src/storage/schema/schema.ts';
import { describeApp, type Suite } from '../support/app-suite.ts';
import { auditEventRow } from '../support/audit-rows.ts';
import { addInvitation } from '../support/invitation-rows.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { credentialFor } from '../support/member-rows.ts';
import { addClient, addCustomer, addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callSharingApi, keyOf, makeLink, upload } from '../support/sharing-api.ts';
import { addSession, addUser } from '../support/user-rows.ts';

const { listAuditEvents } = AuditService.method;

type Parent = { readonly id: string; readonly name: string };

type NamedTarget = {
  readonly id: string;
  readonly name: string;
  /** The scope that shows the name and the parents. */
  readonly scope: string;
  readonly parents: readonly Parent[];
};

const kinds = [
  'client',
  'client secret',
  'customer',
  'API key of a customer',
  'user',
  'user without a name',
  'session',
  'workspace',
  'invitation',
  'document',
  'link',
  'API key of a workspace',
] as const;

type Kind = (typeof kinds)[number];

/** Newer than the events of the calls that create the targets. */
const row = (fields: Partial<AuditEventRow>) =>
  auditEventRow({ create_time: Date.now() + 60_000, ...fields });

async function addTargets({ app, testApp }: Suite): Promise<Record<Kind, NamedTarget>> {
  const { db } = app.inside;
  const client = await addClient(db, '');
  const customer = await addCustomer(db, '');
  const workspace = await addWorkspace(db, '');
  const user = await addUser(db, { name: 'Jane Doe' });
  const nameless = await addUser(db, { name: '', email: 'nameless@example.com' });
  const session = await addSession(db, user.id);
  const invitation = await addInvitation(testApp, 'grace@example.com', workspace.ownerId);
  const document = await upload(testApp, Buffer.from('plan'), 'Plan.bin');
  const link = await makeLink(testApp, document.id, { name: 'For the board' });
  const { name: demo } = await db
    .selectFrom('workspaces')
    .select('name')
    .where('id', '=', testApp.env.WORKSPACE_ID)
    .executeTakeFirstOrThrow();
  const clientName = { id: client.ownerId, name: 'Test client' };
  const customerName = { id: customer.ownerId, name: 'Test customer' };
  const workspaceName = { id: workspace.ownerId, name: 'Test workspace' };
  const demoName = { id: testApp.env.WORKSPACE_ID, name: demo };
  const documentName = { id: document.id, name: 'Plan.bin' };
  const userName = { id: user.id, name: 'Jane Doe' };
  const credential = { name: 'Test credential' };
  return {
    client: { ...clientName, scope: 'clients:read', parents: [] },
    'client secret': {
      ...{ ...credential, id: client.credentialId, scope: 'clients:write' },
      parents: [clientName],
    },
    customer: { ...customerName, scope: 'customers:read', parents: [] },
    'API key of a customer': {
      ...{ ...credential, id: customer.credentialId, scope: 'customers:write' },
      parents: [customerName],
    },
    user: { ...userName, scope: 'users:read', parents: [] },
    'user without a name': {
      ...{ id: nameless.id, name: 'nameless@example.com', scope: 'users:read', parents: [] },
    },
    session: { id: session.id, name: '', scope: 'users:read', parents: [userName] },
    workspace: { ...workspaceName, scope: 'workspaces:read', parents: [] },
    invitation: {
      ...{ id: invitation.id, name: 'grace@example.com', scope: 'workspaces:read' },
      parents: [workspaceName],
    },
    document: { ...documentName, scope: 'documents:read', parents: [demoName] },
    link: {
      ...{ id: link.id, name: 'For the board', scope: 'links:read' },
      parents: [documentName, demoName],
    },
    'API key of a workspace': {
      ...{ ...credential, id: workspace.credentialId, scope: 'api_keys:read' },
      parents: [workspaceName],
    },
  };
}

/** The scope that shows the name of a parent, by the prefix of its id. */
const parentScopes: Record<string, string> = {
  cli: 'clients:read',
  cus: 'customers:read',
  usr: 'users:read',
  ws: 'workspaces:read',
  doc: 'documents:read',
};

const scopeOfParent = ({ id }: Parent) => parentScopes[id.split('_')[0] ?? ''];

const everyScope = managementScopes.join(' ');
const allBut = (...scopes: (string | undefined)[]) =>
  managementScopes.filter((scope) => !scopes.includes(scope)).join(' ');

describeApp('the names in the audit log', (suite) => {
  let targets: Record<Kind, NamedTarget>;
  beforeAll(async () => {
    targets = await addTargets(suite);
    const rows = Object.values(targets).map(({ id }) => row({ target: id, actor_id: id }));
    await suite.app.inside.db.insertInto('audit_events').values(rows).execute();
  });

  const addEvent = (fields: Partial<AuditEventRow>) =>
    suite.app.inside.db.insertInto('audit_events').values(row(fields)).execute();

  describeOneTransport(suite, (transport) => {
    const call = suite.callsThrough(transport);
    async function named(target: string, scope: string, type: 'staff' | 'service' = 'staff') {
      const credential = await credentialFor(suite.testApp, { type, scope });
      const { events } = messageOf(await call(listAuditEvents, { target }, credential));
      const [event] = events;
      expect(event?.target).toBe(target);
      const parents = event?.targetParents.map(({ id, name }) => ({ id, name }));
      return { actor: event?.actorName, target: event?.targetName, parents };
    }

    itHoldsFor(kinds, 12)('name each kind of target', async (kind) => {
      const { id, name, parents } = targets[kind];
      expect(await named(id, everyScope)).toEqual({ actor: name, target: name, parents });
    });

    itHoldsFor(kinds, 12)('do not name a target without the scope of its list', async (kind) => {
      const { id, scope } = targets[kind];
      const nothing = { actor: '', target: '', parents: [] };
      expect(await named(id, allBut(scope))).toEqual(nothing);
      expect(await named(id, 'audit:read')).toEqual(nothing);
    });

    itHoldsFor(kinds, 12)(
      'name a target with this scope alone, but not its parents',
      async (kind) => {
        const { id, name, scope, parents } = targets[kind];
        const own = parents.map((parent) => ({
          ...parent,
          name: scopeOfParent(parent) === scope ? parent.name : '',
        }));
        const expected = { actor: name, target: name, parents: own };
        expect(await named(id, `audit:read ${scope}`)).toEqual(expected);
      },
    );

    itHoldsFor(kinds, 12)('name a target to a client that may list it', async (kind) => {
      const { id, name, parents } = targets[kind];
      const found = await named(id, everyScope, 'service');
      // No client may list the API keys of a workspace.
      expect(found).toEqual(
        kind === 'API key of a workspace'
          ? { actor: '', target: '', parents: [] }
          : { actor: name, target: name, parents },
      );
    });

    it('show a link without a name by its document, if the caller may read it', async () => {
      const { id } = await makeLink(suite.testApp, targets.document.id);
      await addEvent({ target: id });
      expect(await named(id, everyScope)).toMatchObject({ target: 'Plan.bin' });
      expect(await named(id, allBut('documents:read'))).toMatchObject({
        target: '',
        parents: [{ name: '' }, {}],
      });
    });

    it('do not contain a deleted document, nor its links', async () => {
      const document = await upload(suite.testApp, Buffer.from('gone'), 'Gone.bin');
      const link = await makeLink(suite.testApp, document.id, { name: 'Gone' });
      const { status } = await callSharingApi(suite.testApp, 'DELETE', `/documents/${document.id}`);
      expect(status).toBe(200);
      for (const id of [document.id, link.id]) {
        expect(await named(id, everyScope)).toMatchObject({ target: '', parents: [] });
      }
    });

    it('name a revoked link', async () => {
      const link = await makeLink(suite.testApp, targets.document.id, { name: 'Revoked' });
      await callSharingApi(suite.testApp, 'DELETE', `/links/${link.id}`);
      expect(await named(link.id, everyScope)).toMatchObject({ target: 'Revoked' });
    });

    it('are empty for an unknown id, and for a text that is not an id', async () => {
      for (const target of [newId('doc', randomBytes), 'cli_', 'doc', '_', "' or 1=1 --"]) {
        await addEvent({ target });
        expect(await named(target, everyScope)).toEqual({ actor: '', target: '', parents: [] });
      }
    });

    it('contain no characters that disguise them', async () => {
      const { id } = await addUser(suite.app.inside.db, { name: 'Jane\r\n\u202eeoD\u0007\t' });
      await addEvent({ target: id });
      expect(await named(id, everyScope)).toMatchObject({ target: 'JaneeoD' });
    });

    it('are not returned to members, customers and API keys of a workspace', async () => {
      const types = ['member', 'customer'] as const;
      const scope = everyScope;
      const tokens = types.map((type) => credentialFor(suite.testApp, { type, scope }));
      for (const credential of [...(await Promise.all(tokens)), keyOf(suite.testApp)]) {
        const answer = await call(listAuditEvents, { target: targets.document.id }, credential);
        expect(answer).toMatchObject({ ok: false });
        expect(JSON.stringify(answer)).not.toContain('Plan');
      }
    });
  });
});
