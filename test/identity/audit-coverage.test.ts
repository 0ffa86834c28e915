// Every management action records one event. The methods come from the descriptors, so a new method
// is covered without a new case.
import { type DescMethod, getOption, type Message, toJson } from '@bufbuild/protobuf';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { access as accessOption } from '../../gen/latchkey/options/v1/access_pb.js';
import {
  DocumentSchema,
  UploadDocumentRequestSchema,
} from '../../gen/latchkey/sharing/v1/document_pb.js';
import { methodFactsOf } from '../../src/api/endpoint.ts';
import { describeApp, type Suite } from '../support/app-suite.ts';
import { allRows, auditEventsOf, withFailingAuditLog } from '../support/audit-rows.ts';
import { openStreamTransports, type Piece } from '../support/document-streams.ts';
import { type ManagementAction, managementActions } from '../support/management-actions.ts';
import { describeOneTransport, type TransportName } from '../support/matrix.ts';
import { allMethods, callMethod, callMethodWithText } from '../support/method-calls.ts';
import { itHoldsFor } from '../support/rule.ts';
import { signToken } from '../support/signed-tokens.ts';
import type { Credential, TransportAnswer, UnaryMethod } from '../support/transports.ts';

/** Methods that are not marked NO_SIDE_EFFECTS although they change nothing. */
const noActions: Record<string, string> = {
  'VerificationService.VerifyToken':
    'it only reads; with the mark, clients would send the token in a URL',
  'SessionService.RefreshSession': 'it only continues a session that SignIn has recorded',
};

const nameOf = (method: DescMethod) => `${method.parent.name}.${method.name}`;

const withEffects = allMethods.filter((method) => {
  const { access, sideEffects } = methodFactsOf(method);
  return sideEffects && !access.public;
});
const actions = withEffects.filter((method) => !(nameOf(method) in noActions));
const named = actions.map((method): [string, DescMethod] => [nameOf(method), method]);

describe('the methods with side effects', () => {
  it('each have a case or a reason not to', () => {
    const known = [...Object.keys(managementActions), ...Object.keys(noActions)];
    expect(known.sort()).toEqual(withEffects.map(nameOf).sort());
  });
});

describeApp('the audit log', (suite) => {
  describeOneTransport(suite, (transport) => {
    itHoldsFor(named, 50)('has one event for a successful call', async (name, method) => {
      const { db } = suite.app.inside;
      const action = await actionOf(suite, name);
      const { credential, actor } = await callerOf(suite, method, action);
      const earliest = Date.now();

      const { answer, resources } = await call(
        suite,
        transport,
        method,
        action.request,
        credential,
      );

      expect(answer).toMatchObject({ ok: true });
      const { target } = action;
      const expected = typeof target === 'string' ? target : target(resources);
      expect(expected).toMatch(/./);
      const events = await auditEventsOf(db, credential.requestId);
      expect(events).toEqual([
        {
          id: expect.stringMatching(/^evt_[0-9A-Za-z]{22}$/),
          create_time: expect.any(Number),
          actor_type: action.callerType ?? 'service',
          actor_id: actor,
          action: name,
          target: expected,
          code: 'ok',
          count: 1,
          request_id: credential.requestId,
          address: '127.0.0.1',
        },
      ]);
      expect(events[0]?.create_time).toBeGreaterThanOrEqual(earliest);
      expect(events[0]?.create_time).toBeLessThanOrEqual(Date.now());
    });

    itHoldsFor(named, 50)(
      'rolls back a call whose event cannot be written',
      async (name, method) => {
        const { db } = suite.app.inside;
        const action = await actionOf(suite, name);
        const { credential } = await callerOf(suite, method, action);
        // Those of earlier calls could expire, and be deleted, during this one.
        await db.deleteFrom('throttle_counters').execute();
        const before = await stateOf(suite);

        const { answer } = await withFailingAuditLog(db, suite.dialect, () =>
          call(suite, transport, method, action.request, credential),
        );

        expect(answer).toMatchObject({ ok: false, error: { code: 'internal' } });
        expect(await stateOf(suite)).toEqual(before);
        expect(await auditEventsOf(db, credential.requestId)).toEqual([]);
        // Without the fault the same call succeeds.
        const again = await call(suite, transport, method, action.request, credential);
        expect(again.answer).toMatchObject({ ok: true });
      },
    );

    itHoldsFor(named, 50)('has no success event for a failed call', async (_, method) => {
      const { scope } = getOption(method, accessOption);
      const token = await signToken(suite.app, { type: 'service', scope });
      const before = await countDone(suite);

      const { code } = await callMethod(suite.app, transport, {
        method,
        authorization: `Bearer ${token}`,
        fields: { workspace_id: 'ws_none', document_id: 'doc_none' },
      });

      // A method without required fields succeeds here, too.
      expect(await countDone(suite)).toBe(before + (code === 'ok' ? 1 : 0));
    });
  });
});

/**
 * All rows that a change could affect, without the last-used times and the counters for release
 * 0.1, which are written later.
 */
async function stateOf({ app }: Suite): Promise<string[]> {
  const rows = await allRows(app.inside.db, ['audit_events', 'revisions', 'leases']);
  return rows.map((row) => row.replace(/"(last_used_time|revision)":\w+,?/, ''));
}

async function countDone({ app }: Suite): Promise<number> {
  const done = app.inside.db.selectFrom('audit_events').select('id').where('code', '=', 'ok');
  return (await done.execute()).length;
}

async function actionOf(suite: Suite, name: string): Promise<ManagementAction> {
  const prepare = managementActions[name];
  if (prepare === undefined) throw new Error(`no case for ${name}`);
  return prepare(suite);
}

let calls = 0;

async function callerOf({ app }: Suite, method: DescMethod, action: ManagementAction) {
  const { callerType: type = 'service', callerId: sub } = action;
  const { scope = getOption(method, accessOption).scope } = action;
  const token = await signToken(app, { type, scope, ...(sub === undefined ? {} : { sub }) });
  const credential = { authorization: `Bearer ${token}`, requestId: `audited-${++calls}` };
  return { credential, actor: decodeJwt(token).sub };
}

type Called = {
  answer: Pick<TransportAnswer<Message>, 'ok'> & { readonly error?: { readonly code: string } };
  resources: Record<string, Record<string, unknown>>;
};

async function call(
  suite: Suite,
  name: TransportName,
  method: DescMethod,
  request: Record<string, unknown>,
  credential: Credential,
): Promise<Called> {
  if (method.methodKind === 'unary') {
    const answer = await suite.transport(name).call(method as UnaryMethod, request, credential);
    return { answer, resources: answer.ok ? jsonOf(method.output, answer.message) : {} };
  }
  if (method.input.typeName !== UploadDocumentRequestSchema.typeName) {
    const { code } = await callMethodWithText(suite.app, name, {
      method,
      rest: request,
      ...credential,
    });
    return { answer: { ok: code === 'ok', error: { code } }, resources: {} };
  }
  const transports = openStreamTransports(suite.app);
  const transport = transports.find((one) => one.name === name);
  if (transport === undefined) throw new Error(`unknown transport ${name}`);
  try {
    const answer = await transport.upload([request as Piece], credential);
    const resources: Called['resources'] = answer.ok
      ? { document: jsonOf(DocumentSchema, answer.message) }
      : {};
    return { answer, resources };
  } finally {
    for (const one of transports) one.close();
  }
}

function jsonOf(schema: DescMethod['output'], message: Message): Called['resources'] {
  return toJson(schema, message, { useProtoFieldName: true }) as Called['resources'];
}
