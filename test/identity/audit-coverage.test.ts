// Every management action leaves its event, through every transport. The methods come from the
// descriptors, so that a method is covered from the day it is written.
import { type DescMethod, getOption, type Message, toJson } from '@bufbuild/protobuf';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { access as accessOption } from '../../gen/latchkey/options/v1/access_pb.js';
import { DocumentSchema } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { methodFacts } from '../../src/api/endpoint.ts';
import {
  describeApp,
  describeTransports,
  type Suite,
  type TransportName,
} from '../support/app-suite.ts';
import { allRows, auditEventsOf, withFailingAuditLog } from '../support/audit-rows.ts';
import { openStreamTransports, type Piece } from '../support/document-streams.ts';
import { type ManagementAction, managementActions } from '../support/management-actions.ts';
import { allMethods, callMethod } from '../support/method-calls.ts';
import { signToken } from '../support/signed-tokens.ts';
import type { Credential, TransportAnswer, UnaryMethod } from '../support/transports.ts';

/** Methods that are not marked as free of side effects, and change nothing all the same. */
const noActions: Record<string, string> = {
  'VerificationService.VerifyToken': 'it only reads; the mark would put the token into a URL',
  'SessionService.RefreshSession': 'it only goes on with what SignIn has started',
};

const nameOf = (method: DescMethod) => `${method.parent.name}.${method.name}`;

const withEffects = allMethods.filter((method) => {
  const { access, sideEffects } = methodFacts(method);
  return sideEffects && !access.public;
});
const actions = withEffects.filter((method) => !(nameOf(method) in noActions));
const named = actions.map((method): [string, DescMethod] => [nameOf(method), method]);

describe('the methods with side effects', () => {
  it('each have a case, or a reason why they need none', () => {
    const known = [...Object.keys(managementActions), ...Object.keys(noActions)];
    expect(known.sort()).toEqual(withEffects.map(nameOf).sort());
  });
});

describeApp('the audit log', (suite) => {
  describeTransports((transport) => {
    it.each(named)('has one event of a %s that succeeds', async (name, method) => {
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

    it.each(named)('undoes a %s whose event it cannot take', async (name, method) => {
      const { db } = suite.app.inside;
      const action = await actionOf(suite, name);
      const { credential } = await callerOf(suite, method, action);
      const before = await stateOf(suite);

      const { answer } = await withFailingAuditLog(db, suite.dialect, () =>
        call(suite, transport, method, action.request, credential),
      );

      expect(answer).toMatchObject({ ok: false, error: { code: 'internal' } });
      expect(await stateOf(suite)).toEqual(before);
      expect(await auditEventsOf(db, credential.requestId)).toEqual([]);
      // Nothing else stood in its way.
      const again = await call(suite, transport, method, action.request, credential);
      expect(again.answer).toMatchObject({ ok: true });
    });

    it.each(named)('has no event of a %s that fails', async (_, method) => {
      const { scope } = getOption(method, accessOption);
      const token = await signToken(suite.app, { type: 'service', scope });
      const before = await countDone(suite);

      const { code } = await callMethod(suite.app, transport, {
        method,
        authorization: `Bearer ${token}`,
        fields: { workspace_id: 'ws_none', document_id: 'doc_none' },
      });

      // A method that needs nothing but its caller succeeds here, too.
      expect(await countDone(suite)).toBe(before + (code === 'ok' ? 1 : 0));
    });
  });
});

/** All that a change could have changed: the use of a credential is written by and by. */
async function stateOf({ app }: Suite): Promise<string[]> {
  const rows = await allRows(app.inside.db, ['audit_events']);
  return rows.map((row) => row.replace(/"last_used_time":\w+,?/, ''));
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
  answer: TransportAnswer<Message>;
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
  const transports = openStreamTransports(suite.app);
  const transport = transports.find((one) => one.name === name);
  if (transport === undefined) throw new Error(`there is no transport ${name}`);
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
