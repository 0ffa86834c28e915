// Credentials that are revoked while the caller holds back the end of its request.

import { setTimeout as sleep } from 'node:timers/promises';
import { create, type DescMethod, type Message } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { ClientService } from '../gen/latchkey/identity/v1/client_pb.js';
import { DocumentService } from '../gen/latchkey/sharing/v1/document_pb.js';
import { LinkService } from '../gen/latchkey/sharing/v1/link_pb.js';
import { transact } from '../src/storage/database.ts';
import type { Executor } from '../src/storage/schema/schema.ts';
import { describeApp, type Suite } from './support/app-suite.ts';
import { allRows, auditEventsOf, backgroundTables } from './support/audit-rows.ts';
import { holdRequest } from './support/held-requests.ts';
import { describeTransports } from './support/matrix.ts';
import { callMethod } from './support/method-calls.ts';
import { addClient, addWorkspace, changeAsOtherProcess, revoke } from './support/owner-rows.ts';
import { itHoldsFor } from './support/rule.ts';
import { upload } from './support/sharing-api.ts';
import { signToken } from './support/signed-tokens.ts';
import { addUser } from './support/user-rows.ts';

type Held = {
  readonly authorization: string;
  readonly method: DescMethod;
  readonly message: Message;
  /** The caller's id in the audit log. */
  readonly actorId: string;
  readonly actorType: string;
  /** Disables the caller or revokes its key. */
  readonly end: (trx: Executor) => Promise<unknown>;
  /** A method without a body, to see whether the revocation has arrived. */
  readonly probe: DescMethod;
};

const createClient = (scopes: string[]) => ({
  method: ClientService.method.createClient,
  message: create(ClientService.method.createClient.input, { name: 'Held', scopes }),
  probe: ClientService.method.listClients,
});

const clientScopes = 'clients:read clients:write';
const keyScopes = 'documents:read links:write';

const callers: [string, (suite: Suite) => Promise<Held>][] = [
  [
    'a disabled user',
    async ({ app }) => {
      const { id } = await addUser(app.inside.db, { scopes: clientScopes });
      const token = await signToken(app, { type: 'staff', scope: clientScopes, sub: id });
      return {
        ...createClient(['clients:read']),
        authorization: `Bearer ${token}`,
        actorId: id,
        actorType: 'staff',
        end: (trx) =>
          trx.updateTable('users').set({ disable_time: Date.now() }).where('id', '=', id).execute(),
      };
    },
  ],
  [
    'a disabled client',
    async ({ app }) => {
      const { ownerId: id } = await addClient(app.inside.db, clientScopes);
      const token = await signToken(app, { type: 'service', scope: clientScopes, sub: id });
      return {
        ...createClient(['clients:read']),
        authorization: `Bearer ${token}`,
        actorId: id,
        actorType: 'service',
        end: (trx) =>
          trx
            .updateTable('clients')
            .set({ disable_time: Date.now() })
            .where('id', '=', id)
            .execute(),
      };
    },
  ],
  [
    'a revoked key',
    async ({ app, testApp }) => {
      const { db } = app.inside;
      const { credentialId: id, text, ownerId } = await addWorkspace(db, keyScopes);
      const document = await upload(testApp, Buffer.from('held'));
      await transact(db, async (trx) => {
        const moved = trx.updateTable('documents').set({ workspace_id: ownerId });
        await moved.where('id', '=', document.id).execute();
      });
      const method = LinkService.method.createLink;
      return {
        method,
        message: create(method.input, { documentId: document.id }),
        probe: DocumentService.method.listDocuments,
        authorization: `Bearer ${text}`,
        actorId: id,
        actorType: 'workspace_key',
        end: (trx) => revoke(trx, id),
      };
    },
  ],
];

/** Longer than a check may be old. */
const heldMs = 400;

describeApp('a request that the caller holds back', (suite) => {
  describeTransports(suite, (transport) => {
    itHoldsFor(callers, 3)(
      'whose caller has ended is refused and changes nothing',
      async (name, make) => {
        const { app } = suite;
        const { db } = app.inside;
        const held = await make(suite);
        const { authorization, method } = held;
        const requestId = `held-${transport}-${suite.dialect}-${name.replaceAll(' ', '-')}`;
        const credential = { authorization, requestId };
        const request = await holdRequest(app, transport, method, held.message, credential);
        await sleep(heldMs);
        await changeAsOtherProcess(db, held.end);
        const codeOfProbe = async () =>
          (await callMethod(app, 'http', { method: held.probe, authorization })).code;
        await expect.poll(codeOfProbe).toBe('unauthenticated');
        const before = await allRows(db, backgroundTables);

        expect(await request.finish()).toBe('unauthenticated');

        expect(await allRows(db, backgroundTables)).toEqual(before);
        await expect.poll(() => auditEventsOf(db, requestId)).toHaveLength(1);
        expect(await auditEventsOf(db, requestId)).toMatchObject([
          {
            action: `${method.parent.name}.${method.name}`,
            code: 'unauthenticated',
            actor_id: held.actorId,
            actor_type: held.actorType,
          },
        ]);
      },
    );

    itHoldsFor(
      callers,
      3,
      'together',
    )('is accepted if nothing has changed', async (_, make) => {
      const { authorization, method, message } = await make(suite);
      const request = await holdRequest(suite.app, transport, method, message, { authorization });
      await sleep(heldMs);
      expect(await request.finish()).toBe('ok');
    });
  });
});
